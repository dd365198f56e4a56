"""What the journal's events are called at the table, one sentence each, for screen and log; nothing is drawn here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from controller.demo.scoreboard import Happened, Result, tile_in

ENDINGS = {
    "out": "went out",
    "deadlock": "deadlock",
    "awarded:wrong_pass": "wrong pass (C6.1)",
    "awarded:wrong_domino": "wrong domino (C7.2)",
    "awarded:second_warning": "second warning (C8.2)",
    "awarded:third_warning": "third warning (C8.3)",
    "awarded:fourth_warning": "fourth warning (C8.4, R10)",
    "awarded:removed": "fifth warning (R10)",
}
DECISIONS = {
    "continue": "the domino goes back, play continues",
    "restart": "the set is played again",
    "lost": "the set is lost",
    "confirm": "confirmed, the set is lost",
    "dismiss": "dismissed",
}
PLACES = {"first": "as the first move", "L": "at the left end", "R": "at the right end"}

Body = dict[str, Any]
Words = Callable[[Body, Callable[[str], str]], str]
"""An event's body and its seat's name by the key it is under, to a sentence."""


def sentence(happened: Happened, names: Sequence[str]) -> str | None:
    """The event as somebody at the table would tell it; None for one that nobody would."""
    words = _WORDS.get(happened.type)
    if words is None:
        return None
    said = words(happened.body, lambda key: seat_name(happened.body.get(key), names))
    return f"{said} (told late)" if happened.historical else said


def seat_name(seat: object, names: Sequence[str]) -> str:
    """The name at a seat, its number where there is none."""
    if isinstance(seat, int) and 0 <= seat < len(names) and names[seat]:
        return names[seat]
    return "nobody" if seat is None else f"seat {seat}"


def points(values: Sequence[float]) -> str:
    """Points of both pairs, A first, with halves as halves."""
    return " : ".join(_point(value) for value in values)


def ending(result: Result) -> str:
    """How a set ended."""
    return ENDINGS.get(result.by, result.by)


def _point(value: float) -> str:
    whole, half = int(value), value % 1 == 0.5
    return f"{whole or ''}½" if half else f"{value:g}"


def _laid(body: Body, name: Callable[[str], str]) -> str:
    inner, outer = body.get("inner"), body.get("outer")
    fits = "" if body.get("is_fitting", True) else ", which does not fit"
    return f"{name('seat')} lays {inner}-{outer} {PLACES.get(str(body.get('end')), '')}{fits}."


def _scored(body: Body, _: Callable[[str], str]) -> str:
    how = ENDINGS.get(str(body.get("by")), str(body.get("by")))
    spots = body.get("spots")
    counted = f", spots {spots[0]} : {spots[1]}" if spots else ""
    return f"The set is over, {how}{counted}: {points(body.get('points') or (0, 0))}."


def _ended(body: Body, _: Callable[[str], str]) -> str:
    winner = body.get("winner")
    who = "a draw" if winner == "draw" else f"pair {winner} wins"
    return f"The game is over, {points(body.get('points') or (0, 0))}: {who}."


def _started(body: Body, _: Callable[[str], str]) -> str:
    names = body.get("names") or ["", "", "", ""]
    return f"The game begins: {names[0]} and {names[2]} against {names[1]} and {names[3]}."


def _warned(body: Body, name: Callable[[str], str]) -> str:
    whose = f"{name('seat')}'s pair" if body.get("seat") is not None else f"Pair {body.get('pair')}"
    return f"{whose} is warned: {body.get('reason')}."


def _said(text: str) -> Words:
    return lambda _body, _name: text


_WORDS: dict[str, Words] = {
    "game_started": _started,
    "set_started": lambda body, name: f"Set {body.get('set_no')} begins, {name('lead')} has the first move.",
    "domino_laid": _laid,
    "passed": lambda _, name: f"{name('seat')} passes.",
    "refused": lambda body, _: f"Refused: {body.get('text')}.",
    "finding_raised": lambda body, _: f"For the referee: {body.get('text')}",
    "finding_ruled": lambda body, _: f"The referee rules: {DECISIONS.get(str(body.get('decision')), '')}.",
    "warning_given": _warned,
    "went_out": lambda _, name: f"{name('seat')} lays the last domino and is out.",
    "locked": lambda body, _: f"The line is locked with {body.get('suit')} at both ends: the hands are counted.",
    "hands_awaited": lambda body, _: str(body.get("text") or "All hands lie open."),
    "hands_shown": _said("The camera has read the four open hands."),
    "hands_counted": _said("The hands are counted."),
    "redeal_unclaimed": lambda _, name: f"{name('seat')} could have claimed a redeal; the result stands.",
    "set_scored": _scored,
    "set_annulled": _said("The set is played again with the same lead."),
    "game_ended": _ended,
    "time_exceeded": lambda _, name: f"{name('seat')} thinks longer than allowed.",
    "referee_called": lambda _, name: f"{name('seat')} calls the referee.",
    "paused": _said("The referee stops the clock."),
    "resumed": _said("The referee lets play go on."),
    "sync_lost": lambda body, _: f"Look at the table: {body.get('text')}",
    "sync_found": _said("Table and scoreboard agree again."),
    "taken_back": lambda body, _: f"{tile_in(body.get('tile')) or 'The domino'} is back in its hand.",
    "table_cleared": _said("The table is swept clean."),
    "camera_lost": lambda body, _: f"The camera sees nothing: {body.get('reason')}",
    "camera_regained": _said("The camera sees the table again."),
    "restarted": _said("The program was started again."),
    "undone": _said("The referee takes the last act back."),
    "redone": _said("What was taken back stands again."),
    "muted": _said("The referee mutes the buzzer."),
    "unmuted": _said("The buzzer may sound again."),
}
