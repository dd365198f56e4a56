"""Both ends of the talk joined in memory by a line that loses, doubles and damages."""

import random
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.board_clock import BoardClock
from firmware_bridge.framing import frame
from firmware_bridge.messages import HelloReply, Pressed, Shown, encode
from firmware_bridge.session import Press, Session, Signs, State
from firmware_bridge.wire import BUTTONS, PROTOCOL
from tests.firmware_bridge.fake_board import FakeBoard

MS = 1_000_000
LIT = Signs(((6, 0, 0),) * 4, referee=14)
STEP_NS = 5 * MS


def counted(number: int) -> Signs:
    """Signs that are told from those of another number."""
    return Signs(((number, 0, 0),) * 4, referee=number)


@dataclass
class Line:
    """The host's session and a board, joined by wires that treat each piece as *weather* says."""

    board: FakeBoard
    weather: float = 0.0  # the share of pieces that is lost, doubled or damaged
    by_byte: bool = False
    cut: bool = False
    seed: int = 1
    now_ns: int = 50 * MS
    session: Session = field(default_factory=Session)
    presses: list[Press] = field(default_factory=list)
    news: list[str] = field(default_factory=list)
    written: int = 0

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self.session.opened(self.now_ns)

    def lit(self, signs: Signs) -> bool:
        """Whether the board says just this now."""
        shown = self.board.shown
        if shown is None:
            return False
        seats = [sign for sign, _, _ in shown.seats]
        return (seats, shown.referee) == ([sign for sign, _, _ in signs.seats], signs.referee)

    def state(self) -> State:
        """Where the talk stands now."""
        return self.session.state

    def run(self, ms: int) -> None:
        """Let this much time pass."""
        end_ns = self.now_ns + ms * MS
        while self.now_ns < end_ns:
            actions = self.session.advance(self.now_ns)
            self.presses += actions.presses
            self.news += actions.news
            self.written += bool(actions.write)
            for piece in self._carried(actions.write):
                self.board.receive(piece, self.now_ns)
            self.now_ns += STEP_NS
            for piece in self._carried(self.board.send(self.now_ns - STEP_NS // 2)):
                self.session.received(piece, self.now_ns)

    def _carried(self, data: bytes) -> list[bytes]:
        if self.cut or not data:
            return []
        if self._random.random() < self.weather:
            kind = self._random.choice(("lose", "double", "damage"))
            if kind == "lose":
                return []
            if kind == "double":
                return [data, data]
            damaged = bytearray(data)
            damaged[self._random.randrange(len(damaged))] ^= 1 << self._random.randrange(8)
            data = bytes(damaged)
        return [bytes((byte,)) for byte in data] if self.by_byte else [data]


def joined(*, boot: int = 7, ticks_at_zero_ms: int = 1000, **how: float) -> Line:
    """A line that has got through the greeting."""
    line = Line(FakeBoard(boot=boot, ticks_at_zero_ms=ticks_at_zero_ms), **how)  # type: ignore[arg-type]
    line.run(100)
    assert line.state() is State.READY
    return line


def test_levels_asked_for_before_the_greeting_are_shown_after_it() -> None:
    """Nothing is sent to a board that has not said who it is, and nothing is forgotten."""
    line = Line(FakeBoard(), cut=True)
    line.session.show(LIT)
    line.run(3000)
    assert line.state() is State.GREETING
    assert "does not answer" in (line.session.trouble or "")
    assert line.board.shows_heard == 0
    line.cut = False
    line.run(600)
    assert line.state() is State.READY
    assert line.lit(LIT)
    assert line.session.trouble is None


def test_hello_is_repeated_for_ever() -> None:
    """A board that is plugged in an hour later is found without a restart."""
    line = Line(FakeBoard(), cut=True)
    line.run(60_000)
    assert 110 <= line.written <= 130
    line.cut = False
    line.run(600)
    assert line.state() is State.READY


def test_show_is_quiet_once_acknowledged_and_repeated_twice_a_second() -> None:
    """The line carries little when nothing changes, but never falls silent."""
    line = joined()
    line.session.show(LIT)
    line.run(200)
    heard = line.board.shows_heard
    line.run(10_000)
    assert 19 <= line.board.shows_heard - heard <= 21


def test_show_stays_quiet_when_its_numbers_run_over() -> None:
    """A lamp that does not change for minutes costs two Shows a second all the time."""
    line = joined()
    line.run(200_000)
    assert 395 <= line.board.shows_heard <= 405


def test_show_that_is_lost_is_sent_again_until_acknowledged() -> None:
    """A lamp is late by a tenth of a second, not dark."""
    line = joined()
    line.cut = True
    line.session.show(LIT)
    line.run(300)
    assert not line.lit(LIT)
    line.cut = False
    line.run(150)
    assert line.lit(LIT)


def test_acknowledgement_of_older_levels_does_not_count_for_newer() -> None:
    """An answer that was on its way when the levels changed leaves the new ones to be sent again."""
    line = joined()
    line.session.show(LIT)
    line.run(20)
    number = line.session._number
    line.cut = True
    line.session.show(Signs())
    line.run(50)
    late = Shown(number, 7, line.board.ticks_ms(line.now_ns), 0, 0, (0,) * BUTTONS)
    line.session.received(frame(encode(late)), line.now_ns)
    line.cut = False
    line.run(150)
    assert line.lit(Signs())


def test_levels_that_change_at_every_step_do_not_flood_the_line() -> None:
    """At most fifty Shows a second."""
    line = joined()
    before = line.written
    for number in range(200):
        line.session.show(counted(number))
        line.run(5)
    assert line.written - before <= 52
    line.run(100)
    assert line.lit(counted(199))


def test_press_comes_once_with_the_time_of_the_finger() -> None:
    """The host's time of the press is right to a few milliseconds, though the board counts on its own."""
    line = joined(ticks_at_zero_ms=987_654)
    line.run(5000)
    pressed_ns = line.now_ns
    line.board.press(2, pressed_ns)
    line.run(500)
    (press,) = line.presses
    assert (press.button, press.held_ms) == (2, 0)
    assert abs(press.at_ns - pressed_ns) <= STEP_NS
    assert not line.board.waiting


def test_press_that_waits_keeps_its_time() -> None:
    """A line cut for two seconds does not make the player two seconds late."""
    line = joined()
    line.run(2000)
    line.cut = True
    pressed_ns = line.now_ns
    line.board.press(1, pressed_ns)
    line.run(2000)
    line.cut = False
    line.run(300)
    assert [abs(press.at_ns - pressed_ns) <= STEP_NS for press in line.presses] == [True]


def test_press_older_than_the_situation_is_dropped_and_told() -> None:
    """A pass of ten seconds ago must not pass now."""
    line = joined()
    line.run(1000)
    line.cut = True
    line.board.press(1, line.now_ns)
    line.run(10_000)
    line.cut = False
    line.run(1000)
    assert line.presses == []
    assert not line.board.waiting
    assert any("came 10 s late and was dropped" in sentence for sentence in line.news)


def test_press_counts_however_many_were_made_while_the_line_was_gone() -> None:
    """Somebody played with the button in the break; the next pass is heard all the same."""
    line = joined()
    line.board.press(0, line.now_ns)
    line.run(200)
    line.cut = True
    for _ in range(150):
        line.board.press(1, line.now_ns)
    line.board.waiting.clear()
    line.run(5000)
    line.cut = False
    line.run(1000)
    line.board.press(2, line.now_ns)
    line.run(200)
    assert [press.button for press in line.presses] == [0, 2]


@pytest.mark.parametrize("by_byte", [False, True])
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_bad_line_loses_and_doubles_nothing(by_byte: bool, seed: int) -> None:
    """A third of all pieces lost, doubled or damaged: every press once, in order, and the right lamps at the end."""
    line = Line(FakeBoard(ticks_at_zero_ms=2**32 - 3000), weather=0.33, by_byte=by_byte, seed=seed)
    line.run(3000)
    for turn in range(12):
        line.board.press(turn % 5, line.now_ns, held_ms=1500 if turn % 3 == 0 else 0)
        line.session.show(counted(turn))
        line.run(400)
    line.weather = 0.0
    line.run(2000)
    assert [press.button for press in line.presses] == [turn % 5 for turn in range(12)]
    assert line.lit(counted(11))


def test_damage_is_counted() -> None:
    """A frame with a wrong byte and a frame that is no message are dropped and counted."""
    line = joined()
    for wire in (frame(b"hello")[:-2] + b"x~", frame(b"hello")):
        line.session.received(wire, line.now_ns)
    assert line.session.damaged == 2


def test_byte_by_byte_equals_all_at_once() -> None:
    """How the driver cuts the stream makes no difference."""
    told = []
    for by_byte in (False, True):
        line = joined(by_byte=by_byte)
        for button in (3, 1, 4):
            line.board.press(button, line.now_ns)
            line.run(200)
        told.append((line.presses, line.written, line.board.shows_heard))
    assert told[0] == told[1]


def test_silence_is_lost_and_the_board_comes_back_by_itself() -> None:
    """A board switched off and on again plays on, with the lamps of the present."""
    line = joined()
    line.session.show(LIT)
    line.run(500)
    line.cut = True
    line.run(3500)
    assert line.state() is State.GREETING
    assert any("silent for 3 s" in sentence for sentence in line.news)
    line.board = line.board.restarted()
    line.cut = False
    line.run(700)
    assert line.state() is State.READY
    assert line.lit(LIT)


def test_press_after_a_long_absence_is_told_by_the_clock_of_now() -> None:
    """Ten hours without a line, and a board whose crystal is 200 ppm slow: the old answers say nothing any more."""
    line = joined()
    line.run(2000)
    line.session.closed()
    line.now_ns += 36_000_000 * MS
    line.board = FakeBoard(boot=line.board.boot, ticks_at_zero_ms=1000 - 7200)
    line.session.opened(line.now_ns)
    line.run(1000)
    line.board.press(2, line.now_ns)
    pressed_ns = line.now_ns
    line.run(500)
    (press,) = line.presses
    assert abs(press.at_ns - pressed_ns) <= STEP_NS


def test_program_that_was_away_itself_does_not_blame_the_board() -> None:
    """A host that slept for five seconds has asked nothing; an answer to its next Show is enough."""
    line = joined()
    line.run(500)
    line.now_ns += 5000 * MS
    line.run(500)
    assert line.state() is State.READY
    assert not any("silent" in sentence for sentence in line.news)


def test_restart_of_the_board_is_noticed_by_its_boot_number() -> None:
    """A brown-out too short for silence: the lamps come back, the clock is learnt anew, the first press counts."""
    line = joined(boot=65535)
    line.session.show(LIT)
    line.board.press(0, line.now_ns)
    line.run(500)
    line.board = line.board.restarted()
    line.board.press(3, line.now_ns)
    pressed_ns = line.now_ns
    line.run(1700)
    assert "the board has started anew" in line.news
    assert line.lit(LIT)
    assert [press.button for press in line.presses] == [0, 3]
    assert abs(line.presses[1].at_ns - pressed_ns) <= 2 * STEP_NS


@pytest.mark.parametrize(("protocol", "seats"), [(PROTOCOL + 1, 4), (PROTOCOL, 2)])
def test_board_of_another_kind_is_refused_clearly(protocol: int, seats: int) -> None:
    """The refusal names both sides and the cure; no lamp is lit and no press is heard."""
    line = Line(FakeBoard(protocol=protocol, seats=seats))
    line.session.show(LIT)
    line.board.press(0, line.now_ns)
    line.run(5000)
    assert line.state() is State.REFUSED
    expected = f"the board speaks protocol {protocol} for {seats} seats (firmware fake board 1.0), this program speaks"
    assert (line.session.trouble or "").startswith(expected)
    assert len(line.news) == 1
    assert line.presses == []
    assert line.board.shows_heard == 0


def test_refused_board_with_new_firmware_is_taken() -> None:
    """Installing the right firmware is enough."""
    line = Line(FakeBoard(protocol=3))
    line.run(500)
    line.board = FakeBoard()
    line.run(700)
    assert line.state() is State.READY
    assert line.session.trouble is None


def test_ticks_that_run_over_keep_the_time() -> None:
    """After 49.7 days the board's clock starts at 0 and no press moves by weeks."""
    line = joined(ticks_at_zero_ms=2**32 - 1000)
    for _ in range(5):
        pressed_ns = line.now_ns
        line.board.press(0, pressed_ns)
        line.run(400)
        assert abs(line.presses[-1].at_ns - pressed_ns) <= STEP_NS


def test_error_of_a_press_is_stated_and_kept() -> None:
    """The host's time of every press is as right as the session says, whatever way the board's answer took."""
    line = joined()
    line.run(3000)
    for _ in range(20):
        pressed_ns = line.now_ns
        line.board.press(0, pressed_ns)
        line.run(330)
        error_ns = line.session.clock_error_ns
        assert error_ns is not None
        assert error_ns <= STEP_NS
        assert abs(line.presses[-1].at_ns - pressed_ns) <= error_ns


def test_bar_of_the_board_goes_by_the_moment_its_time_began() -> None:
    """Sent again and again, the same moments come as ages that grow; nothing is sent because time passes."""
    line = joined()
    began_ns = line.now_ns - 3000 * MS
    line.session.show(
        Signs(((0, 0, 0), (1, began_ns, 15_000), (0, 0, 0), (0, 0, 0)), (2, 9, began_ns), 0, (3, began_ns))
    )
    for _ in range(5):
        line.run(1000)
        shown = line.board.shown
        assert shown is not None
        assert shown.seats[1][2] == 15_000
        age_ms = (line.now_ns - began_ns) // MS
        for told_ms in (shown.seats[1][1], shown.phrase_ms, (shown.answer or (0, 0, 0))[2]):
            assert age_ms - 505 <= told_ms <= age_ms
    line.run(70_000)
    assert line.board.shown is not None
    assert (line.board.shown.phrase_ms, line.board.shown.answer) == (65535, (2, 9, 65535))


def test_moment_of_an_earlier_boot_is_long_past() -> None:
    """The host's clock began anew: what was heard before it must not be heard again, nor flash for ever."""
    show = Signs(answer=(1, 9, 10**15), sound=(1, 10**15)).at(5 * MS, 1)
    assert (show.phrase_ms, show.answer) == (65535, (1, 9, 65535))
    soon = Signs(answer=(1, 9, 6 * MS), sound=(1, 6 * MS)).at(5 * MS, 1)
    assert (soon.phrase_ms, soon.answer) == (0, (1, 9, 0))


def test_frames_of_the_past_do_nothing() -> None:
    """Presses that were once on the line may come again in any order: none counts twice, and the next one counts."""
    line = joined()
    for button in (0, 1, 2, 3):
        line.board.press(button, line.now_ns)
        line.run(200)
    before = list(line.presses)
    old = [Pressed((250 + n) % 256, line.board.boot, n % 4, 0, line.board.ticks_ms(line.now_ns)) for n in range(-60, 4)]
    random.Random(4).shuffle(old)
    for pressed in old:
        line.session.received(frame(encode(pressed)), line.now_ns)
        line.run(10)
    assert line.presses == before
    line.board.press(3, line.now_ns)
    line.run(200)
    assert len(line.presses) == len(before) + 1


def test_clock_trusts_the_quickest_answer() -> None:
    """One slow answer does not move the time of a press."""
    clock = BoardClock()
    clock.heard(1000, sent_ns=5000 * MS, received_ns=5002 * MS)
    clock.heard(2000, sent_ns=6001 * MS, received_ns=6900 * MS)
    assert clock.host_ns(1500) == 5501 * MS


def test_health_of_the_buttons_is_known() -> None:
    """A stuck or chattering button comes with every answer."""
    line = joined()
    line.board.stuck, line.board.chattering = 0b00010, 0b10000
    line.run(1500)
    assert (line.session.stuck, line.session.chattering) == (0b00010, 0b10000)
    line.cut = True
    line.run(4000)
    assert (line.session.stuck, line.session.chattering) == (0, 0)


def test_noise_of_the_buttons_is_counted_since_the_board_was_met() -> None:
    """What the board counted before, its 16 bits that run over, and its restarts do not matter."""
    board = FakeBoard()
    board.noise = (65_530, 0, 7, 0, 0)
    line = Line(board)
    line.run(1000)
    assert line.session.noise == [0, 0, 0, 0, 0]
    board.noise = (2, 0, 7, 0, 300)
    line.run(1000)
    assert line.session.noise == [8, 0, 0, 0, 300]
    line.board = board.restarted()
    line.run(4000)
    assert line.session.noise == [8, 0, 0, 0, 300]
    line.board.noise = (0, 5, 0, 0, 1)
    line.run(1000)
    assert line.session.noise == [8, 5, 0, 0, 301]


def test_wake_time_is_when_something_is_due() -> None:
    """Whoever sleeps until the time it says misses nothing."""
    session, board = Session(), FakeBoard()
    assert session.advance(0).wake_at_ns is None
    session.opened(0)
    now_ns, woken = 0, 0
    while now_ns < 10_000 * MS:
        actions = session.advance(now_ns)
        board.receive(actions.write, now_ns)
        session.received(board.send(now_ns), now_ns)
        wake_at_ns = session.advance(now_ns).wake_at_ns
        assert wake_at_ns is not None
        now_ns = max(wake_at_ns, now_ns + MS)
        woken += 1
    assert session.state is State.READY
    assert woken < 50


@given(st.lists(st.binary(max_size=200), max_size=20))
def test_random_bytes_never_crash_nor_act(pieces: list[bytes]) -> None:
    """Noise before and after the greeting changes nothing but the count of damage."""
    line = joined()
    line.session.show(LIT)
    line.run(200)
    for piece in pieces:
        line.session.received(piece, line.now_ns)
        line.run(5)
    line.session.received(b"~", line.now_ns)
    line.run(1500)
    assert line.state() is State.READY
    assert line.presses == []
    assert line.lit(LIT)


def test_messages_of_a_board_that_was_not_greeted_do_nothing() -> None:
    """Neither a press nor an answer counts before the board has said who it is, and nothing is acknowledged."""
    session = Session()
    for message in (
        Pressed(1, 7, 0, 0, 5),
        Shown(1, 7, 5, 0, 0, (0,) * BUTTONS),
        HelloReply(99, PROTOCOL, 7, 5, 4, "x"),
    ):
        session.received(frame(encode(message)), 0)
        session.opened(0)
        session.received(frame(encode(message)), 0)
    assert session.state is State.GREETING
    assert session.advance(0).presses == ()


def test_lost_answers_and_round_trips_are_counted() -> None:
    """What a technician asks of a line: how long an answer takes, and how many never came."""
    line = Line(FakeBoard())
    assert line.session.round_trip_ns is None
    line.run(2000)
    assert line.session.unanswered == 0
    assert line.session.round_trip_ns is not None
    assert 0 <= line.session.round_trip_ns <= 4 * STEP_NS
    line.cut = True
    line.run(1000)
    line.cut = False
    line.run(2000)
    assert 5 <= line.session.unanswered <= 12
    lost = line.session.unanswered
    line.run(2000)
    assert line.session.unanswered == lost


def test_signs_that_follow_each_other_quickly_are_no_lost_answers() -> None:
    """A Show that is overtaken by the next one within its 100 ms is not missed."""
    line = Line(FakeBoard())
    line.run(500)
    for number in range(20):
        line.session.show(counted(number % 14))
        line.run(25)
    line.run(2000)
    assert line.session.unanswered == 0


def test_answer_that_waits_while_the_loop_is_busy_is_not_lost() -> None:
    """The loop is late by 300 ms, sends the Show again, and only then hears the answer to the first one."""
    line = Line(FakeBoard())
    line.run(700)
    for _ in range(10):
        line.now_ns += 500 * MS
        for late_ms in (0, 300):
            actions = line.session.advance(line.now_ns + late_ms * MS)
            line.board.receive(actions.write, line.now_ns)
        line.session.received(line.board.send(line.now_ns), line.now_ns + 300 * MS)
        line.now_ns += 300 * MS
    line.run(3000)
    assert line.session.unanswered == 0
