"""What each referee command may say, one strict schema each, and the core command it stands for; nothing is decided.

Halves, seats and lots that do not exist are let through to the core where it takes them: its refusal says more.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from controller import ledger_file
from controller.accounts import Role
from controller.game import commands as cmd
from controller.game.rulesets import Params, params_of, values_of
from controller.game.tiles import End, MonoNs, Pair, Seat, Tile
from controller.selftest import Asked

Count53 = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""A number that every JSON reader can hold."""
SeatNo = Annotated[int, msgspec.Meta(ge=0, le=3)]
Odd = Annotated[int, msgspec.Meta(ge=-99, le=99)]
"""A half or a seat as somebody says it, perhaps one that does not exist."""
Act = Annotated[int, msgspec.Meta(ge=1, le=999)]
"""A move or pass of this set, the first one being 1."""
SetNo = Annotated[int, msgspec.Meta(ge=1, le=999)]
NAME_LETTERS = 200
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=NAME_LETTERS)]
Text = Annotated[str, msgspec.Meta(max_length=400)]

Halves = tuple[int, int]
OddHalves = tuple[Odd, Odd]
Drawn = tuple[OddHalves, OddHalves, OddHalves, OddHalves]
Hand = tuple[Halves, ...]
Chosen = dict[str, Text | bool | float | Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]]
"""Parameters by their names, as they stand in the configuration."""


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every order carries."""

    topic: ClassVar[str]
    needs: ClassVar[Role] = Role.REFEREE
    """The least role that may give it, where there are accounts; `chief: true` takes the chief referee in any case."""
    examples: ClassVar[tuple[Mapping[str, Any], ...]] = ({},)
    """Its own fields, as they may be sent."""

    id: Name
    """Chosen by the sender, never used twice."""
    sent_ms: Count53
    """Unix time at the sender."""
    ttl_s: float = 10.0
    """Older than this it is not carried out any more."""
    by: Text
    client: Name
    """Where the answer goes: reply/<client>."""
    revision: Count53 | None = None
    """Of the state that the sender has before him: where it is another by now the order is refused."""

    def _own_name(self, table: str) -> str:
        """A name for what this order begins that no other order gives."""
        return f"{table}-{self.client}-{self.id}"

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command | Asked:
        raise NotImplementedError


class DrawSeats(Order, frozen=True, kw_only=True):
    """The players, or their pairs, have drawn for the seats."""

    topic = "draw_seats"
    examples = (
        {"pairs": [["Ann", "Cleo"], ["Bob", "Dan"]], "drawn": [[6, 4], [1, 0], [5, 5], [3, 2]]},
        {"pairs": [["Ann", "Cleo"], ["Bob", "Dan"]], "lots": [7, 3], "params": {"rule_set": "spots"}},
    )
    pairs: tuple[tuple[Name, Name], tuple[Name, Name]]
    drawn: Drawn | None = None
    """In the order of the players in `pairs`."""
    lots: tuple[Count53, Count53] | None = None
    params: Chosen = {}

    def __post_init__(self) -> None:
        if self.drawn is not None and self.lots is not None:
            raise ValueError("expected drawn or lots, got both: seats are drawn by dominoes or by lots")
        _check_players((*self.pairs[0], *self.pairs[1]))

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        (a, b), (c, d) = self.pairs
        pairs = ((_name(a), _name(b)), (_name(c), _name(d)))
        return cmd.DrawSeats(at, pairs, with_chosen(params, self.params), self.drawn, self.lots)


class StartGame(Order, frozen=True, kw_only=True):
    """Open a game."""

    topic = "start_game"
    examples = (
        {"names": ["Ann", "Bob", "Cleo", "Dan"], "sets": 8},
        {
            "competition": "Club Cup 2025",
            "game": "Cup, round 1, table 1",
            "params": {"lock_tie": "carry", "think_seconds": 20},
        },
    )
    names: tuple[Text, Text, Text, Text] | None = None
    """By seat; None: as the seats were drawn. An empty one is told as its seat."""
    sets: Annotated[int, msgspec.Meta(ge=1, le=400)] | None = None
    lead: SeatNo | None = None
    """None: seat 0, or as it was drawn."""
    abandon: bool = False
    """Give up a game in progress for this one."""
    competition: Annotated[str, msgspec.Meta(max_length=200)] = ""
    """Warnings count on from its earlier games."""
    game: Name | None = None
    """Never used twice in a competition; None: named for the table and this order."""
    params: Chosen = {}

    def __post_init__(self) -> None:
        if self.names is None and self.lead is not None:
            raise ValueError("expected names beside lead, got lead alone: leave it out, it was drawn with the seats")
        if self.competition and self.names is not None:
            _check_players(self.names)
        if self.sets is not None and "sets_in_game" in self.params:
            raise ValueError("expected sets or params.sets_in_game, got both: leave one of them out")

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        chosen = with_chosen(params, self.params)
        if self.sets is not None:
            chosen = replace(chosen, sets_in_game=self.sets)
        game = self._own_name(table) if self.game is None else self.game
        names = None
        if self.names is not None:
            south, west, north, east = map(_name, self.names)
            names = (south, west, north, east)
        lead = Seat(self.lead or 0)
        return cmd.StartGame(at, names, lead, chosen, self.abandon, _name(self.competition), _name(game))


class DrawLead(Order, frozen=True, kw_only=True):
    """Each seat has drawn a domino for the lead of the next set."""

    topic = "draw_lead"
    examples = ({"drawn": [[6, 4], [1, 0], [5, 5], [3, 2]]},)
    drawn: Drawn

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.DrawLead(at, self.drawn)


class StartSet(Order, frozen=True, kw_only=True):
    """The dominoes are dealt."""

    topic = "start_set"
    lead: SeatNo | None = None

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.StartSet(at, None if self.lead is None else Seat(self.lead))


class Lay(Order, frozen=True, kw_only=True):
    """A domino was laid that the camera has not told: it can't see it, or another seat than the one on turn laid it."""

    topic = "lay"
    examples = ({"tile": [5, 4], "end": "R"}, {"tile": [4, 4], "end": "L", "seat": 2})
    tile: OddHalves
    """The half at the joint first; of the first domino the left half."""
    end: Literal["first", "L", "R"]
    seat: Odd | None = None
    """None: the seat on turn."""

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.LayDomino(at, *self.tile, End(self.end), self.seat)


class AdoptLine(Order, frozen=True, kw_only=True):
    """The line is taken over as it lies: the camera has not seen how it came about."""

    topic = "adopt_line"
    examples = ({"first": [6, 6]},)
    first: OddHalves | None = None
    """The domino that was led; None: nobody says."""

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.AdoptLine(at, self.first, self.by)


class VoicePass(Order, frozen=True, kw_only=True):
    """A player passed by word or gesture, without his button."""

    topic = "voice_pass"
    examples = ({"seat": 2},)
    seat: Odd

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.Pass(at, self.seat, by_voice=True)


class TimeClaim(Order, frozen=True, kw_only=True):
    """A player points at a rival's long thinking."""

    topic = "time_claim"
    examples = ({"seat": 1},)
    seat: Odd

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.ClaimTime(at, self.seat)


class Redeal(Order, frozen=True, kw_only=True):
    """A player claims a redeal; without `hand` he shows his dominoes to the camera."""

    topic = "redeal"
    examples = ({"seat": 3}, {"seat": 3, "hand": [[6, 0], [6, 1], [6, 2], [6, 3], [6, 4], [6, 5], [2, 1]]})
    seat: Odd
    hand: Hand | None = None

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.ClaimRedeal(at, self.seat, None if self.hand is None else _hand(self.hand))


class Expose(Order, frozen=True, kw_only=True):
    """A domino was seen in a hand."""

    topic = "expose"
    examples = ({"seat": 1, "tile": [5, 3]},)
    seat: Odd
    tile: Halves
    in_last_set: bool = False
    """It was the hand of the set that was registered last."""

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.Expose(at, self.seat, Tile.of(*self.tile), self.by, self.in_last_set)


class Show(Order, frozen=True, kw_only=True):
    """Dominoes of a hand laid open that the camera can't read."""

    topic = "show"
    examples = ({"seat": 2, "tiles": [[5, 0], [4, 4]]},)
    seat: Odd
    tiles: Hand

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.Show(at, self.seat, _hand(self.tiles), self.by)


class Warn(Order, frozen=True, kw_only=True):
    """Warn a player, or a pair."""

    topic = "warn"
    examples = ({"seat": 0, "reason": "talk"}, {"pair": "B", "reason": "signs"})
    seat: Odd | None = None
    pair: Literal["A", "B"] | None = None
    """Where nobody says which of the pair it was."""
    reason: Text

    def __post_init__(self) -> None:
        if (self.seat is None) is (self.pair is None):
            got = "neither" if self.seat is None else "both"
            raise ValueError(f"expected seat or pair, got {got}: name the player, or else the pair")

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.Warn(at, self.seat, self.reason, self.by, None if self.pair is None else Pair(self.pair))


class Rule(Order, frozen=True, kw_only=True):
    """Decide on a finding."""

    topic = "rule"
    examples = ({"finding": 4, "decision": "continue"}, {"finding": 5, "decision": "restart", "chief": True})
    finding: Count53
    decision: Literal["continue", "restart", "lost", "confirm", "dismiss"]
    chief: bool = False
    """The chief referee says so."""

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.Rule(at, self.finding, cmd.Decision(self.decision), self.by, self.chief)


class Reveal(Order, frozen=True, kw_only=True):
    """All hands are laid open in the middle of a set."""

    topic = "reveal"

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.OrderReveal(at, self.by)


class Count(Order, frozen=True, kw_only=True):
    """Enter the four hands."""

    topic = "count"
    examples = ({"hands": [[[6, 3], [5, 0]], [[1, 1]], [], [[4, 2], [2, 2]]]},)
    hands: tuple[Hand, Hand, Hand, Hand]

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.Count(at, tuple(_hand(hand) for hand in self.hands), self.by)


class ConfirmCount(Order, frozen=True, kw_only=True):
    """The hands the camera has read are right."""

    topic = "confirm_count"

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.ConfirmCount(at, self.by)


class RestartSet(Order, frozen=True, kw_only=True):
    """The set is played again with the same lead."""

    topic = "restart_set"
    examples = ({"reason": "a hand fell open", "chief": True},)
    reason: Text = ""
    chief: bool = False
    """The chief referee says so."""

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.RestartSet(at, self.reason, self.by, self.chief)


class Replay(Order, frozen=True, kw_only=True):
    """The chief referee has a set, or the whole game, played again."""

    topic = "replay"
    examples = (
        {"reason": "a hand fell open"},
        {"set_no": 3, "reason": "a hand fell open"},
        {"whole_game": True, "game": "Cup, round 1, table 1, again"},
    )
    needs = Role.CHIEF
    set_no: SetNo | None = None
    """The set registered last; None: the one in progress."""
    whole_game: bool = False
    game: Name | None = None
    """The game's new name; None: named for the table and this order."""
    reason: Text = ""

    def __post_init__(self) -> None:
        if self.whole_game and self.set_no is not None:
            raise ValueError("expected set_no or whole_game, got both: say what is played again")
        if self.game is not None and not self.whole_game:
            raise ValueError("expected whole_game beside game, got game alone: a set needs no name")

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        named = self._own_name(table) if self.game is None else _name(self.game)
        return cmd.Replay(at, self.set_no, named if self.whole_game else None, self.reason, self.by)


class ConfirmRegister(Order, frozen=True, kw_only=True):
    """The register of the game that is over is right: a pair, or the referee, signs it."""

    topic = "confirm_register"
    examples = ({}, {"pair": "A"}, {"chief": True})
    pair: Literal["A", "B"] | None = None
    """None: the referee."""
    chief: bool = False
    """The chief referee signs."""

    def __post_init__(self) -> None:
        if self.chief and self.pair is not None:
            raise ValueError("expected pair or chief, got both: each signs by himself")

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.ConfirmRegister(at, None if self.pair is None else Pair(self.pair), self.by, self.chief)


class Attribute(Order, frozen=True, kw_only=True):
    """A move was another seat's: those in between have passed by voice."""

    topic = "attribute"
    examples = ({"act": 12, "seat": 3},)
    act: Act
    seat: Odd

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.Attribute(at, self.act - 1, self.seat, self.by)


class Correct(Order, frozen=True, kw_only=True):
    """A move was another domino, or lies the other way round."""

    topic = "correct"
    examples = ({"act": 12, "tile": [3, 5]},)
    act: Act
    tile: OddHalves
    """The half at the joint first; of the first move the left one."""

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.Correct(at, self.act - 1, *self.tile, self.by)


class MergeLedger(Order, frozen=True, kw_only=True):
    """Warnings of the competition's other tables are counted here too."""

    topic = "merge_ledger"
    examples = (
        {
            "ledger": {
                "gameline": "ledger",
                "version": 1,
                "competition": "Club Cup 2025",
                "entries": [],
                "withdrawn": [],
                "games": [],
            }
        },
    )
    ledger: msgspec.Raw
    """What stands in a ledger's file."""

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.MergeLedger(at, ledger_file.decoded(bytes(self.ledger), competition=None, where="ledger"))


class Pause(Order, frozen=True, kw_only=True):
    """Stop the clock."""

    topic = "pause"

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.Pause(at)


class Resume(Order, frozen=True, kw_only=True):
    """Go on."""

    topic = "resume"

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.Resume(at)


class Undo(Order, frozen=True, kw_only=True):
    """Take the last act back."""

    topic = "undo"
    examples = ({}, {"chief": True})
    chief: bool = False
    """The chief referee says so: a register that is signed is opened again."""

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.Undo(at, self.chief)


class Redo(Order, frozen=True, kw_only=True):
    """What was taken back last stands again."""

    topic = "redo"

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.Redo(at)


class Mute(Order, frozen=True, kw_only=True):
    """No sound from the buzzer; the referee's lamp tells all the same."""

    topic = "mute"
    examples = ({}, {"seconds": 600})
    seconds: Annotated[float, msgspec.Meta(gt=0, le=86_400)] | None = None
    """None: until `unmute`."""

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.Mute(at, self.seconds, self.by)


class Unmute(Order, frozen=True, kw_only=True):
    """The buzzer may sound again."""

    topic = "unmute"

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.Unmute(at, self.by)


class Acknowledge(Order, frozen=True, kw_only=True):
    """Silence the buzzer."""

    topic = "acknowledge"

    def _command(self, at: MonoNs, params: Params, table: str) -> cmd.Command:
        return cmd.Acknowledge(at)


class SelfTest(Order, frozen=True, kw_only=True):
    """Try every button, lamp and the rest of the table; only while no game is played."""

    topic = "selftest"
    examples = ({}, {"sound": True}, {"stop": True})
    stop: bool = False
    """End the one that is running, with its report so far."""
    sound: bool = False
    """The buzzer may sound in its quiet hours."""

    def _command(self, at: MonoNs, params: Params, table: str) -> Asked:
        return Asked(self.by, is_end=self.stop, with_sound=self.sound)


def command_of(order: Order, at: MonoNs, *, params: Params, table: str) -> cmd.Command | Asked:
    """The core's command for an order that came at `at`, or what is wanted of the self-test.

    Args:
        order: what the referee wants.
        at: when it came.
        params: the configured parameters of a game.
        table: the table's name, for a game that is not named.

    Raises:
        ValueError: a domino, parameter or ledger that does not exist.
    """
    return order._command(at, params, table)


def with_chosen(configured: Params, chosen: Mapping[str, Any]) -> Params:
    """The configured parameters with those chosen for one game; with another rule set its defaults take their place.

    Raises:
        ValueError: a parameter that does not exist, a value it cannot have.
    """
    if not chosen:
        return configured
    own = configured.rule_set.value
    base = values_of(configured) if chosen.get("rule_set", own) == own else {}
    return params_of({**base, **chosen})


def _hand(dominoes: Hand) -> tuple[Tile, ...]:
    return tuple(Tile.of(a, b) for a, b in dominoes)


def _name(text: str) -> str:
    """A name as it is kept: one player is one name, however it was typed. ValueError for what cannot be read out."""
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not name.isprintable():
        raise ValueError(f"expected a name of letters that can be read, got {text!r}: type it again")
    return name


def _check_players(names: tuple[str, ...]) -> None:
    """Warnings are booked to names: four of them, and no two the same."""
    if len({_name(name) for name in names} - {""}) < len(names):
        raise ValueError(f"expected four different names, got {', '.join(map(repr, names))}: tell the players apart")
