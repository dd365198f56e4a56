"""How a lamp's sign looks at a moment, on every kind of lamp; no pin, thread or clock, nor the game, is known here.

Like the debouncer this file runs unchanged on the Pi and, under MicroPython, on a seat board: whole numbers only, and
`draw` makes no object, as long as the milliseconds are small integers there (for twelve days). docs/lamps.md shows
every sign; its picture is drawn by this code.
"""

OFF = 0
TURN = 1
"""It is this seat's turn: a bar of the thinking time left."""
PAUSED = 2
WAITING = 3
"""The referee comes first."""
OUT_OF_SYNC = 4
SHOW = 5
"""Show your dominoes: a count, or a claim that was made."""
LEADS = 6
SET_OVER = 7
WON = 8
COUNTED = 9
"""A flash: the press counted."""
REFUSED = 10
"""A flash: the press counts for nothing."""
HOST_SILENT = 11
SELF_TEST = 12
NEWS = 13
"""On the referee's lamp: something new waits to be noticed."""
DUE = 14
"""On the referee's lamp: the table waits for him."""
FELT = 15
"""The seat's button is down, where its lamp is dark otherwise; a lamp that says something goes dark meanwhile."""
SIGNS = 16

LEDS = 1
"""Three LEDs: green, yellow, red."""
PWM = 2
"""One LED that can be dimmed."""
RGB = 3
"""One LED of red, green and blue."""
PIXELS = 4
"""A ring or strip of WS2812, each pixel red, green and blue."""

FLASH_MS = 400
"""How long a flash lasts: long enough to be noticed, gone before the next player thinks."""

PULSE_S = 5
"""The last seconds of the thinking time, in which the bar pulses."""

PIXEL_FULL = 28
"""The brightest a pixel gets, of 255: four rings of 16, all white, then draw under 0.5 A, what a USB port gives."""

_DARK = 0
_GREEN = 1
_YELLOW = 2
_RED = 3
_ALL = 4

_ON_LEDS = ((0, 0, 0), (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255))
_ON_RGB = ((0, 0, 0), (0, 255, 0), (255, 150, 0), (255, 0, 0), (255, 255, 255))
_ON_PWM = (0, 255, 255, 255, 255)

# Green, yellow and red third of the bar where a lamp has no colours, or several lights for one colour.
_BAR_ON_LEDS = ((255, 255, 255), (0, 255, 255), (0, 0, 255))
_BAR_ON_PWM = (255, 110, 30)

_PULSE = ((_RED, 250), (_DARK, 250))
_OVERRUN = ((_ALL, 100), (_DARK, 100))

# Colour and milliseconds, again and again; the two flashes once.
_RHYTHMS = {
    PAUSED: ((_YELLOW, 1000),),
    WAITING: ((_YELLOW, 200), (_DARK, 800)),
    OUT_OF_SYNC: ((_YELLOW, 150), (_DARK, 150), (_YELLOW, 150), (_DARK, 950)),
    SHOW: ((_YELLOW, 800), (_DARK, 800)),
    LEADS: ((_GREEN, 1000),),
    SET_OVER: ((_GREEN, 100), (_DARK, 2900)),
    WON: ((_GREEN, 700), (_DARK, 100), (_GREEN, 100), (_DARK, 100)),
    COUNTED: ((_GREEN, 300), (_DARK, 100)),
    REFUSED: ((_RED, 100), (_DARK, 100), (_RED, 100), (_DARK, 100)),
    HOST_SILENT: ((_RED, 60), (_DARK, 1940)),
    SELF_TEST: ((_GREEN, 500), (_YELLOW, 500), (_RED, 500), (_ALL, 500), (_DARK, 500)),
    NEWS: ((_RED, 300), (_DARK, 300)),
    DUE: ((_RED, 1000),),
    FELT: ((_ALL, 1000),),
}


def size(kind: int, pixels: int = 1) -> int:
    """How many levels a lamp of this kind has; *pixels* counts only for PIXELS."""
    return 3 * pixels if kind == PIXELS else 1 if kind == PWM else 3


def seconds_left(left_ms: int) -> int:
    """Whole seconds to show, rounded up, 0 from the limit on: the one rounding rule of lamps and displays."""
    return max(0, -(-left_ms // 1000))


def draw(levels: bytearray, kind: int, sign: int, now_ms: int, since_ms: int = 0, limit_ms: int = 0) -> None:
    """Write the levels of a lamp, 0 to 255, as its sign looks at this moment.

    Args:
        levels: `size` bytes to write to. LEDS: green, yellow, red; RGB and each pixel: red, green, blue.
        kind: LEDS, PWM, RGB or PIXELS.
        sign: One of the signs; one that is not known here is dark.
        now_ms: Any clock that goes on; blinks of all lamps that are given the same are in step.
        since_ms: For TURN the thinking time used up, for the flashes their age; a flash that is over is dark.
        limit_ms: For TURN the time given.
    """
    if sign == TURN:
        _draw_bar(levels, kind, since_ms, limit_ms)
    elif sign not in _RHYTHMS:
        _paint(levels, kind, _DARK)
    elif sign != COUNTED and sign != REFUSED:  # `not in` would have MicroPython make the tuple each time
        _paint(levels, kind, _colour(_RHYTHMS[sign], now_ms))
    else:
        _paint(levels, kind, _colour(_RHYTHMS[sign], since_ms) if is_flashing(since_ms) else _DARK)


def felt(sign: int) -> int:
    """The sign of a lamp while its button is down: seen at once whatever it said, and before anybody has decided."""
    return FELT if sign == OFF else OFF


def is_answer_seen(flash_ms: int, felt_ms: int | None, now_ms: int) -> bool:
    """Whether a flash that began at `flash_ms` is to be seen over the seat's sign and over what the finger makes of it.

    A finger that came after the flash, at `felt_ms`, is felt at once; one that is still there, holding, is answered.
    """
    return is_flashing(now_ms - flash_ms) and (felt_ms is None or felt_ms <= flash_ms)


def is_flashing(since_ms: int) -> bool:
    """Whether a flash of this age is still to be seen; before and after it the lamp shows its sign."""
    return 0 <= since_ms < FLASH_MS


def _draw_bar(levels: bytearray, kind: int, used_ms: int, limit_ms: int) -> None:
    """The time left: colours by thirds and the pulse change with the second that displays show, pixels go smoothly."""
    left_ms = limit_ms - used_ms
    if left_ms < 0:
        _paint(levels, kind, _colour(_OVERRUN, -left_ms))
        return
    seconds = seconds_left(left_ms)
    third = 0 if 3000 * seconds > 2 * limit_ms else 1 if 3000 * seconds > limit_ms else 2
    is_pulsing = seconds <= PULSE_S
    if is_pulsing and _colour(_PULSE, used_ms - limit_ms + 1000 * PULSE_S) == _DARK:
        _paint(levels, kind, _DARK)
    elif kind == LEDS:
        _fill(levels, _BAR_ON_LEDS[third])
    elif kind == PWM:
        levels[0] = 255 if is_pulsing else _BAR_ON_PWM[third]
    elif kind == RGB:
        _fill(levels, _ON_RGB[_GREEN + third])
    else:
        _draw_pixels(levels, _ON_RGB[_GREEN + third], left_ms, limit_ms)


def _draw_pixels(levels: bytearray, colour: tuple[int, int, int], left_ms: int, limit_ms: int) -> None:
    """The share of the pixels that is the share of the time left; the last one lit fades."""
    pixels = len(levels) // 3
    lit = -(-pixels * PIXEL_FULL * left_ms // max(1, limit_ms))
    for pixel in range(pixels):
        level = max(0, min(PIXEL_FULL, lit - pixel * PIXEL_FULL))
        for part in range(3):
            levels[3 * pixel + part] = colour[part] * level // 255


def _paint(levels: bytearray, kind: int, colour: int) -> None:
    """One colour on the whole lamp."""
    if kind == PWM:
        levels[0] = _ON_PWM[colour]
    elif kind == PIXELS:
        rgb = _ON_RGB[colour]
        for place in range(len(levels)):
            levels[place] = rgb[place % 3] * PIXEL_FULL // 255
    else:
        _fill(levels, _ON_LEDS[colour] if kind == LEDS else _ON_RGB[colour])


def _fill(levels: bytearray, three: tuple[int, int, int]) -> None:
    for part in range(3):
        levels[part] = three[part]


def _colour(rhythm: tuple[tuple[int, int], ...], at_ms: int) -> int:
    """The colour of a rhythm that began at 0 and goes on for ever."""
    length_ms = 0
    for _, ms in rhythm:
        length_ms += ms
    at_ms %= length_ms
    for colour, ms in rhythm:
        if at_ms < ms:
            return colour
        at_ms -= ms
    return _DARK
