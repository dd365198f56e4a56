"""Anything at all may come over the line, at either end: no crash, and nothing is done without a valid frame.

300 kB of random bytes here; `make fuzz` takes ten million (GAMELINE_FUZZ_BYTES).
"""

import os
import random
from collections.abc import Iterator
from itertools import permutations

import pytest

from firmware_bridge.firmware.board import Board
from firmware_bridge.framing import frame
from firmware_bridge.messages import Hello, HelloReply, Leave, Message, Pressed, Show, Shown, Taken, encode
from firmware_bridge.session import Press, Session, State
from firmware_bridge.wire import PROTOCOL

MS = 1_000_000
BYTES = int(os.environ.get("GAMELINE_FUZZ_BYTES", "300000"))
PARTS = (1, *(4, 16) * 4)
LEADS = ((6, 0, 0),) * 4

FROM_BOARD: tuple[Message, ...] = (
    HelloReply(200, PROTOCOL, 7, 5, 4, "board", True, ((4, 16),) * 4),
    Shown(1, 7, 5, 0b11111, 0b11111, (1, 2, 3, 4, 5)),
    Pressed(1, 7, 3, 1500, 5),
)
FROM_HOST: tuple[Message, ...] = (
    Hello(200, PROTOCOL),
    Show(50, ((1, 5000, 15_000), *LEADS[1:]), (2, 9, 3), 14, 3, 5),
    Taken(0),
    Leave(3),
)


class HostEnd:
    """A session that has greeted a board of boot number 7."""

    def __init__(self) -> None:
        self.session = Session()
        self.session.opened(0)
        self.session.advance(0)
        self.session.received(frame(encode(HelloReply(1, PROTOCOL, 7, 5, 4, "board"))), MS)
        self.now_ns = MS
        self.presses: list[Press] = []
        assert self.session.state is State.READY
        self.hear(b"")

    def hear(self, data: bytes) -> None:
        """Bytes of the line, one round of the loop."""
        self.session.received(data, self.now_ns)
        self.presses += self.session.advance(self.now_ns).presses

    def done(self) -> tuple[object, ...]:
        """Everything that a message could have changed."""
        session = self.session
        return session.state, tuple(self.presses), session.stuck, session.chattering, tuple(session.noise)


class BoardEnd:
    """A board that has been greeted and shows what the host leads with, with a press that waits to be taken."""

    def __init__(self) -> None:
        self.board = Board(7, "board", PARTS)
        self.hear(frame(encode(Hello(1, 2))) + frame(encode(Show(2, LEADS, None, 0, 0, 0))))
        self.board.press(3, 0, 10)
        self.board.send(20)

    def hear(self, data: bytes) -> None:
        """Bytes of the line, one round of the loop."""
        self.board.receive(data, 20)
        self.board.send(20)

    def done(self) -> tuple[object, ...]:
        """Everything that a message could have changed."""
        board = self.board
        presses = tuple(board._presses)
        return tuple(board.seats), board.answer, board.referee, board.sound, presses, board.is_leaving


ENDS = {"host": FROM_BOARD, "board": FROM_HOST}
CASES = [(end, message) for end, messages in ENDS.items() for message in messages]


def corrupted(wire_bytes: bytes) -> Iterator[bytes]:
    """Each byte of a frame as every other byte."""
    for place, right in enumerate(wire_bytes):
        for wrong in set(range(256)) - {right}:
            yield wire_bytes[:place] + bytes((wrong,)) + wire_bytes[place + 1 :]


@pytest.mark.parametrize("end", ENDS)
def test_random_bytes_do_nothing(end: str) -> None:
    """However many come, nothing is shown, pressed or believed that no frame said, and the next frame is understood."""
    chance = random.Random(11)
    left = BYTES
    made: HostEnd | BoardEnd = HostEnd() if end == "host" else BoardEnd()
    before = made.done()
    while left > 0:
        piece = chance.randbytes(chance.choice([1, 7, 64, 4096]))
        left -= len(piece)
        made.hear(piece)
    assert made.done() == before
    for message in ENDS[end][1:]:
        made.hear(b"~" + frame(encode(message)))
    assert made.done() != before


@pytest.mark.parametrize(("end", "message"), CASES, ids=lambda value: value if isinstance(value, str) else None)
def test_frame_with_one_wrong_byte_does_nothing(end: str, message: Message) -> None:
    """Every byte of every message as every other byte, between flags of its neighbours: dropped, and nothing done."""
    made: HostEnd | BoardEnd = HostEnd() if end == "host" else BoardEnd()
    before = made.done()
    for damaged in corrupted(frame(encode(message))):
        if damaged[0] == damaged[-1] == 0x7E:
            made.hear(b"~" + damaged + b"~")
            assert made.done() == before, damaged.hex(" ")


@pytest.mark.parametrize(("end", "message"), CASES, ids=lambda value: value if isinstance(value, str) else None)
def test_frame_that_is_cut_does_nothing(end: str, message: Message) -> None:
    """Every beginning and every end of every message, and every message with a hole: dropped, and nothing done."""
    made: HostEnd | BoardEnd = HostEnd() if end == "host" else BoardEnd()
    before = made.done()
    whole = frame(encode(message))
    for place in range(2, len(whole) - 1):
        for part in (whole[:place], whole[place:], whole[: place - 1] + whole[place:]):
            made.hear(b"~" + part + b"~")
            assert made.done() == before, part.hex(" ")


def test_random_payloads_in_valid_frames_do_only_what_a_message_says() -> None:
    """With a good CRC, what is no message of this protocol is still dropped at both ends."""
    chance = random.Random(5)
    host, board = HostEnd(), BoardEnd()
    for _ in range(20_000):
        payload = chance.randbytes(chance.randrange(1, 64))
        host.hear(frame(payload))
        board.hear(frame(payload))
    assert host.presses == []
    assert host.session.damaged > 19_000
    assert board.board.damaged > 19_000


def test_shows_doubled_and_in_any_order_end_with_the_newest() -> None:
    """Whatever the order in which five Shows arrive, each twice, the sign of the newest is seen."""
    shows = [frame(encode(Show(number, ((number, 0, 0),) * 4, None, 0, 0, 0))) for number in range(3, 8)]
    for order in permutations(range(5)):
        made = BoardEnd()
        newest = 0
        for place in order:
            newest = max(newest, place)
            made.hear(shows[place] + shows[place])
            assert made.board.seats[0][0] == newest + 3
        made.hear(b"".join(shows))
        assert made.board.seats[0][0] == 7


def test_presses_doubled_and_in_any_order_count_once() -> None:
    """Presses that come again, early or late, are acted on at most once each, and never an older one after a newer."""
    presses = [frame(encode(Pressed(number % 256, 7, number % 5, 0, 5))) for number in range(254, 258)]
    for order in permutations(range(4)):
        made = HostEnd()
        for place in order:
            made.hear(presses[place] + presses[place])
        for piece in presses:
            made.hear(piece)
        buttons = [press.button for press in made.presses]
        expected = [(254 + place) % 5 for at, place in enumerate(order) if place == max(order[: at + 1])]
        assert buttons == expected


def test_taken_of_another_press_takes_nothing() -> None:
    """Only the press in flight is taken, once."""
    made = BoardEnd()
    made.board.press(2, 0, 15)
    for number in range(1, 256):
        made.hear(frame(encode(Taken(number))))
    assert made.board._presses == [(3, 0, 10), (2, 0, 15)]
    made.hear(frame(encode(Taken(0))) * 3)
    assert made.board._presses == [(2, 0, 15)]
    made.hear(frame(encode(Taken(1))))
    assert made.board._presses == []


def test_what_only_the_other_end_may_say_does_nothing() -> None:
    """A line that echoes is no peer: neither end obeys its own words."""
    host, board = HostEnd(), BoardEnd()
    before = host.done(), board.done()
    for message in FROM_HOST:
        host.hear(frame(encode(message)))
    for message in FROM_BOARD:
        board.hear(frame(encode(message)))
    assert (host.done(), board.done()) == before
