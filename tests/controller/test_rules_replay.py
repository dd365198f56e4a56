"""What docs/rules.md says of sets and games played again by the chief referee, and of the register that is signed."""

from __future__ import annotations

import pytest

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.events import Reason
from controller.game.rulesets import Params, fours, spots
from controller.game.snapshot import snapshot
from controller.game.state import Phase
from controller.game.tiles import Pair, Seat
from controller.record.judge import judge
from controller.record.notation import format_record, parse_record
from controller.record.recording import record_of
from controller.register.files import read_register_json, register_csv, register_json
from controller.register.fold import register_of
from controller.register.register import CorrectionKind, Register, ReplayEntry, SignatureEntry
from controller.register.text import register_text
from controller.register.words import Language
from tests.controller.games import Table
from tests.controller.rule_table import CUP, begun, deal, entered, locked, opened, play, refused, warn

CHIEF = "Olga"


def filed(table: Table) -> Register:
    """The register of what has happened."""
    return register_of(table.happened, table="1", date="")


def said(table: Table) -> str:
    """Its text, in one line."""
    return " ".join(register_text(filed(table)).split())


def over(params: Params | None = None, *, cup: str = "") -> Table:
    """A game of four sets that pair A has won, all of them."""
    table = opened(params or fours(), cup=cup)
    for _ in range(4):
        locked(table, Pair.A)
    assert table.is_in(Phase.GAME_OVER)
    return table


def replay(table: Table, set_no: int | None = None, game: str | None = None) -> cmd.Replay:
    """The chief referee's word."""
    return cmd.Replay(table.now, set_no, game, "a hand fell open", CHIEF)


@pytest.mark.rule("16.16")
@pytest.mark.parametrize("params", [fours(), spots(sets_in_game=4)], ids=["fours", "spots"])
def test_rules_set_in_progress_is_played_again_by_the_chiefs_word(params: Params) -> None:
    """Nothing is registered, the same seat leads, the warning stays."""
    table = play(warn(begun(params, lead=Seat.S2), 0), "66 65R")
    table.do(replay(table))
    assert (table.state.phase, table.state.lead, entered(table)) == (Phase.BETWEEN, Seat.S2, 0)
    assert table.state.warnings_of(Pair.A) == 1
    assert filed(table).replays == (
        ReplayEntry(1, "a hand fell open", is_by_rule=False, is_chief=True, by=CHIEF, struck=None),
    )
    table.do(cmd.Undo(table.now))
    assert (table.state.phase, len(table.state.plies)) == (Phase.PLAY, 2)


@pytest.mark.rule("16.16")
def test_rules_set_registered_last_is_struck_out_and_played_again() -> None:
    """Its points go, its leader leads again, and what it comes to now is the result; undo brings the old one back."""
    table = locked(locked(opened(), Pair.A), Pair.B)
    assert (table.state.points, table.state.lead) == ((1, 1), Seat.S2)
    table.do(replay(table, 2))
    assert (table.state.points, table.state.lead, entered(table)) == ((1, 0), Seat.S1, 1)
    assert filed(table).replays[0].struck == (0, 1)
    assert "the result 0 : 1 is struck out; a hand fell open; by Olga, the chief referee" in said(table)
    locked(table, Pair.A)
    assert (table.state.points, [entry.points for entry in filed(table).sets]) == ((2, 0), [(1, 0), (1, 0)])
    for _ in range(12):
        table.do(cmd.Undo(table.now))
    assert isinstance(table.do(cmd.Undo(table.now)), ev.Undone)
    assert table.state.points == (1, 1)
    assert not filed(table).replays


@pytest.mark.rule("16.16")
def test_rules_last_set_of_a_game_is_played_again_and_the_result_leaves_the_ledger() -> None:
    """The game goes on; its old result is withdrawn, and the new one is the only one that stands."""
    table = over(cup=CUP)
    table.do(replay(table, 4))
    assert (table.state.phase, table.state.winner, table.state.ledger.games) == (Phase.BETWEEN, None, ())
    locked(table, Pair.B)
    assert [game.points for game in table.state.ledger.games] == [(3, 1)]
    assert filed(table).result == (3, 1)
    table = over(cup=CUP)
    table.do(replay(table, 4))
    table.do(cmd.Undo(table.now))
    assert [game.points for game in table.state.ledger.games] == [(4, 0)]


@pytest.mark.rule("16.16")
def test_rules_only_the_last_set_can_be_played_again_and_none_that_a_warning_decided() -> None:
    """An earlier set, one that there is not, one named while another is played, one lost by a second warning."""
    table = locked(locked(opened(), Pair.A), Pair.B)
    assert refused(table, replay(table)) is Reason.NO_SET
    assert refused(table, replay(table, 1)) is Reason.CANNOT_REPLAY
    assert refused(table, replay(table, 3)) is Reason.CANNOT_REPLAY
    deal(table)
    assert refused(table, replay(table, 2)) is Reason.CANNOT_REPLAY
    warn(table, 1, 3)
    assert entered(table) == 3
    assert refused(table, replay(table, 3)) is Reason.CANNOT_REPLAY
    deal(table)
    warn(table, 3)
    assert table.is_in(Phase.GAME_OVER)
    for word in (replay(table, 3), replay(table, None, "again")):
        assert refused(table, word) is Reason.CANNOT_REPLAY


@pytest.mark.rule("16.16")
def test_rules_written_game_with_a_set_played_again_is_judged_as_it_was_played() -> None:
    """The record of a table on which a registered set was struck out comes, by the rules, to the same points."""
    table = locked(locked(opened(), Pair.A), Pair.B)
    table.do(replay(table, 2))
    for winner in (Pair.A, Pair.A, Pair.A):
        locked(table, winner)
    table.do(replay(table, 4))
    locked(table, Pair.B)
    assert table.is_in(Phase.GAME_OVER)
    record = record_of(table.happened)
    judgement = judge(parse_record(format_record(record)))
    assert judgement.is_clean, judgement.verdicts
    assert (judgement.state.points, judgement.state.phase) == (table.state.points, Phase.GAME_OVER)


@pytest.mark.rule("16.17")
def test_rules_game_is_played_again_from_its_first_lead() -> None:
    """The same players and rules; no result of the old one stands, its warnings count on in the competition."""
    table = opened(fours(think_seconds=20), lead=Seat.S1, cup=CUP)
    for _ in range(3):
        locked(table, Pair.A)
    locked(table, Pair.A, warned=3)
    assert len(table.state.ledger.games) == 1
    assert refused(table, replay(table, None, "today")) is Reason.GAME_KNOWN
    table.do(replay(table, None, "again"))
    state = table.state
    assert (state.phase, state.lead, state.results, state.game) == (Phase.BETWEEN, Seat.S1, (), "again")
    assert (state.params.think_seconds, state.competition, state.ledger.games) == (20, CUP, ())
    assert (state.warnings_of(Pair.B), state.competition_warnings_of(Pair.B)) == (0, 1)
    register = filed(table)
    assert (register.game_id, register.sets, [entry.is_game for entry in register.replays]) == ("again", (), [True])
    assert "the whole game is played again; a hand fell open; by Olga, the chief referee" in register_text(register)
    table.do(cmd.Undo(table.now))
    assert [game.points for game in table.state.ledger.games] == [(4, 0)]


@pytest.mark.rule("17.8")
def test_rules_register_is_confirmed_by_the_pairs_and_the_referee() -> None:
    """Each once, when the game is over; state, text, page's words, CSV and JSON say who."""
    table = begun()
    assert refused(table, cmd.ConfirmRegister(table.now)) is Reason.GAME_RUNNING
    table = over()
    table.do(cmd.ConfirmRegister(table.now, Pair.B, "Eve"))
    table.do(cmd.ConfirmRegister(table.now, None, "Eve"))
    table.do(cmd.ConfirmRegister(table.now, None, CHIEF, is_chief=True))
    assert refused(table, cmd.ConfirmRegister(table.now, Pair.B, "Eve")) is Reason.ALREADY_SIGNED
    assert refused(table, cmd.ConfirmRegister(table.now, None, "Eve")) is Reason.ALREADY_SIGNED
    shown = [(view.signer, view.by) for view in snapshot(table.state, table.now).signatures]
    assert shown == [("B", "Eve"), ("referee", "Eve"), ("chief", CHIEF)]
    register = filed(table)
    assert register.signatures == (
        SignatureEntry(Pair.B, "Eve"),
        SignatureEntry(None, "Eve"),
        SignatureEntry(None, CHIEF, is_chief=True),
    )
    text = register_text(register)
    assert "Pair B: confirmed at the table, Eve" in text
    assert "Pair A: confirmed" not in text
    assert "Chief referee: confirmed at the table, Olga" in text
    assert "Пара B: подтверждено за столом, Eve" in register_text(register, Language.RU)
    assert "B referee chief_referee" in register_csv(register)
    assert read_register_json(register_json(register)) == register


@pytest.mark.rule("17.9")
def test_rules_signed_register_is_changed_by_nobody_but_the_chief_referee() -> None:
    """A pair's name still lets the referee go back; his own does not. The chief opens it again, and that is noted."""
    table = over()
    table.do(cmd.ConfirmRegister(table.now, Pair.A, "Eve"))
    table.do(cmd.Undo(table.now))
    assert table.state.signatures == ()
    table.do(cmd.ConfirmRegister(table.now, None, "Eve"))
    assert refused(table, cmd.Undo(table.now)) is Reason.REGISTER_SIGNED
    table.do(cmd.Undo(table.now, is_chief=True))
    assert not table.state.is_signed
    assert [entry.kind for entry in filed(table).corrections] == [CorrectionKind.SIGNATURE_UNDONE] * 2
    table.do(cmd.Undo(table.now))
    assert table.is_in(Phase.COUNT)
    table = over()
    table.do(cmd.ConfirmRegister(table.now, None, "Eve"))
    table.do(replay(table, 4))
    assert (table.state.phase, table.state.signatures, filed(table).signatures) == (Phase.BETWEEN, (), ())


@pytest.mark.rule("17.9")
def test_rules_signed_game_stays_signed_when_the_next_is_taken_back() -> None:
    """The next game may begin; when its beginning is taken back the last one is as signed as it was."""
    table = over()
    table.do(cmd.ConfirmRegister(table.now, None, "Eve"))
    table.do(cmd.StartGame(table.now, table.state.names, Seat.S0, fours()))
    assert table.state.signatures == ()
    table.do(cmd.Undo(table.now))
    assert table.state.is_signed
    assert filed(table).signatures == (SignatureEntry(None, "Eve"),)
