"""The wiring as a drawing: a plan in, SVG out; every wire from its pin to its part, with a label at both ends."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from hardware.blocks import BLOCK_WIDTH, PITCH, SHAPES, draw_filter, draw_shifter, draw_supply, heading
from hardware.plan import CORES, GATES, Inline, Kind, Lead, Place, Plan
from hardware.routes import Wire, tracks
from hardware.sheet import FAINT, INK, NORMAL, PAPER, SMALL, TITLE, Frame, Point, Sheet, width_of
from hardware.sockets import GROUND, SocketPin

WIDTH, HEIGHT, WIDTH_MM = 1440.0, 1018.0, 297.0
"""A sheet of A4 lying."""
MARGIN = 22.0
TOP = 112.0
"""The socket's first row."""
CENTRE = WIDTH / 2
HALF_SOCKET = 98.0
"""From the socket's middle to where the wires leave it."""
PIN_SHIFT = 18.0
"""From the socket's middle to the middle of a column of pins."""
PASSING = 12.0
"""A wire to the other side passes between the names of two rows: so far below its own one when it goes right, above
when it goes left. Rows are at multiples of PITCH, terminals halfway between them, so nothing lies on anything."""

LABEL_ROOM, INLINE_ROOM, TERMINAL_ROOM = 94.0, 54.0, 66.0
INKS = ("#0b57a4", "#a84300", "#6a1b9a", "#1b6e20", "#a0122e")
DASHES = ("", "11 3", "11 3 2 3", "5 2.5", "")
"""Of seats 0 to 3 and the referee, for those who print in black."""


@dataclass(frozen=True, slots=True)
class _Run:
    """A wire on its way: from which pin, to which terminal."""

    place: int
    lead: Lead
    pin: SocketPin
    begin: float
    terminal: float
    is_right: bool

    @property
    def is_passing(self) -> bool:
        """Whether it goes to the other side of the socket than its pin is on."""
        return self.pin.is_right != self.is_right


def draw(plan: Plan, *, table: str) -> str:
    """The plan as an SVG on one sheet of A4, for screen and paper, in colour and without.

    Args:
        plan: From `pins_plan` or `board_plan`.
        table: The table's name, for the heading.
    """
    title = f"{table}: buttons, lamps and buzzer on the {plan.socket.title}"
    about = "Every wire from its pin to its part. The same as words: gameline wiring CONFIG."
    sheet = Sheet(WIDTH, HEIGHT, width_mm=WIDTH_MM, title=title, about=about)
    sheet.text((MARGIN, 30), title, size=TITLE, bold=True)
    sheet.text((MARGIN, 54), f"Seen {plan.socket.how_it_lies}. Pin 1 is drawn square.", size=NORMAL)
    spots = _spots(plan)
    runs = tuple(_runs(plan, spots))
    for is_right in (False, True):
        _draw_wires(sheet, plan, [run for run in runs if run.is_right == is_right])
    _draw_socket(sheet, plan, runs)
    for number, (at, inward) in spots.items():
        _draw_place(sheet, plan.places[number], Frame(sheet, *at, inward))
    _draw_notes(sheet, plan, spots)
    return sheet.svg()


def _spots(plan: Plan) -> dict[int, tuple[Point, int]]:
    """Where each place has the middle of its heading, at its inner edge, and which way it looks.

    Two seats stand at each side, where most of their pins are; the referee stands below those on the right.
    """
    seats = [number for number, place in enumerate(plan.places) if place.kind is not Kind.REFEREE]
    left = min(combinations(seats, len(seats) // 2), key=lambda left: (_passing(plan, left), left))
    right = [number for number in range(len(plan.places)) if number not in left]
    found: dict[int, tuple[Point, int]] = {}
    for numbers, x, inward in ((left, MARGIN + BLOCK_WIDTH, -1), (right, WIDTH - MARGIN - BLOCK_WIDTH, 1)):
        slot = -1
        by_row = sorted(numbers, key=lambda number: (plan.places[number].kind is Kind.REFEREE, _row(plan, number)))
        for number in by_row:
            found[number] = ((x, TOP + PITCH * (slot + 0.5)), inward)
            slot += max(SHAPES[plan.places[number].kind].slots) + 2
    return found


def _row(plan: Plan, number: int) -> float:
    """The row of a place's pins in the middle; of two seats on one side the upper stands above."""
    rows = [lead.pin.row for lead in plan.places[number].leads if lead.pin is not None]
    return sum(rows) / len(rows)


def _passing(plan: Plan, left: Sequence[int]) -> int:
    """How many wires must pass the socket when these places stand on the left."""
    pins = [(lead.pin, number in left) for number, place in enumerate(plan.places) for lead in place.leads]
    return sum(pin.is_right == is_left for pin, is_left in pins if pin is not None)


def _runs(plan: Plan, spots: dict[int, tuple[Point, int]]) -> Iterator[_Run]:
    for number, place in enumerate(plan.places):
        at, inward = spots[number]
        for lead, slot in zip(place.leads, SHAPES[place.kind].slots, strict=True):
            if lead.pin is not None:
                begin = TOP + PITCH * lead.pin.row
                if lead.pin.is_right != (inward > 0):
                    begin += PASSING * inward
                yield _Run(number, lead, lead.pin, begin, at[1] + slot * PITCH, inward > 0)


def _draw_wires(sheet: Sheet, plan: Plan, runs: Sequence[_Run]) -> None:
    """All wires of one side."""
    if not runs:
        return
    out = 1 if runs[0].is_right else -1
    wires = [Wire(run.begin, run.terminal, run.pin.number) for run in runs]
    taken = tracks(wires)
    first = HALF_SOCKET + LABEL_ROOM + INLINE_ROOM + 6
    last = CENTRE - MARGIN - BLOCK_WIDTH - TERMINAL_ROOM
    step = (last - first) / max(len(runs) - 1, 1)
    nearest: dict[int, float] = {}
    for run, track in zip(runs, taken, strict=True):
        x = first + step * track
        nearest[run.pin.number] = min(x, nearest.get(run.pin.number, x))
        ink, dash = INKS[run.place], DASHES[run.place]
        frame = Frame(sheet, CENTRE, 0, out)
        edge = CENTRE - MARGIN - BLOCK_WIDTH
        points = [(HALF_SOCKET, run.begin), (x, run.begin), (x, run.terminal), (edge, run.terminal)]
        if run.is_passing:
            points[0] = (-PIN_SHIFT, run.begin)
            points.insert(0, (-PIN_SHIFT, TOP + PITCH * run.pin.row))
        is_ground = run.pin.name == GROUND
        sheet.line(*(frame.at(*point) for point in points), ink=ink, dash=dash, width=2.6 if is_ground else 1.8)
    _draw_labels(sheet, plan, runs, out, nearest)


def _draw_labels(sheet: Sheet, plan: Plan, runs: Sequence[_Run], out: int, nearest: dict[int, float]) -> None:
    """What each wire is at the socket, and which pin it comes from at its terminal."""
    frame = Frame(sheet, CENTRE, 0, out)
    shared = [run.pin.number for run in runs]
    told: set[int] = set()
    for run in runs:
        edge = CENTRE - MARGIN - BLOCK_WIDTH
        _label(frame, edge - TERMINAL_ROOM + 12, run.terminal, f"pin {run.pin.number}", INK)
        if run.pin.number in told:
            continue
        told.add(run.pin.number)
        twice = shared.count(run.pin.number) > 1
        what = "GND × 2" if twice else run.lead.what
        _label(frame, HALF_SOCKET + 6, run.begin, f"{_short(plan.places[run.place])} {what}", INKS[run.place])
        if twice:
            frame.sheet.circle(frame.at(nearest[run.pin.number], run.begin), 3.4, fill=INKS[run.place], stroke="none")
        _inline(frame, run)


def _inline(frame: Frame, run: _Run) -> None:
    """The part that sits in the wire."""
    u = HALF_SOCKET + LABEL_ROOM + 11
    if run.lead.inline is Inline.FILTER:
        frame.sheet.box((frame.at(u + 7, 0)[0] - 8, run.begin - 6), (16, 12), fill=PAPER)
        frame.text(u + 7, run.begin, "F", size=SMALL, anchor="middle")
    elif run.lead.inline is Inline.GATE:
        into, out = GATES[run.place]
        frame.sheet.box((min(frame.at(u - 2, 0)[0], frame.at(u + 44, 0)[0]), run.begin - 6), (46, 12), stroke="none")
        frame.gate(u + 14, run.begin)
        frame.text(u + 11, run.begin, str(into), anchor="end")
        frame.text(u + 32, run.begin, str(out))


def _label(frame: Frame, u: float, y: float, words: str, ink: str) -> None:
    """Words in a gap of their wire."""
    wide = width_of(words, SMALL)
    x = min(frame.at(u, 0)[0], frame.at(u + wide, 0)[0])
    frame.sheet.box((x, y - 6), (wide, 12), stroke="none")
    frame.sheet.text((x + wide / 2, y), words, size=SMALL, anchor="middle", ink=ink)


def _short(place: Place) -> str:
    return "R" if place.kind is Kind.REFEREE else f"S{place.name.removeprefix('seat ')}"


def _draw_socket(sheet: Sheet, plan: Plan, runs: Sequence[_Run]) -> None:
    """The two columns of pins with their numbers, beside each what it carries; used ones are dark."""
    rows = max(pin.row for pin in plan.socket.pins) + 1
    used = {run.pin.number for run in runs} | {plan.socket.volts_3}
    left, right, top, bottom = (
        *(CENTRE - HALF_SOCKET, CENTRE + HALF_SOCKET),
        *(TOP - PITCH * 0.7, TOP + PITCH * (rows - 0.3)),
    )
    sheet.line((left, top), (right, top), (right, bottom), (left, bottom), (left, top), width=1.0)
    for pin in plan.socket.pins:
        out = 1 if pin.is_right else -1
        at = (CENTRE + PIN_SHIFT * out, TOP + PITCH * pin.row)
        is_used = pin.number in used
        fill, ink = (INK, PAPER) if is_used else (FAINT, INK)
        if pin.number == 1:
            sheet.box((at[0] - 11, at[1] - 11), (22, 22), fill=fill)
        else:
            sheet.circle(at, 11, fill=fill)
        sheet.text(at, str(pin.number), size=SMALL, anchor="middle", ink=ink, bold=is_used)
        if pin.number == plan.socket.volts_3:
            _label(Frame(sheet, CENTRE, 0, out), HALF_SOCKET + 6, at[1], "3.3 V to F", INK)
        name = (at[0] + 15 * out, at[1])
        sheet.text(name, pin.name, size=SMALL, anchor="start" if out > 0 else "end", bold=is_used)


def _draw_place(sheet: Sheet, place: Place, frame: Frame) -> None:
    """A place in its frame: heading, terminals with their cores, parts."""
    shape = SHAPES[place.kind]
    x = frame.x - (BLOCK_WIDTH if frame.inward < 0 else 0)
    sheet.box((x, frame.y - PITCH / 2), (BLOCK_WIDTH, shape.height + PITCH / 2), width=1.0, radius=6)
    heading(sheet, (frame.x, frame.y), place.name, frame.inward)
    for lead, slot in zip(place.leads, shape.slots, strict=True):
        v = slot * PITCH
        sheet.circle(frame.at(0, v), 4)
        frame.line((4, v), (34, v))
        sheet.box((min(frame.at(8, 0)[0], frame.at(32, 0)[0]), frame.y + v - 7), (24, 14), width=0.8)
        frame.text(20, v, lead.core, anchor="middle")
        if lead.pin is None:
            frame.line((-4, v), (-12, v))
            words = "X1 +5 V" if lead.what.endswith("V") else "X1 GND"
            frame.text(-14, v, words, anchor="end")
    shape.draw(frame)


def _draw_notes(sheet: Sheet, plan: Plan, spots: dict[int, tuple[Point, int]]) -> None:
    """What is left of the sheet: the filter, the supply, the level shifter, and the letters of the cores."""
    left = [number for number, (_, inward) in spots.items() if inward < 0]
    free = max(spots[number][0][1] + SHAPES[plan.places[number].kind].height for number in left) + 22
    draw_filter(sheet, (MARGIN, free), (BLOCK_WIDTH, 182), plan.socket.volts_3)
    x, y, wide = MARGIN + BLOCK_WIDTH + 40, TOP + PITCH * 20 + 6, 560.0
    if plan.has_rings:
        spare = [pin.number for pin in plan.socket.grounds if pin not in {r.pin for r in _runs(plan, spots)}]
        draw_supply(sheet, (MARGIN, free + 194), (BLOCK_WIDTH, 164), spare[-1])
        data = tuple(lead.pin.name for place in plan.places for lead in place.leads if lead.pin and lead.what == "data")
        draw_shifter(sheet, (x, HEIGHT - 16 - 134), (wide, 134), data)
    _draw_letters(sheet, (x + wide + 40, y + 80) if plan.has_rings else (x, y + 24))


def _draw_letters(sheet: Sheet, at: Point) -> None:
    """What the letters mean, and what else the one with the iron should know."""
    names = [f"{letters} {name}" for letters, name in CORES.items()]
    lines = (
        f"Cores (IEC 60757): {', '.join(names[:3])},",
        f"{', '.join(names[3:])}.",
        "WH and BN are a twisted pair: each button has its own ground.",
        "GND × 2: two cores from one pin, joined at the socket only.",
        "Thick: ground. F: the button filter. S: seat, R: referee.",
    )
    for number, words in enumerate(lines):
        sheet.text((at[0], at[1] + 19 * number), words, size=NORMAL)
