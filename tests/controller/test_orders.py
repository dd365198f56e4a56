"""Referee orders at the door: strict about form, age and repetition, each answered once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game import commands as cmd
from controller.game.commands import Decision
from controller.game.rulesets import Params
from controller.game.tiles import MonoNs, Seat
from controller.orders import ANSWERS_KEPT, FUTURE_S, MAX_TTL_S, ORDERS, Accepted, Answer, Door, Turned
from tests.controller.games import LOCKING_DEAL

NOW_MS = 1_700_000_000_000
T = MonoNs(77)
ARGUMENTS: dict[str, dict[str, Any]] = {
    "start_game": {"names": ["a", "b", "c", "d"], "sets": 8, "lead": 2},
    "start_set": {"lead": 3},
    "rule": {"finding": 4, "decision": "dismiss"},
    "count": {"hands": [[[t.high, t.low] for t in hand] for hand in LOCKING_DEAL]},
}
COMMANDS: dict[str, cmd.Command] = {
    "start_game": cmd.StartGame(T, ("a", "b", "c", "d"), Seat.S2, Params(sets_in_game=8)),
    "start_set": cmd.StartSet(T, Seat.S3),
    "rule": cmd.Rule(T, 4, Decision.DISMISS),
    "count": cmd.Count(T, LOCKING_DEAL),
    "confirm_count": cmd.ConfirmCount(T),
    "restart_set": cmd.RestartSet(T),
    "pause": cmd.Pause(T),
    "resume": cmd.Resume(T),
    "undo": cmd.Undo(T),
    "acknowledge": cmd.Acknowledge(T),
}


def door() -> Door:
    """A door whose wall clock stands."""
    return Door(params=Params(), wall_ms=lambda: NOW_MS)


def order(**changes: Any) -> dict[str, Any]:
    """A correct order without arguments, with changes; None takes a field away."""
    body = {"id": "o1", "sent_ms": NOW_MS - 1000, "by": "referee", "client": "tablet", **changes}
    return {key: value for key, value in body.items() if value is not None}


def came(name: str, body: object, *, at_door: Door | None = None, retained: bool = False) -> Accepted | Turned:
    """What the door says to a message."""
    payload = body if isinstance(body, bytes) else json.dumps(body).encode()
    return (at_door or door()).admit(name, payload, retained=retained, at=T)


def refused(name: str, body: object, *, retained: bool = False) -> Answer:
    """The answer to an order that is turned away."""
    turned = came(name, body, retained=retained)
    assert isinstance(turned, Turned), turned
    assert not turned.answer.accepted
    return turned.answer


def test_every_order_is_tried() -> None:
    """The tables above have each order there is."""
    assert set(COMMANDS) == set(ORDERS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_order_becomes_the_cores_command(name: str) -> None:
    """A correct order is let in as the command it names, with the address for its answer."""
    admitted = came(name, order(**ARGUMENTS.get(name, {})))
    assert admitted == Accepted("o1", "tablet", COMMANDS[name])


def test_order_may_leave_out_what_has_a_default() -> None:
    """Number of sets and lead come from the configuration, the lifetime is ten seconds."""
    admitted = came("start_game", order(names=["a", "b", "c", "d"]))
    assert isinstance(admitted, Accepted)
    assert admitted.command == cmd.StartGame(T, ("a", "b", "c", "d"), Seat.S0, Params())


def test_retained_order_is_refused() -> None:
    """An order kept by the broker may be of any age and is never carried out."""
    assert refused("pause", order(), retained=True).reason == "retained"


def test_unknown_name_is_refused_with_the_names_there_are() -> None:
    """An order that does not exist says which do."""
    answer = refused("shuffle", order())
    assert answer.reason == "unknown"
    assert answer.text is not None
    assert "acknowledge, confirm_count, count" in answer.text


@pytest.mark.parametrize(
    ("age_s", "ttl_s", "is_in"),
    [(9.999, None, True), (10.0, None, True), (10.001, None, False), (2.0, 1.5, False), (59.0, 60.0, True)],
)
def test_stale_order_is_refused(age_s: float, ttl_s: float | None, *, is_in: bool) -> None:
    """Older than its lifetime an order is not carried out any more."""
    body = order(sent_ms=NOW_MS - round(age_s * 1000), ttl_s=ttl_s)
    if is_in:
        assert isinstance(came("pause", body), Accepted)
    else:
        answer = refused("pause", body)
        assert answer.reason == "stale"
        assert answer.text is not None
        assert "send it again" in answer.text


def test_order_from_the_future_is_refused() -> None:
    """A little ahead is a clock like any other; a minute ahead its age means nothing."""
    assert isinstance(came("pause", order(sent_ms=NOW_MS + round(FUTURE_S * 1000))), Accepted)
    assert refused("pause", order(sent_ms=NOW_MS + round(FUTURE_S * 1000) + 1)).reason == "stale"


@pytest.mark.parametrize("ttl_s", [0, -1, MAX_TTL_S + 0.1])
def test_lifetime_out_of_range_is_refused(ttl_s: float) -> None:
    """An order cannot live for ever, nor for no time."""
    answer = refused("pause", order(ttl_s=ttl_s))
    assert answer.reason == "malformed"
    assert answer.text is not None
    assert answer.text.startswith("expected ttl_s above 0 and at most 60, got ")


@pytest.mark.parametrize(
    ("name", "body", "what"),
    [
        ("pause", order(id=None), "`id`"),
        ("pause", order(client=None), "`client`"),
        ("pause", order(by=None), "`by`"),
        ("pause", order(sent_ms=None), "`sent_ms`"),
        ("pause", order(sent_ms="now"), "$.sent_ms"),
        ("pause", order(sent_ms=10**400), "sent_ms"),
        ("start_game", order(names=["a", "b", "c", "d"], sets=10**400), "sets"),
        ("pause", order(force=True), "unknown field `force`"),
        ("start_game", order(names=["a", "b", "c"]), "$.names"),
        ("start_game", order(names=["a", "b", "c", "d"], sets=5), "multiple of 4"),
        ("start_game", order(names=["a", "b", "c", "d"], lead=4), "$.lead"),
        ("start_set", order(lead=-1), "$.lead"),
        ("rule", order(finding=1, decision="hang"), "$.decision"),
        ("rule", order(finding="1", decision="lost"), "$.finding"),
        ("count", order(hands=[[], [], []]), "$.hands"),
        ("count", order(hands=[[[7, 0]], [], [], []]), "got 7-0"),
        ("count", order(hands=[[[1]], [], [], []]), "$.hands"),
    ],
)
def test_malformed_order_is_refused_with_the_place(name: str, body: dict[str, Any], what: str) -> None:
    """A field missing, unknown, of the wrong type or out of range is named in the answer."""
    answer = refused(name, body)
    assert answer.reason == "malformed"
    assert answer.text is not None
    assert what in answer.text
    assert answer.id == body.get("id")


@pytest.mark.parametrize(
    "payload",
    [b"", b"null", b"[]", b"\xff", b'{"id": "\xff"}', b'{"id": 5}', b'{"id": "o1"', b'{"x":' * 100_000, b"[" * 100_000],
)
def test_payload_that_is_no_order_is_refused(payload: bytes) -> None:
    """Whatever bytes come, the door answers and stands."""
    assert refused("pause", payload).reason == "malformed"


def test_repeated_order_gets_its_first_answer_again() -> None:
    """The same order a second time does nothing: not even its age is looked at again."""
    at_door = door()
    first = Answer("o1", accepted=True, events=((5, "paused"),))
    admitted = came("pause", order(), at_door=at_door)
    assert isinstance(admitted, Accepted)
    at_door.remember(admitted, first)
    assert came("pause", order(sent_ms=0), at_door=at_door) == Turned("tablet", first)
    assert isinstance(came("pause", order(id="o2"), at_door=at_door), Accepted)
    assert isinstance(came("pause", order(client="console"), at_door=at_door), Accepted)


def test_refused_order_gets_its_refusal_again() -> None:
    """An order that the core refused stays refused, though it might be allowed now."""
    at_door = door()
    first = Answer("o1", accepted=False, reason="not_paused", text="nothing is paused")
    admitted = came("resume", order(), at_door=at_door)
    assert isinstance(admitted, Accepted)
    at_door.remember(admitted, first)
    assert came("resume", order(), at_door=at_door) == Turned("tablet", first)


def test_answers_are_remembered_in_bounds() -> None:
    """The oldest answer is forgotten when there are too many, the others are not."""
    at_door = door()
    for number in range(ANSWERS_KEPT + 1):
        admitted = came("pause", order(id=f"o{number}"), at_door=at_door)
        assert isinstance(admitted, Accepted)
        at_door.remember(admitted, Answer(f"o{number}", accepted=True))
    assert isinstance(came("pause", order(id="o0"), at_door=at_door), Accepted)
    assert isinstance(came("pause", order(id="o1"), at_door=at_door), Turned)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    name=st.sampled_from(sorted(ORDERS)),
    changes=st.dictionaries(
        st.sampled_from(["id", "sent_ms", "ttl_s", "by", "client", "names", "lead", "hands", "finding", "decision"]),
        JSON,
    ),
)
def test_no_order_breaks_the_door(name: str, changes: dict[str, Any]) -> None:
    """Any JSON in any field is let in or turned away, never an exception."""
    answer = came(name, {**order(**ARGUMENTS.get(name, {})), **changes})
    assert isinstance(answer, Accepted) or not answer.answer.accepted


@settings(max_examples=100, deadline=None, derandomize=True)
@given(payload=st.binary(max_size=40))
def test_no_bytes_break_the_door(payload: bytes) -> None:
    """Any bytes at all are turned away."""
    assert isinstance(came("pause", payload), Turned)
