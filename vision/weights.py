"""The weights of the evidence in `vision.judge`; numbers only.

Fitted by logistic regression with ridge 0.5 on candidates from rendered tables, of path-traced sets of six kinds and
of `vision.render`'s random looks, and from print, boards and noise without dominoes. One row for each number of halves
with fewer than two pips, for a blank half proves itself by its borders and a six by its pips.

Columns: certain, better half's misfit, worse half's misfit, foreign, fainter end, fainter side, plainer side, fainter
end's seam, fainter side's seam, blank halves, divider, waist, tips, weakest ink, unevenness, divider unlike the
set's, waist unlike, tips unlike, body unlike, ink unlike, edges above the set's, seams above, size unlike, colour
unlike.
"""

ALONE = (
    (0.05, -0.99, -2.26, -12.58, 3.24, 0.30, 2.49, -1.73, -0.27, 0.00, -0.18, -5.21, 5.88, -0.08, -1.01),
    (-7.97, -1.23, -2.79, -2.69, 2.40, -0.10, 9.86, -0.12, 2.52, -1.58, 1.47, -2.97, 4.96, -1.03, -4.84),
    (-6.25, -0.52, 0.27, -2.04, 0.90, 1.08, 1.86, -1.12, 0.56, -2.06, 4.03, -4.78, 4.64, 1.69, -2.43),
)
"""Before anything is known of the set: the columns up to unevenness."""

IN_SET = (
    (
        -2.42,
        -1.56,
        -2.04,
        -15.54,
        2.95,
        0.59,
        5.67,
        -1.34,
        -0.14,
        0.00,
        -0.73,
        -3.93,
        5.15,
        -0.39,
        -0.29,
        -4.07,
        -1.35,
        -1.35,
        0.99,
        -0.52,
        -0.94,
        -1.14,
        1.68,
        -0.35,
    ),
    (
        -8.18,
        -1.33,
        -1.96,
        -6.07,
        2.27,
        0.75,
        10.40,
        -0.48,
        1.73,
        -1.74,
        0.64,
        -1.59,
        3.88,
        -0.25,
        -4.44,
        0.96,
        -1.13,
        -3.34,
        -2.16,
        -0.89,
        -0.29,
        0.22,
        -0.39,
        1.71,
    ),
    (
        -4.58,
        -1.12,
        -0.10,
        -7.50,
        1.43,
        2.40,
        2.38,
        -0.46,
        0.43,
        -2.23,
        3.50,
        -3.67,
        4.08,
        0.09,
        -1.21,
        0.82,
        -2.21,
        -1.06,
        -6.06,
        -2.66,
        0.12,
        0.18,
        -0.12,
        0.49,
    ),
)
"""With the traits of the set: all columns."""
