"""Sets worth knowing for the tests of the rules, each written as one line of acts and the hands that are left.

All were led by seat 0 and played by the rules. `65R` is a domino laid with its six to the joint at the right end, the
first has no end, P is a pass; the hands that are left stand by seat.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Script:
    """A set from its first act to the count."""

    acts: str
    left: str


OUT_15 = Script(
    "01 15R 53R 00L 03L 33L 36L 61L 11L 12L 22L 34R 46R 20L 65R 04L 44L 50R 42L 06R 62R 25L 23R 31R 54L",
    " | 55 | 66 | 41",
)
"""Seat 0 goes out, its rivals hold 10 and 5."""
OUT_20 = Script(
    "46 45L 52L 23L 60R 31L 03R 34R 16L 65L 44R 41R 50L 04L 10R 42L 00R 21L 02R 11L 15L 26R 55L 63R 33R",
    " | 53 | 22 | 66",
)
"""The rivals hold 8 and 12."""
OUT_35 = Script(
    "01 16R 65R 00L 50R P 03L 02R 22R 26R 64R 42R 23R 36L 60L 33R 31R P 11R 12R 04L 45L 51L 25R 14L",
    " | 43 53 66 | 55 | 44",
)
"""The rivals hold 7, 8, 12 and 8."""
OUT_40 = Script(
    "11 12L 22L 23L 13R 36L 61L 33R 10L P 03L 34L 45L 56L 35R 51R 60L P 02L 14R 44R 24L 40L 05L 52L",
    " | 62 64 55 | 00 | 66",
)
"""The rivals hold 8, 10, 10 and 12; the partner of seat 0 a lone double blank."""
OUT_52 = Script(
    "33 35L 34R 44R 42R 22R 50L 21R 15R 01L 52R 16L 63L 23R 31L P 11L 14L 40L P 06L 62L 30R P 00R",
    " | 66 | 20 | 54 64 55 65",
)
"""The rivals hold 12, 9, 10, 10 and 11."""
OUT_60 = Script(
    "05 06L 62L 24L 40L 00L 53R 32R 01L 15L 52L P 20L P 22R P 21R 13R 34R P 03L 41R 11R 33L 16R",
    " | 44 64 | 54 | 63 55 65 66",
)
"""The rivals hold 8, 10, 9, 10, 11 and 12; the partner of seat 0 holds 9."""
LOST_23 = Script(
    "04 44R 00L 45R 55R 02L 21L 53R 32R 10L 25R 06L 50R 61L 14L 03R 46L 63L 34L 33R P 31R 42L 22L 11R 26L",
    "66 |  | 65 | 51",
)
"""Seat 1 goes out; pair A holds 12 and 11."""
LOCK_12_30 = Script(
    "11 13L 36L 14R 43R 64L 45L 35R 51L 56R 60R 04R 16L 66L 62L 22L 24L 44L",
    "21 33 | 30 50 | 00 10 20 | 32 52 55",
)
"""Pair A holds 3, 6, 0, 1 and 2; pair B 3, 5, 5, 7 and 10."""
LOCK_24_30 = Script(
    "66 64L 43L 65R 36L 55R 61L 15L 52L 22L 53R 26L 33R 30R 06R",
    "00 40 44 | 10 20 21 | 50 11 41 | 31 32 42 54",
)
"""Pair A holds 0, 4, 8, 5, 2 and 5; pair B 1, 2, 3, 4, 5, 6 and 9."""
LOCK_30_30 = Script(
    "66 64L 42L 60R 23L 35L 52L 05R 51R 14R 45R 55R 26L 65L",
    "10 33 63 | 11 43 44 | 00 30 40 61 | 20 21 31 22",
)
"""Pair A holds 1, 6, 9, 0, 3, 4 and 7; pair B 2, 7, 8, 2, 3, 4 and 4."""
LOCK_40_26 = Script(
    "26 25L 54L 60R 05R 42L 23L 51R 35L 11R 16R 55L 66R 65R",
    "30 21 63 | 10 20 41 | 00 43 44 64 | 40 31 22 33",
)
"""Pair A holds 3, 3, 9, 0, 7, 8 and 10; pair B 1, 2, 5, 4, 4, 4 and 6."""
LONE_OUT = Script(
    "24 44R 43R 33R 35R 26L 55R 66L 63L 32L 20L 51R 04L 13R 46L 60L 30R 05L 01R 54L 41L 16L 11R 12R 22R",
    " | 00 | 52 | 65",
)
"""Seat 0 goes out; its rivals hold a lone double blank, and 11."""
LONE_TWO = Script(
    "36 30L 65R 53R 04L 46L 32R 60L 21R 14R 43R 02L 33R 22L 24L 31R 45L 52L 10R 26L 05R P 61L 55R 51R",
    " | 00 44 | 11 | 66",
)
"""Seat 0 goes out; a rival holds the double blank beside 8, the other 12."""
LONE_PARTNER = Script(
    "35 50R 34L 40L 02L 03R 24L 36R 46L 61L 14L 44L 66R 65R 52R 21R 13R 45L 55L 51L 32R 22R 10L 06L 62L",
    " | 33 | 00 | 11",
)
"""Seat 0 goes out with the seventh two, twos at both ends; its partner holds the double blank, its rivals 6 and 2."""
LONE_LOCK = Script(
    "55 53L 36L 51R 66L 62L 11R 13R 24L 33R 44L 45L 34R 40R 52L 06R 22L 21L 10L 65R 05L",
    "00 | 41 61 | 20 64 | 30 32",
)
"""Fives at both ends; pair A holds a lone double blank, 2 and 10; pair B 5, 7, 3 and 5."""
OUT_MORE = Script(
    "23 34R 26L 60L 02L 44R 41R 24L 10R 03R 45L 53L 36L 33R 31R 15R 50R 65L 00R 55L 52L 21L 16L 66L 04R",
    " | 22 | 64 | 11",
)
"""Seat 0 goes out; its partner holds 10, its rivals 4 and 2."""
LIE_IN_LOCK = Script(
    "36 32L 64R 20L 03L 31L P 15L 43R 53L 33R",
    "50 21 42 66 | 10 60 61 62 | 00 40 41 44 55 | 11 22 52 54 65",
)
"""Threes at both ends, 53 spots against 55. Seat 2 passed (act 7) on 1 and 4, and the count shows 4-0, 4-1 and 4-4."""
LOCK_AFTER_A_TRUE_PASS = Script(LIE_IN_LOCK.acts, "21 42 40 44 | 10 60 61 41 | 50 66 62 22 52 | 00 55 11 54 65")
"""The same acts, and seat 2 was right: 57 spots against 51."""
LIE_OF_PARTNER = Script(
    "66 60L 65R 51R 11R 10R P 05R 02L 55R 22L 26L 63L 32L 54R 44R 46R 25L 53L 33L 31L 14L 61R 40L 12R",
    " | 42 | 00 30 | 43",
)
"""Seat 0 goes out, its rivals hold 13. Its partner passed (act 7) on blanks, and holds 0-0 and 3-0."""
