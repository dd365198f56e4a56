"""How a drawn table looks: the dominoes, the cloth, the light, people's arms and the camera's flaws; no drawing."""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

Bgr = tuple[int, int, int]
Surface = Literal["felt", "wood", "oilcloth", "plaid", "stone", "print"]

BLACK: Final[Bgr] = (28, 26, 26)
WHITE: Final[Bgr] = (240, 243, 244)
BRASS: Final[Bgr] = (78, 158, 200)

# (body, divider, pips): sets as they are sold; the pips are one colour or one for each suit from 0.
TILE_SETS: Final[tuple[tuple[Bgr, Bgr, tuple[Bgr, ...]], ...]] = (
    ((232, 238, 240), BLACK, (BLACK,)),  # white
    ((196, 222, 234), (52, 60, 70), ((34, 38, 48),)),  # ivory
    ((165, 200, 222), (40, 62, 92), ((30, 44, 66),)),  # birch
    ((42, 40, 40), WHITE, (WHITE,)),  # black
    ((48, 66, 104), (150, 200, 226), ((206, 232, 242),)),  # rosewood
    ((96, 48, 36), WHITE, (WHITE,)),  # blue
    (
        (234, 239, 240),
        BLACK,
        (BLACK, (196, 132, 40), (70, 140, 40), (44, 40, 190), (96, 90, 88), (150, 60, 30), (30, 110, 220)),
    ),  # white with a colour for each suit
)
TABLES: Final[tuple[tuple[Surface, Bgr], ...]] = (
    ("felt", (62, 94, 38)),
    ("felt", (48, 120, 44)),
    ("felt", (92, 52, 30)),
    ("felt", (42, 34, 112)),
    ("felt", (58, 60, 58)),
    ("wood", (74, 118, 166)),
    ("wood", (42, 66, 104)),
    ("wood", (108, 152, 190)),
    ("wood", (38, 38, 42)),
    ("oilcloth", (172, 190, 196)),
    ("oilcloth", (110, 80, 48)),
    ("oilcloth", (60, 60, 150)),
)
SKINS: Final[tuple[Bgr, ...]] = ((150, 178, 226), (126, 160, 212), (96, 132, 190), (70, 100, 152), (46, 66, 104))
SLEEVES: Final[tuple[Bgr, ...]] = (
    (120, 76, 44),
    (222, 224, 226),
    (52, 52, 58),
    (66, 58, 138),
    (84, 104, 72),
    (150, 150, 146),
    (60, 92, 128),
)


@dataclass(frozen=True, slots=True)
class Look:
    """Everything about a scene's looks that is not geometry; the default is a plain club table.

    Colours are BGR, 0..255, as under a white lamp.
    """

    body_bgr: Bgr = TILE_SETS[0][0]
    divider_bgr: Bgr = TILE_SETS[0][1]
    pips_bgr: tuple[Bgr, ...] = TILE_SETS[0][2]
    """One colour, or seven: one for each suit from 0."""
    divider_mm: float = 1.0
    """Width of the dividing line; 0 for dominoes without one."""
    pin_bgr: Bgr | None = BRASS
    """The pin in the middle; None for dominoes without one."""
    pip_mm: float = 2.4
    """Radius of a pip on a domino 24 mm wide."""
    pip_spacing_mm: float = 6.8
    """From the middle of a half to its rows of pips."""
    pip_shift_mm: float = 0.0
    """How far a half's pips are set towards the divider."""
    divider_reach_mm: float = 9.5
    """From the middle to either end of the dividing line."""
    pin_mm: float = 1.7
    """Radius of the pin."""
    drilled: bool = True
    """Whether the pips are hollows that catch the light, or flat print."""
    base_bgr: Bgr | None = None
    """The colour of the sides where a domino is glued of two layers; None for the body's own."""
    thickness_mm: float = 9.0
    corner_mm: float = 2.2
    bevel_mm: float = 1.3
    bevel_light: float = 1.0
    """How much of the light the rounded edge catches; 0 for cut card."""
    grain: float = 0.012
    """How uneven the body's colour is along the domino: little in bakelite, plain in wood."""
    wear: float = 0.0
    """Share of the pips' and the divider's paint that is gone, in [0, 1]."""

    surface: Surface = "felt"
    table_bgr: Bgr = TABLES[0][1]
    second_bgr: Bgr = (60, 90, 90)
    """The other colour of a plaid, a veined stone or a printed cloth."""
    floor_bgr: Bgr = (44, 48, 54)

    light_deg: float = 225.0
    """Where the main lamp is, as seen from the table's centre: 0 right, 90 bottom, 270 top."""
    slant: float = 0.55
    """Length of a shadow for each mm of height."""
    brightness: float = 1.06
    kelvin: float = 4800.0
    """The lamp's colour as the camera shows it; 5500 is neutral."""
    unevenness: float = 0.25
    """How much darker the worst place of the picture is than the best, in [0, 1)."""
    shadow: float = 0.55
    """How dark a shadow is, in [0, 1]."""
    softness_mm: float = 3.0

    skins_bgr: tuple[Bgr, Bgr, Bgr, Bgr] = (SKINS[0], SKINS[2], SKINS[1], SKINS[3])
    """By seat."""
    sleeves_bgr: tuple[Bgr, Bgr, Bgr, Bgr] = (SLEEVES[0], SLEEVES[1], SLEEVES[3], SLEEVES[4])
    """By seat."""

    blur_px: float = 0.55
    noise: float = 2.0
    """Standard deviation of a pixel, in grey levels."""
    jpeg_quality: int | None = None
    """None leaves the picture uncompressed."""

    @classmethod
    def random(cls, rng: np.random.Generator) -> "Look":
        """A look of its own: another set, table, lamp and camera each time, all of them such as are met in clubs."""
        body, divider, pips = TILE_SETS[rng.integers(len(TILE_SETS))]
        surface, table = _table_unlike(body, rng)
        skins = tuple(_near(SKINS[rng.integers(len(SKINS))], rng) for _ in range(4))
        sleeves = tuple(_near(SLEEVES[rng.integers(len(SLEEVES))], rng) for _ in range(4))
        return cls(
            body_bgr=_near(body, rng),
            divider_bgr=divider,
            pips_bgr=pips,
            divider_mm=float(rng.choice((0.7, 1.0, 1.3))),
            pin_bgr=BRASS if rng.random() < 0.5 else None,
            pip_mm=float(rng.uniform(2.0, 2.7)),
            drilled=bool(rng.random() < 0.7),
            thickness_mm=float(rng.uniform(6.5, 12)),
            corner_mm=float(rng.uniform(1.2, 3.2)),
            bevel_mm=float(rng.uniform(0.8, 1.8)),
            surface=surface,
            table_bgr=_near(table, rng),
            floor_bgr=_near((60, 68, 76), rng),
            light_deg=float(rng.uniform(0, 360)),
            slant=float(rng.uniform(0.15, 0.9)),
            brightness=float(rng.uniform(0.75, 1.15)),
            kelvin=float(rng.uniform(3400, 6800)),
            unevenness=float(rng.uniform(0.05, 0.5)),
            shadow=float(rng.uniform(0.35, 0.7)),
            softness_mm=float(rng.uniform(1.5, 6)),
            skins_bgr=(skins[0], skins[1], skins[2], skins[3]),
            sleeves_bgr=(sleeves[0], sleeves[1], sleeves[2], sleeves[3]),
            blur_px=float(rng.uniform(0.3, 0.9)),
            noise=float(rng.uniform(0.8, 4)),
            jpeg_quality=None if rng.random() < 0.4 else int(rng.integers(70, 96)),
        )

    def pip_bgr(self, suit: int) -> Bgr:
        """The colour of this suit's pips."""
        return self.pips_bgr[suit % len(self.pips_bgr)]


def _table_unlike(body: Bgr, rng: np.random.Generator) -> tuple[Surface, Bgr]:
    """A table that people would lay this set on: not of the dominoes' own lightness and colour."""
    apart = [choice for choice in TABLES if np.abs(np.subtract(choice[1], body)).sum() > 150]
    return apart[int(rng.integers(len(apart)))]


def _near(colour: Bgr, rng: np.random.Generator) -> Bgr:
    """The same colour from another factory."""
    tinted = np.array(colour) * rng.uniform(0.9, 1.1) * rng.normal(1, 0.02, 3)
    b, g, r = (int(v) for v in np.clip(tinted, 8, 250))
    return b, g, r
