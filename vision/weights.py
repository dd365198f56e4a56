"""The weights of the evidence in `vision.judge`; numbers only, written by `vision.fit`.

Fitted on drawn pictures and boards as `vision.fit` draws them and on path-traced pictures of six kinds of sets, by the
form that script had before it wrote this file itself. `python -m vision.fit` makes such numbers from nothing.
"""

ALONE = {
    "certain": (0.05, -7.97, -6.25),
    "better half's misfit": (-0.99, -1.23, -0.52),
    "worse half's misfit": (-2.26, -2.79, 0.27),
    "foreign": (-12.58, -2.69, -2.04),
    "fainter end": (3.24, 2.40, 0.90),
    "fainter side": (0.30, -0.10, 1.08),
    "plainer side": (2.49, 9.86, 1.86),
    "fainter end's seam": (-1.73, -0.12, -1.12),
    "fainter side's seam": (-0.27, 2.52, 0.56),
    "blank halves": (0.00, -1.58, -2.06),
    "divider": (-0.18, 1.47, 4.03),
    "waist": (-5.21, -2.97, -4.78),
    "tips": (5.88, 4.96, 4.64),
    "weakest ink": (-0.08, -1.03, 1.69),
    "unevenness": (-1.01, -4.84, -2.43),
}
"""For a face by itself: each column's weight where no half, one or both have fewer than two pips."""

IN_SET = {
    "certain": (-2.42, -8.18, -4.58),
    "better half's misfit": (-1.56, -1.33, -1.12),
    "worse half's misfit": (-2.04, -1.96, -0.10),
    "foreign": (-15.54, -6.07, -7.50),
    "fainter end": (2.95, 2.27, 1.43),
    "fainter side": (0.59, 0.75, 2.40),
    "plainer side": (5.67, 10.40, 2.38),
    "fainter end's seam": (-1.34, -0.48, -0.46),
    "fainter side's seam": (-0.14, 1.73, 0.43),
    "blank halves": (0.00, -1.74, -2.23),
    "divider": (-0.73, 0.64, 3.50),
    "waist": (-3.93, -1.59, -3.67),
    "tips": (5.15, 3.88, 4.08),
    "weakest ink": (-0.39, -0.25, 0.09),
    "unevenness": (-0.29, -4.44, -1.21),
    "divider unlike": (-4.07, 0.96, 0.82),
    "waist unlike": (-1.35, -1.13, -2.21),
    "tips unlike": (-1.35, -3.34, -1.06),
    "body unlike": (0.99, -2.16, -6.06),
    "ink unlike": (-0.52, -0.89, -2.66),
    "edges above": (-0.94, -0.29, 0.12),
    "seams above": (-1.14, 0.22, 0.18),
    "size unlike": (1.68, -0.39, -0.12),
    "colour unlike": (-0.35, 1.71, 0.49),
}
"""The same for a face with the traits of its set."""
