"""Draws docs/lamps.svg, every sign of a lamp on every kind of lamp over time, by the code that lights them.

`python docs/lamps.py`
"""

from pathlib import Path

from hardware import lamps

ROWS = (
    ("your turn, the time is new", lamps.TURN, 0),
    ("two thirds left", lamps.TURN, 4000),
    ("one third left", lamps.TURN, 9000),
    ("over the time", lamps.TURN, 14_500),
    ("paused", lamps.PAUSED, 0),
    ("the referee comes first", lamps.WAITING, 0),
    ("out of sync: look at the table", lamps.OUT_OF_SYNC, 0),
    ("show your dominoes", lamps.SHOW, 0),
    ("leads the next set", lamps.LEADS, 0),
    ("the set is over", lamps.SET_OVER, 0),
    ("won", lamps.WON, 0),
    ("button down, dark before", lamps.FELT, 0),
    ("the press counted", lamps.COUNTED, 0),
    ("the press counts for nothing", lamps.REFUSED, 0),
    ("the board hears nothing", lamps.HOST_SILENT, 0),
    ("self-test", lamps.SELF_TEST, 0),
    ("referee: something new", lamps.NEWS, 0),
    ("referee: the table waits", lamps.DUE, 0),
)
"""What a row is about, its sign, and the thinking time already used where it begins."""
LIMIT_MS = 15_000

KINDS = (
    ("three LEDs", lamps.LEDS, 1),
    ("one LED", lamps.PWM, 1),
    ("RGB LED", lamps.RGB, 1),
    ("8 pixels", lamps.PIXELS, 8),
)
SHOWN_MS = 3000
STEP_MS = 20
MS_PER_PX = 12
LEFT_PX, TOP_PX = 190, 34
COLUMN_PX, ROW_PX, LAMP_PX = 280, 34, 24
LED_COLOURS = ((0, 220, 0), (255, 170, 0), (255, 0, 0))
WHITE_LED = ((255, 240, 200),)

Rgb = tuple[int, int, int]


def picture() -> str:
    """The whole picture as SVG."""
    width, height = LEFT_PX + COLUMN_PX * len(KINDS), TOP_PX + ROW_PX * len(ROWS) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for column, (name, _, _) in enumerate(KINDS):
        parts.append(f'<text x="{LEFT_PX + column * COLUMN_PX}" y="18" font-size="12" font-weight="bold">{name}</text>')
    for row, (name, sign, used_ms) in enumerate(ROWS):
        top = TOP_PX + row * ROW_PX
        parts.append(f'<text x="8" y="{top + 16}" font-size="12">{name}</text>')
        for column, (_, kind, pixels) in enumerate(KINDS):
            parts.append(_strip(LEFT_PX + column * COLUMN_PX, top, kind, pixels, sign, used_ms))
    ends = f"from left to right {SHOWN_MS / 1000:g} seconds; each kind from top to bottom light by light"
    parts.append(f'<text x="{LEFT_PX}" y="{height - 8}" font-size="12" fill="#555">{ends}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _strip(left: int, top: int, kind: int, pixels: int, sign: int, used_ms: int) -> str:
    """One sign on one kind of lamp: a lane for each light, time from left to right."""
    lanes = [_lights(kind, pixels, sign, ms, used_ms + ms) for ms in range(0, SHOWN_MS, STEP_MS)]
    lane_px = LAMP_PX / len(lanes[0])
    paths: dict[Rgb, list[str]] = {}
    for lane in range(len(lanes[0])):
        begin = 0
        for step in range(1, len(lanes) + 1):
            if step == len(lanes) or lanes[step][lane] != lanes[begin][lane]:
                if any(lanes[begin][lane]):
                    x, y = left + begin * STEP_MS / MS_PER_PX, top + lane * lane_px
                    wide = (step - begin) * STEP_MS / MS_PER_PX
                    paths.setdefault(lanes[begin][lane], []).append(
                        f"M{x:.4g} {y:.4g}h{wide:.4g}v{lane_px:.3g}h-{wide:.4g}z"
                    )
                begin = step
    back = f'<rect x="{left}" y="{top}" width="{SHOWN_MS // MS_PER_PX}" height="{LAMP_PX}" fill="#222"/>'
    lit = [f'<path d="{"".join(d)}" fill="rgb{colour}"/>' for colour, d in paths.items()]
    return "\n".join([back, *lit])


def _lights(kind: int, pixels: int, sign: int, now_ms: int, since_ms: int) -> tuple[Rgb, ...]:
    """The colour of every light of a lamp at a moment."""
    levels = bytearray(lamps.size(kind, pixels))
    lamps.draw(levels, kind, sign, now_ms, since_ms, LIMIT_MS)
    if kind in (lamps.LEDS, lamps.PWM):
        colours = LED_COLOURS if kind == lamps.LEDS else WHITE_LED
        return tuple(_dimmed(colour, level, 255) for colour, level in zip(colours, levels, strict=True))
    full = 255 if kind == lamps.RGB else lamps.PIXEL_FULL
    triples = [(levels[i], levels[i + 1], levels[i + 2]) for i in range(0, len(levels), 3)]
    return tuple(_dimmed(triple, 255, full) for triple in triples)


def _dimmed(colour: Rgb, level: int, full: int) -> Rgb:
    red, green, blue = (min(255, part * level // full) for part in colour)
    return (red, green, blue)


def main() -> None:
    """Write it."""
    Path(__file__).with_name("lamps.svg").write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
