"""The one loop: everything comes in by one inbox, is decided, committed to the journal, and only then shown.

Threads at the edges only `submit`. Everything else here is called from the loop's own thread alone.
"""

from __future__ import annotations

import contextlib
import logging
import queue
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import msgspec

from controller.accounts import Role
from controller.codec import body_of, event_of, type_name
from controller.faults import Trouble, told
from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.clocks import NS_PER_S
from controller.game.decide import decide
from controller.game.evolve import evolve, evolve_all
from controller.game.panel import Flash, Sound, panel
from controller.game.paragraphs import PARAGRAPHS
from controller.game.rulesets import Params
from controller.game.seen import Sighting, Stills
from controller.game.snapshot import snapshot
from controller.game.state import Halt, Phase, State
from controller.game.tiles import MonoNs, Seat
from controller.health import CODES, Health, Part
from controller.inbox import (
    Ailing,
    Blind,
    FrameTaken,
    HandOver,
    Item,
    LookTaken,
    Missing,
    OrderCame,
    Outlet,
    PictureRead,
    PressLike,
    Seats,
    Seen,
    Sighted,
    ThreadDied,
    Wake,
    Witness,
)
from controller.journal import Answered, Draft, Entry, Journal, JournalError
from controller.journal_watch import JournalWatch
from controller.messages import Heartbeat, Meta
from controller.mqtt import CommandMessage
from controller.numbers import Numbers
from controller.orders import Accepted, Answer, Door
from controller.selftest import Asked
from controller.selftest_desk import Desk

TICK_S = 0.02
"""Longest sleep of the loop: what follows from time alone, a hold or the limit, is never later."""
BATCH = 64
"""Most items in one round: a slow card must not let frames pile up, nor a flood keep the lamps waiting."""
RETRY_NS = NS_PER_S
"""How often a sighting that could not be committed is tried again."""
SETTLING_NS = 1_500_000_000
"""After a hand has left, a changed table has been read within this time; then nothing more is coming."""
PLAY_ON = (
    "Play this game to its end and write its score down first, for it is right and goes on, but no restart would find "
    "it again."
)
CLOCK_UNSET = (
    "the wall clock has not been set from the network: times in the journal may be wrong, thinking times are not"
)
PASS, CALL, CLAIM = 0, 1500, 3000
"""A button's held_ms: a short press passes, one held 1.5 s calls the referee or claims time, one held 3 s a redeal."""
ONE_HOLD_NS = 2 * NS_PER_S
"""A hold of 3 s has been told at 1.5 s as well; two holds of one finger are further apart."""
ACKNOWLEDGE_BUTTON = 4


class Dead(RuntimeError):
    """A part the service cannot live without has ended; systemd starts it again."""


class Engine:
    """The loop with the state of the game in its hands.

    What came before there was a loop is in `waiting`, which becomes its inbox; None: nothing can have come.
    `other_troubles` are looked for once a second, and told under the part that their code belongs to.
    """

    def __init__(
        self,
        *,
        journal: Journal,
        seats: Seats,
        outlet: Outlet,
        params: Params,
        table: str,
        clock_ns: Callable[[], int],
        wall_ms: Callable[[], int],
        stale_s: float,
        clock_synchronised: Callable[[], bool],
        temperature_c: Callable[[], float | None],
        is_quiet: Callable[[], bool],
        version: str,
        desk: Desk,
        logger: logging.Logger,
        witness: Witness | None = None,
        journal_watch: JournalWatch | None = None,
        accounts: Mapping[str, Role] = {},
        memory_bytes: Callable[[], int | None] = lambda: None,
        show_numbers: Callable[[Heartbeat], None] = lambda beat: None,
        waiting: queue.Queue[Item] | None = None,
        other_troubles: Callable[[], Iterable[Trouble]] = lambda: (),
    ) -> None:
        self._other_troubles = other_troubles
        self._witness = witness
        self._desk = desk
        self._journal = journal
        self._journal_watch = journal_watch
        self._seats = seats
        self._outlet = outlet
        self._clock_ns = clock_ns
        self._stale_ns = round(stale_s * NS_PER_S)
        self._clock_synchronised = clock_synchronised
        self._temperature_c = temperature_c
        self._memory_bytes = memory_bytes
        self._show_numbers = show_numbers
        self._numbers = Numbers()
        self._health = Health(clock_ns=clock_ns, logger=logger)
        self._sound: tuple[int, int] = Sound()  # as it was shown last
        self._is_quiet = is_quiet
        self._meta = Meta(version, table, params)
        self._log = logger
        self._door = Door(params=params, table=table, wall_ms=wall_ms, accounts=accounts)
        self._inbox: queue.Queue[Item] = waiting if waiting is not None else queue.Queue()
        self._storage_trouble: Trouble | None = None
        self._unread_trouble: Trouble | None = None
        self._broker_trouble: Trouble | None = None  # as health tells it
        self._unkept_since: MonoNs | None = None
        self._seen: Seen | None = None
        self._seen_before_at: MonoNs | None = None
        self._agreed: Sighting | None = None
        self._unwritten: Seen | None = None
        self._retry_ns = 0
        self._last_frame_ns: int | None = None
        self._frame_heard_ns = clock_ns()  # a frame is told after it was read: how long that took is no silence
        self._blind: dict[Missing, str] = {}
        self._ailing: dict[str, str] = {}
        self._is_hand_in = False
        self._hand_left_ns: int | None = None
        self._held_presses: list[PressLike] = []
        self._held_orders: list[tuple[OrderCame, Accepted, cmd.Pass]] = []
        self._called_ns: dict[Seat, int] = {}
        self._flash: Flash | None = None  # the newest, as the state has it
        self._flash_began = MonoNs(0)
        self._shown_mark: tuple[int, str | None] | None = None
        self._shown_health: bytes | None = None
        self._beat_ns = 0
        self.state = State()

    # --- called from any thread ---

    def submit(self, item: Item) -> None:
        """Put something into the inbox; never blocks."""
        self._inbox.put(item)

    @property
    def is_idle(self) -> bool:
        """Whether everything submitted so far has been dealt with and shown."""
        return self._inbox.unfinished_tasks == 0

    @property
    def storage_trouble(self) -> str | None:
        """Why nothing can be kept, if so."""
        return self._storage_trouble.text if self._storage_trouble is not None else None

    # --- the loop ---

    def begin(self) -> None:
        """Rebuild the state from the journal; a set that was in progress goes on with its clock paused."""
        self._door.recall(self._journal.answers())
        kept = (event_of(entry.type, entry.body) for entry in self._journal.entries())
        self.state = evolve_all(self.state, kept)
        self._flash = panel(self.state).answer  # of a press before the start; it has been seen
        if self.state.revision:
            self._decide(cmd.Restart(self._now()))
        self._outlet.show_meta(msgspec.json.encode(self._meta))
        self._desk.begin()
        self._show()

    def run(self, *, is_stopped: Callable[[], bool], alive: Callable[[], None]) -> None:
        """Until `is_stopped`; `alive` is called on every round, so that a watchdog is fed only by a living loop.

        Raises:
            Dead: a thread that must not end has ended.
        """
        while not is_stopped():
            self.turn(timeout_s=TICK_S)
            alive()

    def turn(self, *, timeout_s: float) -> None:
        """One round: what is in the inbox, the seats, the time; then everything is shown."""
        try:
            item = self._inbox.get(timeout=timeout_s) if timeout_s else self._inbox.get_nowait()
        except queue.Empty:
            self._round()
            return
        taken = 1
        try:
            self._take(item)
            while taken < BATCH and not self._inbox.empty():
                taken += 1
                self._take(self._inbox.get_nowait())
            self._round()
        finally:
            for _ in range(taken):
                self._inbox.task_done()

    def _round(self) -> None:
        for press in self._seats.presses(self._clock_ns()):
            if self._desk.is_running:
                self._desk.press(press, self._clock_ns())
            else:
                if self._witness is not None:
                    self._witness.pressed(press)
                self._press(press)
        self._test()
        self._release_passes()
        if self._storage_trouble is None:
            self._watch_camera()
            self._tick()
        else:
            self._retry()
        self._show()

    def _test(self) -> None:
        """A turn of the self-test, as long as one is running and no game is."""
        if self._desk.is_running:
            blind = next(iter(self._blind.values()), None)
            faults, noise = self._seats.faults(), self._seats.noise()
            if self._is_game_on():
                self._desk.stop("a game was started")
            self._desk.turn(self._clock_ns(), faults=faults, noise=noise, camera_trouble=blind)

    def _is_game_on(self) -> bool:
        return self.state.phase not in (Phase.IDLE, Phase.GAME_OVER)

    def _now(self) -> MonoNs:
        return MonoNs(self._clock_ns())

    def _take(self, item: Item) -> None:
        match item:
            case Seen():
                self._see(item)
            case FrameTaken():
                self._last_frame_ns, self._frame_heard_ns = item.at, self._clock_ns()
                self._numbers.frames += 1
                self._desk.frame(item.at, self._clock_ns())
            case PictureRead():
                self._numbers.reads.add(item.seconds)
            case LookTaken():
                self._desk.looked(item.look, self._clock_ns())
            case Blind():
                self._blind[item.missing] = item.reason
            case Sighted():
                self._blind.pop(item.missing, None)
            case Ailing():
                self._ail(item)
            case HandOver():
                self._is_hand_in = item.is_in
                self._hand_left_ns = None if item.is_in else item.at
            case OrderCame():
                self._order(item)
            case ThreadDied():
                raise Dead(f"the {item.name} thread has ended: {item.reason}")
            case Wake():
                pass

    def _ail(self, item: Ailing) -> None:
        """Something wrong with the camera's picture: for the technician alone, play goes on."""
        if item.text is None:
            self._ailing.pop(item.code, None)
        else:
            self._ailing[item.code] = item.text

    # --- deciding ---

    def _decide(self, command: cmd.Command, order: Accepted | None = None) -> tuple[Entry, ...] | None:
        """Decide, commit, and only then believe it; () where nothing happened, None where nothing could be written.

        The answer to an order is committed with what the order has caused: whenever the process dies, the same order
        that comes again is either new or known.
        """
        happened = decide(self.state, command)
        if not happened and order is None:
            return ()
        drafts = [Draft(type_name(type(event)), event.at, body_of(event)) for event in happened]
        began_ns = self._clock_ns()
        try:
            entries = self._journal.append(drafts, None if order is None else partial(_answered, order))
        except JournalError as error:
            self._storage_trouble = Trouble(error.code, str(error))
            if self._unkept_since is None:
                self._unkept_since = self._now()
            return None
        self._numbers.commits.add((self._clock_ns() - began_ns) / NS_PER_S)
        self._numbers.events.update(entry.type for entry in entries)
        self._believe(entries, happened)
        if isinstance(command, cmd.See):  # who passed between two moves that came to rest together waits no more
            counted = {event.seat for event in happened if isinstance(event, ev.Passed)}
            self._held_presses = [press for press in self._held_presses if press.button not in counted]
        if isinstance(command, cmd.AdoptLine) and happened and _is_granted(happened):
            self._agreed = command.sighting
        if self._storage_trouble is not None:
            self._recover()
        if not isinstance(command, cmd.See | cmd.Tick) and self._seen is not None:
            # What lies on the table may mean something else now: a pause is over, a domino has to go back.
            self._decide(self._sight(self._seen, rest_at=None))
        return entries

    def _believe(self, entries: Sequence[Entry], happened: Sequence[ev.Event]) -> None:
        """The state after what was committed, and a witness told of it, with what the referee is buzzed for."""
        alerts: list[Entry] = []
        for entry, event in zip(entries, happened, strict=True):
            before, self.state = self.state, evolve(self.state, event)
            alert = self.state.alert
            if alert is not None and alert != before.alert and alert.at == event.at:  # not one that undo brought back
                alerts.append(entry)
                about = {"sequence": entry.sequence, "event": entry.type}
                self._log.info("the referee is buzzed: %s", alert.text or alert.kind.value, extra=about)
        if self._witness is not None:
            self._witness.happened(entries, alerts)

    def _sight(self, seen: Seen, *, rest_at: MonoNs | None) -> cmd.See:
        stills = Stills(self._seen_before_at, seen.rest_at)
        passed = tuple(Seat(press.button) for press in self._held_presses)
        return cmd.See(self._now(), seen.sighting, rest_at, seen.arm, stills, self._agreed, passed)

    def _see(self, seen: Seen) -> None:
        if self._seen is not None and seen.rest_at != self._seen.rest_at:  # a better look is no other scene
            self._seen_before_at = self._seen.rest_at
        self._seen = seen
        self._is_hand_in, self._hand_left_ns = False, None
        self._decide(self._sight(seen, rest_at=seen.rest_at))
        if self._storage_trouble is None and not self.state.halts - {Halt.TAKE_BACK}:
            self._agreed = seen.sighting
        self._unwritten = seen if self._storage_trouble is not None else None

    def _retry(self) -> None:
        """With the disk full a move cannot be believed; it still lies there, so it is tried again until it can.

        Meanwhile time decides nothing: a move that lay in time must not come after the time it is late by.
        """
        now = self._clock_ns()
        if now - self._retry_ns < RETRY_NS:
            return
        self._retry_ns = now
        try:
            self._journal.set_cursor("probe", self._journal.last_sequence)
        except JournalError as error:
            self._storage_trouble = Trouble(error.code, str(error))
            return
        if self._unwritten is not None:
            self._see(self._unwritten)
        if self._storage_trouble is not None:
            self._recover()

    def _recover(self) -> None:
        """The journal takes entries again: nobody is charged for the time in between."""
        assert self._unkept_since is not None, "storage trouble has a beginning"
        self._storage_trouble = None
        if self._decide(cmd.RegainStorage(self._now(), self._unkept_since)):
            self._unkept_since = None

    def _tick(self) -> None:
        """While a move is still being read nobody is late yet: it may have come to rest in time."""
        lag_ns = SETTLING_NS if self._is_move_coming() else 0
        self._decide(cmd.Tick(MonoNs(self._clock_ns() - lag_ns)))

    def _press(self, press: PressLike) -> None:
        at = MonoNs(max(press.at_ns, self.state.last_at))  # the finger was down before what has been decided since
        if press.button == ACKNOWLEDGE_BUTTON:
            if press.held_ms == PASS:
                self._decide(cmd.Acknowledge(at))
            return
        seat = Seat(press.button)
        if press.held_ms == CALL:
            self._call(cmd.ClaimTime(at, seat), press)
        elif press.held_ms == CLAIM:
            self._call(cmd.ClaimRedeal(at, seat), press)
        elif press.held_ms == PASS:
            if self._is_ahead(seat):
                self._held_presses.append(press)
            else:
                self._decide(cmd.Pass(at, seat))

    def _call(self, claim: cmd.ClaimTime | cmd.ClaimRedeal, press: PressLike) -> None:
        """A held button is what can be claimed at this moment; where nothing can, it calls the referee, once a hold.

        Time is claimed while a rival is over it, and as long as his slow move is the last: he may have laid it while
        the button went down.
        """
        seat = Seat(press.button)
        if _is_granted(decide(self.state, claim)):
            self._decide(claim)
        elif press.held_ms == CALL or press.at_ns - self._called_ns.get(seat, -ONE_HOLD_NS) >= ONE_HOLD_NS:
            self._decide(cmd.CallReferee(claim.at, seat))
        self._called_ns[seat] = press.at_ns

    def _is_move_coming(self) -> bool:
        """A hand is over the table, or has just left it and is not read yet; not while nothing can be seen."""
        if self.state.camera_trouble is not None:
            return False
        left = self._hand_left_ns
        return self._is_hand_in or (left is not None and self._clock_ns() - left < SETTLING_NS)

    def _is_ahead(self, seat: int) -> bool:
        """Whether `seat` passes before the move in front of him has been read: his word waits for it, not he."""
        return self._is_move_coming() and self.state.turn is not None and seat == self.state.turn.next

    def _release_passes(self) -> None:
        """What has waited for a move to be read, pressed or entered by the referee."""
        if self._is_move_coming():
            return
        presses, self._held_presses = self._held_presses, []
        orders, self._held_orders = self._held_orders, []
        for press in presses:
            self._press(press)
        for order, admitted, word in orders:
            # It was said before what has been decided since, as a press is.
            late = replace(word, at=max(word.at, self.state.last_at))
            self._carry_out(order, admitted, late)

    def _watch_camera(self) -> None:
        """The clock stops while nothing can be seen."""
        trouble = next(iter(self._blindness()), None)
        if trouble is not None and self.state.camera_trouble is None:
            self._decide(cmd.LoseCamera(self._now(), trouble.text))
        elif trouble is None and self.state.camera_trouble is not None and self._last_frame_ns is not None:
            self._decide(cmd.RegainCamera(self._now()))

    def _blindness(self) -> list[Trouble]:
        """Why nothing can be seen; a camera that has fallen silent is as bad as one that says it sees nothing."""
        if self._blind:
            codes: dict[Missing, str] = {"frames": "camera_no_frames", "sight": "camera_cannot_see"}
            return [Trouble(codes[missing], reason) for missing, reason in self._blind.items()]
        if self._clock_ns() - self._frame_heard_ns > self._stale_ns:
            silent = f"the camera has given no frame for more than {self._stale_ns / NS_PER_S:g} s: check its cable"
            return [Trouble("camera_silent", f"{silent}, or restart the service")]
        if self.state.camera_trouble is not None and self._last_frame_ns is None:  # of before the start
            return [Trouble("camera_silent", self.state.camera_trouble)]
        return []

    def _order(self, order: OrderCame) -> None:
        message = order.message
        if self._witness is not None:
            self._witness.ordered(message)
        at = MonoNs(message.mono_ns)
        admitted = self._door.admit(
            message.name,
            message.payload,
            retained=message.retained,
            at=at,
            revision=self.state.revision,
            account=message.account,
        )
        if not isinstance(admitted, Accepted):
            if admitted.client is None:  # nobody can be told, so the technician is
                self._log.warning("an order on cmd/%s was turned away: %s", message.name, admitted.answer.text)
            self._send(message, admitted.answer, admitted.client)
            return
        command = admitted.command
        if isinstance(command, Asked):
            refusal = self._desk.ask(command, self._clock_ns(), is_game_on=self._is_game_on())
            reason, text = refusal or (None, None)
            self._reply(message, admitted, Answer(admitted.id, accepted=refusal is None, reason=reason, text=text))
            return
        if any((held.client, held.id) == (admitted.client, admitted.id) for _, held, _ in self._held_orders):
            return  # the same again while it waits: it is answered when it is carried out
        if isinstance(command, cmd.Pass) and self._is_ahead(command.seat):
            self._held_orders.append((order, admitted, command))
            return
        self._carry_out(order, admitted, command)

    def _carry_out(self, order: OrderCame, admitted: Accepted, command: cmd.Command) -> None:
        message = order.message
        if isinstance(command, cmd.AdoptLine) and self._seen is not None:
            command = replace(command, sighting=self._seen.sighting, before=self._agreed)
        # No game begins on a damaged journal: mending it costs none now, and of this one no record could be made.
        harm = self._harm() if isinstance(command, cmd.StartGame) else None
        entries = self._decide(command, admitted) if harm is None else None
        if entries is None:
            answer = Answer(
                admitted.id,
                accepted=False,
                reason="storage",
                text=harm.text if harm is not None else self.storage_trouble,
            )
            self._send(message, answer, admitted.client)
            return
        answer = _answer(admitted.id, entries)
        self._door.remember(admitted.client, admitted.id, answer)
        self._send(message, answer, admitted.client)

    def _reply(self, message: CommandMessage, order: Accepted, answer: Answer) -> None:
        """Answer an order that the core has no part in."""
        with contextlib.suppress(JournalError):  # it is said aloud by what a game has to write
            self._journal.append((), lambda _: _kept(order, answer))
        self._door.remember(order.client, order.id, answer)
        self._send(message, answer, order.client)

    def _send(self, message: CommandMessage, answer: Answer, client: str | None) -> None:
        """Send an answer, and count it."""
        if answer.accepted:
            self._numbers.orders_accepted += 1
        else:
            self._numbers.orders_refused[answer.reason or "unknown"] += 1
        self._outlet.reply(message, msgspec.json.encode(answer), client=client)

    # --- showing ---

    def _show(self) -> None:
        """Lamps, buzzer, scoreboard, events, health and heartbeat, each from the state and what is so right now."""
        now = self._now()
        if self._outlet.trouble != self._broker_trouble:
            self._show_health()
        self._pump()  # first of all: a move is on its way while its scoreboard is made
        shown = replace(self.state, storage_trouble=self.storage_trouble)
        sound: tuple[int, int]
        if (test := self._desk.showing) is not None:
            sound = test.sound
            self._seats.show(test.seats, answer=test.answer, referee=test.referee, sound=sound)
        else:
            signs = panel(shown)
            # Asked only where something would sound: the hour of the day is no business of every round.
            is_mute = signs.sound != Sound() and self._is_quiet()
            sound = Sound() if is_mute else signs.sound
            self._seats.show(signs.seats, answer=self._begun(signs.answer, now), referee=signs.referee, sound=sound)
        if sound != self._sound:
            self._sound = sound
            self._numbers.buzzes += sound != Sound()
        mark = (self.state.revision, self.storage_trouble)
        if mark != self._shown_mark:
            self._shown_mark = mark
            self._outlet.show_state(msgspec.json.encode(snapshot(shown, now)))
        if not self._outlet.alive:
            raise Dead("the network thread has ended: no message can leave any more")
        if now - self._beat_ns >= NS_PER_S:
            self._beat_ns = now
            if self._journal_watch is not None:
                self._journal_watch.turn(is_at_rest=not self.state.clock.is_running)
            self._show_health()
            beat = self._heartbeat(now)
            self._outlet.heartbeat(msgspec.json.encode(beat))
            self._show_numbers(beat)

    def _pump(self) -> None:
        """Have events leave; one that the journal does not give back stays with all after it, and play goes on."""
        try:
            self._outlet.pump(self._journal)
        except JournalError as error:
            self._unread_trouble = Trouble(error.code, str(error))
        else:
            self._unread_trouble = None

    def _harm(self) -> Trouble | None:
        """What has become of the journal's file, though it takes what is written."""
        watched = self._journal_watch.trouble if self._journal_watch is not None else None
        harm = watched or self._unread_trouble
        return harm if harm is None or not self._is_game_on() else replace(harm, text=f"{PLAY_ON} {harm.text}")

    def _begun(self, flash: Flash | None, now: MonoNs) -> Flash | None:
        """The answer to a press, from the moment on when it is first shown: the finger may have been there for long.

        One that an undo brings back, or that is older than this start, has been seen.
        """
        newest = self._flash
        if flash is not None and flash != newest and (newest is None or flash.at >= newest.at):
            self._flash, self._flash_began = flash, now
            newest = flash
        return flash._replace(at=self._flash_began) if flash is not None and flash == newest else flash

    def _show_health(self) -> None:
        self._broker_trouble = self._outlet.trouble
        unset = [] if self._clock_synchronised() else [Trouble("clock_unset", CLOCK_UNSET)]
        ailing = [Trouble(code, text) for code, text in self._ailing.items()]
        found: dict[Part, list[Trouble]] = {
            "camera": self._blindness() or ailing,
            "disk": _those(self._storage_trouble or self._harm()),
            "broker": _those(self._broker_trouble),
            "clock": unset,
            "record": [*self._witness.troubles()] if self._witness is not None else [],
            "seats": [
                Trouble(fault.code, f"{place}: {told([fault])}", place)
                for place, faults in self._seats.faults().items()
                for fault in faults
            ],
        }
        for trouble in self._other_troubles():
            found[CODES[trouble.code].part].append(trouble)
        payload = msgspec.json.encode(self._health.look(found))
        if payload != self._shown_health:
            self._shown_health = payload
            self._outlet.show_health(payload)

    def _heartbeat(self, now: MonoNs) -> Heartbeat:
        clock = self.state.clock
        frame_age_ms = None if self._last_frame_ns is None else (now - self._last_frame_ns) // 1_000_000
        return Heartbeat(
            revision=self.state.revision,
            sequence=self._journal.last_sequence,
            mono_ns=now,
            boot_id=self._journal.boot_id,
            frame_age_ms=frame_age_ms,
            seconds_left=clock.seconds_left(now) if self.state.phase is Phase.PLAY else None,
            running=clock.is_running,
            clock_synchronised=self._clock_synchronised(),
            temperature_c=self._temperature_c(),
            numbers=self._numbers.told(
                unsent=self._journal.last_sequence - self._outlet.acknowledged,
                faults=self._health.codes,
                false_presses=dict(self._seats.noise()),
                line_errors=dict(self._seats.line_errors()),
                memory_bytes=self._memory_bytes(),
            ),
        )


def _answered(order: Accepted, entries: Sequence[Entry]) -> Answered:
    """The answer to an order by what it has caused, as the journal keeps it."""
    return _kept(order, _answer(order.id, entries))


def _kept(order: Accepted, answer: Answer) -> Answered:
    return Answered(order.client, order.id, msgspec.json.encode(answer).decode())


def _answer(order_id: str, entries: Sequence[Entry]) -> Answer:
    if entries and entries[0].type == type_name(ev.Refused):
        body = entries[0].body
        rule = PARAGRAPHS[ev.Reason(body["reason"])]
        return Answer(order_id, accepted=False, reason=body["reason"], text=body["text"], rule=rule)
    return Answer(order_id, accepted=True, events=tuple((entry.sequence, entry.type) for entry in entries))


def _is_granted(happened: Sequence[ev.Event]) -> bool:
    """Whether a claim is one: not refused, and no time claim that is noted for nothing."""
    return not any(
        isinstance(event, ev.Refused) or (isinstance(event, ev.TimeClaimed) and event.reason is not None)
        for event in happened
    )


def _those(trouble: Trouble | None) -> list[Trouble]:
    return [] if trouble is None else [trouble]
