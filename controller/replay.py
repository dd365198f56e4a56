"""A recording run again through today's code: which events come out the same, which differ, are missing or are new.

Each clip begins with the game as its events tell it had come to be, so that one misreading is told where it happens and
not again in every clip after it. Frames become sightings by the eyes that are handed in; the rest is the real loop,
with the recorded presses, orders and clock.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from controller import engine as en
from controller import inbox
from controller.accounts import Role
from controller.faults import Faults, Trouble
from controller.game.evolve import evolve_all
from controller.game.rulesets import Params
from controller.game.state import State
from controller.journal import Journal
from controller.mqtt import CommandMessage
from controller.recording import HEAD, Clip, Event, Input, Picture, RecordingError, Session, damaged
from controller.replay_changes import Change, Outcome, compare
from controller.selftest_checks import CameraWanted, Measured
from controller.selftest_desk import Desk
from controller.selftest_guide import Setting

STEP_NS: Final = round(en.TICK_S * 1e9)
LOOKS: Final = 6
"""The scene that had settled when a clip began is shown so often before its first frame: it has settled again then."""
LOOK_NS: Final = 200_000_000
UNLIMITED_S: Final = 1e6
"""Where the recorder left frames out the camera has not fallen silent."""
RESTARTED: Final = "restarted"
"""How a session on a game in progress begins: no frame and no person causes it, it belongs to what was before."""
NOT_PLAYED: Final = frozenset({RESTARTED, "storage_lost", "storage_regained"})
"""Events that no frame and no person causes."""

Eyes = Callable[[Picture, int], Iterable[inbox.Item]]
"""What is seen in a picture that is shown at this time, in the loop's words; raises RecordingError."""


def replay(
    recorded: Sequence[Session],
    *,
    eyes: Callable[[Session], Eyes],
    progress: Callable[[int, int], None] = lambda done, total: None,
    logger: logging.Logger,
) -> Outcome:
    """Run every clip again.

    Args:
        recorded: the sessions.
        eyes: fresh eyes for a clip of a session: they remember nothing.
        progress: called with clips done and clips there are.
        logger: told what the loop has to say.

    Raises:
        RecordingError: something in it is damaged.
    """
    total = sum(len(session.clips) for session in recorded)
    changes: list[Change] = []
    done = same = dropped = 0
    for session in recorded:
        params = _params(session)
        state, known = State(), 0
        for clip in session.clips:
            before = [event for event in session.events if known < event.sequence <= clip.after]
            state = evolve_all(state, (event.told() for event in before))
            known = max(known, clip.after)
            during = session.during(clip)
            begun = evolve_all(state, (event.told() for event in during[:1] if event.type == RESTARTED))
            came = _run(session, clip, begun, params, eyes(session), logger)
            was = [event for event in during if event.type not in NOT_PLAYED]
            alike, differing = compare(clip.name, was, came)
            same, dropped, done = same + alike, dropped + clip.dropped, done + 1
            changes += differing
            progress(done, total)
    return Outcome(total, same, tuple(changes), dropped)


class _Time:
    """The recorded clock; it never runs back behind what has been decided."""

    def __init__(self, at_least_ns: int) -> None:
        self.now_ns = self._least_ns = at_least_ns

    def __call__(self) -> int:
        return self.now_ns

    def come_to(self, at_ns: int) -> None:
        self.now_ns = max(self._least_ns, at_ns)


class _Seats:
    """The seats as the recording has them: presses come, signs go nowhere."""

    def __init__(self) -> None:
        self.waiting: list[_Press] = []

    def presses(self, now_ns: int) -> Sequence[inbox.PressLike]:
        waiting, self.waiting = self.waiting, []
        return waiting

    def show(
        self,
        seats: Sequence[tuple[int, int, int]],
        *,
        answer: tuple[int, int, int] | None,
        referee: int,
        sound: tuple[int, int],
    ) -> None:
        """Nobody looks."""

    def faults(self) -> Faults:
        return {}

    def noise(self) -> Mapping[str, int]:
        return {}

    def line_errors(self) -> Mapping[str, int]:
        return {}


@dataclass(frozen=True, slots=True)
class _Press:
    button: int
    held_ms: int
    at_ns: int


class _Nowhere:
    """A broker that takes everything and says nothing."""

    trouble: Trouble | None = None
    acknowledged = 0
    alive = True

    def show_meta(self, payload: bytes) -> None: ...

    def show_state(self, payload: bytes) -> None: ...

    def show_health(self, payload: bytes) -> None: ...

    def show_selftest(self, payload: bytes) -> None: ...

    def heartbeat(self, payload: bytes) -> None: ...

    def pump(self, journal: Journal) -> None: ...

    def reply(self, message: CommandMessage, payload: bytes, *, client: str | None = None) -> bool:
        return False


def _run(session: Session, clip: Clip, state: State, params: Params, eyes: Eyes, logger: logging.Logger) -> list[Event]:
    """The events that come out of a clip."""
    moments: list[tuple[int, Picture | Input]] = [*_shown(clip), *((given.mono_ns, given) for given in clip.inputs)]
    moments.sort(key=lambda moment: moment[0])
    if not moments:
        return []
    time = _Time(int(state.last_at))
    time.come_to(moments[0][0] - STEP_NS)
    seats = _Seats()
    with (
        tempfile.TemporaryDirectory(prefix="gameline-replay-") as place,
        Journal(
            Path(place) / "journal.sqlite", boot_id="replay", wall_utc=lambda: "", clock_synchronised=lambda: True
        ) as journal,
    ):
        engine = _engine(session, clip, params, journal, seats, time, logger)
        engine.state = state
        for at_ns, what in moments:
            _pass(engine, time, at_ns)
            if isinstance(what, Picture):
                for item in eyes(what, at_ns):
                    engine.submit(item)
            else:
                _give(engine, seats, what)
            engine.turn(timeout_s=0)
        _pass(engine, time, clip.until_ns or moments[-1][0])
        return [Event(entry.sequence, entry.type, entry.body) for entry in journal.entries()]


def _shown(clip: Clip) -> Iterator[tuple[int, Picture]]:
    """The pictures with the times they are shown at, the settled scene a few times before the first of them."""
    if clip.scene is not None:
        first_ns = clip.pictures[0].mono_ns if clip.pictures else clip.scene.mono_ns
        for number in range(LOOKS, 0, -1):
            yield first_ns - number * LOOK_NS, clip.scene
    for picture in clip.pictures:
        yield picture.mono_ns, picture


def _pass(engine: en.Engine, time: _Time, at_ns: int) -> None:
    """Let time pass, as the loop sees it pass."""
    while time.now_ns + STEP_NS < at_ns:
        time.come_to(time.now_ns + STEP_NS)
        engine.turn(timeout_s=0)
    time.come_to(max(at_ns, time.now_ns))


def _give(engine: en.Engine, seats: _Seats, given: Input) -> None:
    """Put an input where it came in."""
    fields = given.fields
    try:
        if given.kind == "press":
            seats.waiting.append(_Press(int(fields["button"]), int(fields["held_ms"]), given.mono_ns))
        elif given.kind == "order" and fields["name"] != "selftest":
            payload = str(fields["payload"]).encode()
            retained = bool(fields["retained"])
            name, account = str(fields["name"]), fields.get("account")
            message = CommandMessage(name, payload, retained, None, None, None, given.mono_ns, account)
            engine.submit(inbox.OrderCame(message))
        elif given.kind == "blind":
            engine.submit(inbox.Blind(fields["missing"], str(fields["reason"])))
        elif given.kind == "sighted":
            engine.submit(inbox.Sighted(fields["missing"]))
    except (KeyError, TypeError, ValueError) as error:
        raise RecordingError(
            f"expected an input as the recorder writes it, got {given}: its clip is damaged"
        ) from error


def _engine(
    session: Session, clip: Clip, params: Params, journal: Journal, seats: _Seats, time: _Time, logger: logging.Logger
) -> en.Engine:
    """The real loop, with nobody at its edges."""
    setting = Setting(
        table="",
        version="",
        lamps=lambda: ("leds",) * 4,
        camera=CameraWanted("folder", (0, 0), 0.0, 0.0, is_live=False),
        measure=lambda: Measured(None, True, "", None, "", None, None),
        wall=lambda: "",
    )
    try:
        stale_s, name = float(session.head["stale_s"]), str(session.head["name"])
        accounts = msgspec.convert(session.head.get("accounts", {}), dict[str, Role])
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(session.folder / HEAD, error) from error
    return en.Engine(
        journal=journal,
        seats=seats,
        outlet=_Nowhere(),
        params=params,
        table=name,
        clock_ns=time,
        wall_ms=lambda: time.now_ns // 1_000_000 + clip.wall_ms_at_0,
        stale_s=stale_s if not clip.dropped else UNLIMITED_S,
        clock_synchronised=lambda: True,
        temperature_c=lambda: None,
        is_quiet=lambda: True,
        version="",
        desk=Desk(setting=setting, publish=lambda payload: None, ask_look=lambda: None, is_quiet=lambda: True),
        logger=logger,
        accounts=accounts,
    )


def _params(session: Session) -> Params:
    try:
        return msgspec.convert(session.head["rules"], Params, strict=True)
    except (KeyError, msgspec.ValidationError) as error:
        raise damaged(session.folder / HEAD, error) from error
