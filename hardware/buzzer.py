"""The buzzer's phrases, and whether one sounds at a moment; no pin or clock, and what they are for is not known here.

Like the lamps' signs this file runs unchanged on the Pi and on a seat board: whoever has the buzzer ends the phrase, so
that a busy program elsewhere cannot leave it on.
"""

SILENT = 0
ILLEGAL = 1
TIME = 2
CALLED = 3
SET_OVER = 4
LOOK = 5

PHRASES_MS = (
    (),
    (150, 100, 150, 100, 400),
    (250,),
    (300, 150, 300),
    (500,),
    (80, 80, 80, 80, 80),
)
"""Milliseconds on, off, on ... by the number of the phrase; all are over within a second."""


def sounds(phrase: int, since_ms: int) -> bool:
    """Whether the buzzer is on so long after the phrase began; not before or after it, nor for unknown phrases."""
    if since_ms < 0 or not 0 <= phrase < len(PHRASES_MS):
        return False
    is_on = True
    for length_ms in PHRASES_MS[phrase]:
        if since_ms < length_ms:
            return is_on
        since_ms -= length_ms
        is_on = not is_on
    return False
