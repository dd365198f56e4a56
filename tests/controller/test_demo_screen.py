"""What a watcher of the demonstration reads: the live table as text, the plain lines, the score register."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from controller.demo.mishaps import Note
from controller.demo.plain import Plain, register_lines
from controller.demo.referee import Heard
from controller.demo.scoreboard import Alert, Board, Finding, Happened, LineTile, Result, ShownClock
from controller.demo.screen import LiveScreen, picture
from controller.demo.watching import Address, View
from controller.demo.words import points, sentence
from controller.game.tiles import ALL_TILES

NAMES = ("South", "West", "North", "East")
ADDRESS = Address("127.0.0.1", 34567, "demo")
S = 1_000_000_000


def board(**changed: object) -> Board:
    """A set in progress, with whatever is changed."""
    fields: dict[str, object] = {
        "revision": 7,
        "phase": "play",
        "set_no": 2,
        "turn": 1,
        "line": (LineTile(6, 4, 0), LineTile(4, 1, 1)),
        "names": NAMES,
        "tiles_left": (6, 6, 7, 7),
        "points": (1.0, 0.5),
        "warnings": (0, 1),
        "clock": ShownClock(running=True, limit_s=15.0, elapsed_ms=4000),
    }
    return Board(**(fields | changed))  # type: ignore[arg-type]


def view(shown: Board, *events: Happened, notes: tuple[Note, ...] = (), after_s: float = 0.0) -> View:
    """What a watcher sees so long after the board was heard."""
    return View(Heard(1, True, shown, 10 * S, tuple(events)), notes, 10 * S + round(after_s * S))


def _rows(text: str) -> list[str]:
    return [row.rstrip() for row in text.splitlines()]


def text_of(shown: View, rows: int = 24, columns: int = 80) -> str:
    """The screen as text, without colours."""
    console = Console(width=columns, height=rows, file=io.StringIO(), record=True, force_terminal=True)
    console.print(picture(shown, ADDRESS, rows=rows))
    return console.export_text()


def laid(sequence: int, at_s: int, **body: object) -> Happened:
    """A domino laid."""
    fields = {"seat": 1, "inner": 4, "outer": 1, "end": "R", "is_fitting": True}
    return Happened(sequence, "domino_laid", at_s * S, body={**fields, **body})


def test_screen_stands_together_in_a_wide_terminal() -> None:
    """In a terminal of 200 columns it looks as in one of 80."""
    shown = view(board(), laid(1, 9))
    assert _rows(text_of(shown, columns=200)) == _rows(text_of(shown))


def test_screen_shows_line_seats_clock_score_and_where_to_watch() -> None:
    """Everything a watcher asks for is on one screen."""
    text = text_of(view(board(), laid(1, 9), notes=(Note(9 * S, "The broker is back."),), after_s=3))
    for expected in (
        "set 2 of 4",
        "South + North  1 : ½  West + East",
        "[6|4][4|1]",
        "▶ West ▮▮▮▮▮▮▯",
        "North ▮▮▮▮▮▮▮",
        "warnings 0 : 1",
        "West thinks",
        "8.0 s",
        "West lays 4-1 at the right end.",
        "* The broker is back.",
        "broker 127.0.0.1:34567",
        "mosquitto_sub -h 127.0.0.1 -p 34567 -t 'gameline/v1/demo/#' -v",
    ):
        assert expected in text


@pytest.mark.parametrize("rows", [24, 30, 50])
@pytest.mark.parametrize("phase", ["idle", "between", "play", "count", "game_over"])
def test_screen_fits_the_terminal(rows: int, phase: str) -> None:
    """A full line, a long finding and many events leave the last row free and no line wider than 80."""
    full = tuple(LineTile(tile.high, tile.low, i % 4) for i, tile in enumerate(sorted(ALL_TILES)))
    long = Finding(1, "wrong_pass", 2, "North passed with 4 open, and later laid 4-1, which fitted then. " * 4)
    shown = board(line=full, findings=(long,), phase=phase, turn=1 if phase == "play" else None)
    text = text_of(view(shown, *(laid(i, i) for i in range(60))), rows=rows)
    lines = text.rstrip("\n").split("\n")
    assert len(lines) < rows
    assert max(map(len, lines)) <= 80
    assert text.count("|") == 28


@pytest.mark.parametrize(("elapsed_s", "colour"), [(2.0, "32"), (10.5, "33"), (13.5, "31")])
def test_clock_bar_goes_green_yellow_red(elapsed_s: float, colour: str) -> None:
    """Green, yellow for the last five seconds, red for the last two."""
    console = Console(width=80, height=24, file=io.StringIO(), force_terminal=True, color_system="standard")
    console.print(picture(view(board(clock=ShownClock(True, 15.0, elapsed_s * 1000))), ADDRESS))
    written = console.file.getvalue()  # type: ignore[attr-defined]
    assert f"\x1b[{colour}m█" in written


def test_clock_counts_on_only_while_it_runs() -> None:
    """Between two words of the scoreboard the seconds go on; a clock that stands stands, and none goes below 0."""
    assert view(board(), after_s=2.5).seconds_left == pytest.approx(8.5)
    assert view(board(clock=ShownClock(False, 15.0, 4000)), after_s=9).seconds_left == pytest.approx(11)
    assert view(board(), after_s=60).seconds_left == 0
    assert "(stands)" in text_of(view(board(clock=ShownClock(False, 15.0, 4000))))


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"findings": (Finding(1, "wrong_domino", 1, "West laid 6-4, which does not fit."),)}, "West laid 6-4"),
        ({"halts": ("camera",)}, "The camera sees nothing: the clock stands."),
        ({"halts": ("out_of_sync",), "sync_text": "Look at 6-4."}, "Look at 6-4."),
        ({"alert": Alert("time", "West has thought longer than 15 s.")}, "West has thought longer"),
    ],
)
def test_screen_says_what_the_referee_has_to_look_at(changed: dict[str, object], expected: str) -> None:
    """Findings before doubts before halts before alerts."""
    assert expected in text_of(view(board(**changed)))


def test_message_that_was_not_understood_is_shown_and_printed() -> None:
    """A watcher learns of it on either screen, once in the lines."""
    troubled = View(Heard(1, True, board(), 0, (), "state: Expected a state, got something else."), (), 0)
    assert "Not understood: state: Expected a state" in text_of(troubled)
    out = io.StringIO()
    with Plain(out, ADDRESS) as plain:
        plain.show(troubled)
        plain.show(troubled)
    assert out.getvalue().count("Not understood") == 1


def test_live_screen_draws_over_itself_and_leaves_the_last_picture() -> None:
    """The terminal shows one table, whatever was drawn before."""
    out = io.StringIO()
    with LiveScreen(Console(width=80, height=24, file=out, force_terminal=True), ADDRESS) as screen:
        screen.show(view(board()))
        screen.show(view(board(set_no=3)))
    assert "set 2 of 4" in out.getvalue()
    assert out.getvalue().rindex("set 3 of 4") > out.getvalue().rindex("set 2 of 4")


def test_plain_prints_each_thing_once_in_the_order_of_the_table() -> None:
    """Lines for pipes: the address first, then events and mishaps by table time, none twice."""
    out = io.StringIO()
    with Plain(out, ADDRESS) as plain:
        plain.show(view(board(), laid(1, 11), notes=(Note(12 * S, "West presses the pass button twice."),)))
        plain.show(
            view(
                board(),
                laid(1, 11),
                Happened(2, "passed", 75 * S, historical=True, body={"seat": 2}),
                notes=(Note(12 * S, "West presses the pass button twice."),),
            )
        )
    assert out.getvalue().splitlines() == [
        "The broker listens at 127.0.0.1 port 34567; watch it with",
        "    mosquitto_sub -h 127.0.0.1 -p 34567 -t 'gameline/v1/demo/#' -v",
        "  0:01  West lays 4-1 at the right end.",
        "  0:02  * West presses the pass button twice.",
        "  1:05  North passes. (told late)",
    ]


@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        ("domino_laid", {"seat": 0, "inner": 6, "outer": 6, "end": "first"}, "South lays 6-6 as the first move."),
        (
            "domino_laid",
            {"seat": 3, "inner": 2, "outer": 1, "end": "L", "is_fitting": False},
            "East lays 2-1 at the left end, which does not fit.",
        ),
        ("taken_back", {"tile": {"low": 1, "high": 2}}, "2-1 is back in its hand."),
        ("set_scored", {"by": "deadlock", "spots": [30, 30], "points": [0.5, 0.5]},
         "The set is over, deadlock, spots 30 : 30: ½ : ½."),
        ("game_ended", {"winner": "B", "points": [1.5, 2.5]}, "The game is over, 1½ : 2½: pair B wins."),
        ("redeal_unclaimed", {"seat": 2}, "North could have claimed a redeal; the result stands."),
        ("finding_ruled", {"decision": "confirm"}, "The referee rules: confirmed, the set is lost."),
        ("acknowledged", {}, None),
        ("something_of_a_later_version", {}, None),
    ],
)  # fmt: skip
def test_events_are_told_in_words(kind: str, body: dict[str, object], expected: str | None) -> None:
    """One sentence an event; what nobody would tell is not told, and what is not known either."""
    assert sentence(Happened(1, kind, body=body), NAMES) == expected


def test_points_show_halves_as_halves() -> None:
    """½ alone, 1½ with its whole part, 0 as 0."""
    assert [points((value, 0.0)) for value in (0.0, 0.5, 1.0, 2.5)] == ["0 : 0", "½ : 0", "1 : 0", "2½ : 0"]


def test_register_lists_every_set_with_its_total() -> None:
    """A line a set with the running total, the warnings and the winner; extra sets carry a plus."""
    results = (
        Result(1, "out", "A", (1.0, 0.0), None, 0, 25, 4),
        Result(2, "deadlock", "draw", (0.5, 0.5), (31, 31), 1, 20, 9),
        Result(5, "awarded:wrong_pass", "B", (0.0, 1.0), None, 2, 9, 3),
    )
    lines = register_lines(view(board(results=results, winner="A", points=(2.5, 1.5), phase="game_over")))
    assert lines[0] == "Score register    A: South + North    B: West + East"
    assert " ".join(lines[2].split()) == "1 South 25 4 went out - 1 : 0 1 : 0"
    assert " ".join(lines[3].split()) == "2 West 20 9 deadlock 31 : 31 ½ : ½ 1½ : ½"
    assert " ".join(lines[4].split()) == "5+ North 9 3 wrong pass (C6.1) - 0 : 1 1½ : 1½"
    assert lines[-2:] == ["Warnings  A 0, B 1", "Result    2½ : 1½, South + North win"]
    assert max(map(len, lines)) <= 80
