"""Written records at random, every kind of entry and odd names among them, for the tests of both forms."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from controller.game.commands import Decision
from controller.game.events import Ending, FindingKind
from controller.game.rulesets import LockTie, NextLead, Params, WrongDominoAlert, fours, spots
from controller.game.tiles import End, Pair, Seat
from controller.record import entries as en
from controller.record.entries import Again, Entry
from controller.record.record import Record, SetMark, SetRecord

MANY = 50_000
"""Of whatever may come as often as it likes: reading it must take no longer than its length."""

ODD_TEXTS = (
    "",
    " ",
    "Ann",
    "talk",
    "set",
    "act",
    'Ann "the Lock" Lee',
    "back\\slash\\",
    "Вера Смирнова",
    "two\nlines\r\n",
    "tab\there",
    " blanks at both ends  ",
    "a  b   c",
    "{braces} in } it {",
    "\ufeffno\u00a0break\u2028\u200d",
    "\0\x1b\x7f\x85",
    "🁡🁢 dominoes",
    "word " * 60,
    "w" * 300,
    " " * 200,
    "\\" * 150,
)
texts = st.sampled_from(ODD_TEXTS) | st.text(st.characters(exclude_categories=["Cs"]), max_size=40)

seats = st.integers(0, 3) | st.integers(-99, 99)
halves = st.integers(0, 6) | st.integers(-99, 99)
tiles = st.tuples(halves, halves)
hands = st.lists(tiles, max_size=28).map(tuple) | st.lists(tiles, max_size=2).map(tuple)
times = st.none() | st.integers(0, 60_000) | st.integers(0, 10**9 - 1)
points = st.tuples(*[st.integers(-19998, 19998).map(lambda half_points: half_points / 2)] * 2)
pairs = st.tuples(st.integers(-9999, 9999), st.integers(-9999, 9999))

laid = st.builds(
    en.Laid,
    halves,
    halves,
    st.sampled_from(End),
    st.none() | seats,
    is_marked_wrong=st.booleans(),
    think_ms=times,
    t_ms=times,
)
skipped = st.builds(en.Skipped, st.none() | seats, st.booleans(), times, times)


def entries_about(acts: int) -> dict[type, st.SearchStrategy[Any]]:
    """Every kind of entry where so many moves and passes may be spoken of; those that need one are left out without."""
    act = st.integers(0, acts)
    findings, decisions = st.sampled_from(FindingKind), st.none() | st.sampled_from(Decision)
    kinds: dict[type, st.SearchStrategy[Any]] = {
        en.Laid: laid,
        en.Skipped: skipped,
        en.Shown: st.builds(en.Shown, st.tuples(*[st.none() | hands] * 4), texts, times),
        en.CountWaived: st.builds(en.CountWaived, texts, times),
        en.Warned: st.builds(en.Warned, seats, texts, texts, times)
        | st.builds(en.Warned, st.none(), texts, texts, times, st.sampled_from(Pair)),
        en.Ruled: st.builds(en.Ruled, findings, act, decisions, texts, st.booleans(), times),
        en.Restarted: st.builds(
            en.Restarted, st.sampled_from(Again), texts, act, st.none() | seats, texts, st.booleans(), times
        ),
        en.RevealOrdered: st.builds(en.RevealOrdered, texts, times),
        en.TimeClaimed: st.builds(en.TimeClaimed, seats, times, times),
        en.RedealClaimed: st.builds(en.RedealClaimed, seats, st.none() | hands, times, times),
        en.ExposedTile: st.builds(en.ExposedTile, seats, tiles, st.booleans(), texts, times),
        en.TakenBackAct: st.builds(en.TakenBackAct, times),
        en.LeadDrawn: st.builds(en.LeadDrawn, seats, times),
        en.DominoesDrawn: st.builds(en.DominoesDrawn, st.tuples(tiles, tiles, tiles, tiles), times),
        en.Paused: st.builds(en.Paused, times, times),
        en.Resumed: st.builds(en.Resumed, times),
        en.Called: st.builds(en.Called, seats, times),
        en.Note: st.builds(en.Note, texts, times),
    }
    if acts:
        kinds[en.Attributed] = st.builds(en.Attributed, st.integers(1, acts), seats, texts, times)
        kinds[en.Corrected] = st.builds(en.Corrected, st.integers(1, acts), halves, halves, texts, times)
    return kinds


def _marks(acts: int) -> st.SearchStrategy[Entry]:
    """Everything but moves and passes."""
    return st.one_of([made for kind, made in entries_about(acts).items() if kind not in (en.Laid, en.Skipped)])


_BETWEEN = [_marks(acts) for acts in range(13)]


@st.composite
def _entries(draw: st.DrawFn) -> tuple[Entry, ...]:
    """The entries of a set."""
    entries: list[Entry] = []
    acts = 0
    for is_act in draw(st.lists(st.booleans(), max_size=12)):
        entries.append(draw(laid | skipped if is_act else _BETWEEN[acts]))
        acts += is_act
    return tuple(entries)


params = st.builds(
    lambda make, chosen: make(**chosen),
    st.sampled_from([fours, spots]),
    st.fixed_dictionaries(
        {},
        optional={
            "version": texts,
            "sets_in_game": st.sampled_from([4, 8, 400]),
            "next_lead": st.sampled_from(NextLead),
            "lock_tie": st.sampled_from(LockTie),
            "think_seconds": st.floats(1, 600),
            "pass_retract_seconds": st.floats(0, 15),
            "wrong_domino_alert": st.sampled_from(WrongDominoAlert),
            "fines_stack": st.booleans(),
            "lone_blank_value": st.integers(0, 100),
        },
    ),
)
tag_names = st.sampled_from(["Event", "Site", "Date", "Game", "Table", "Round", "Referee", "X_1", "N" + "n" * 39])


@st.composite
def records(draw: st.DrawFn) -> Record:
    """A whole record."""
    sets: list[SetRecord] = []
    acts = 0
    for _ in range(draw(st.integers(0, 3))):
        before = draw(st.lists(_BETWEEN[acts], max_size=2))
        played = SetRecord(
            draw(st.integers(1, 9999)),
            draw(st.none() | st.sampled_from(Seat)),
            tuple(before),
            draw(_entries()),
            draw(st.none() | st.builds(SetMark, st.sampled_from(Ending), points, st.none() | pairs)),
        )
        sets.append(played)
        acts = played.acts
    return Record(
        lead=draw(st.sampled_from(Seat)),
        params=draw(params),
        names=draw(st.tuples(texts, texts, texts, texts)),
        tags=tuple(draw(st.dictionaries(tag_names, texts, max_size=4)).items()),
        warned=draw(st.tuples(st.integers(0, 999), st.integers(0, 999))),
        sets=tuple(sets),
        after=tuple(draw(st.lists(_BETWEEN[acts], max_size=2))),
        result=draw(st.none() | points),
    )


SIMPLE = Record(lead=Seat.S0, params=Params())
"""A record that says as little as one can."""


def with_entries(*entries: Entry) -> Record:
    """A record of one set in which these happened, and nothing else."""
    return replace(SIMPLE, sets=(SetRecord(1, entries=entries),))


@st.composite
def slipped(draw: st.DrawFn, text: str, words: st.SearchStrategy[str]) -> str:
    """A written record with a few characters missing, added or changed, as by a slip of who wrote it."""
    for _ in range(draw(st.integers(1, 3))):
        begin = draw(st.integers(0, len(text)))
        end = begin + draw(st.integers(0, 3))
        text = text[:begin] + draw(words | st.characters() | st.just("")) + text[end:]
    return text
