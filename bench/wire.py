"""The seat board's line and the lamps as multiples of what cannot be saved: raw reads, a bare echo, an empty loop.

Run `python -m bench.wire` from the repository's root. Frames a second through the codec beside a serial port that only
reads the same bytes; round trips through the board's own firmware under MicroPython beside `cat`, which only echoes;
the processor's share of drawing four rings of 16 pixels 20 times a second beside a loop that draws nothing.
"""

import os
import select
import statistics
import subprocess
import tempfile
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import serial

from firmware_bridge.framing import Receiver, frame
from firmware_bridge.link import BAUD
from firmware_bridge.messages import Hello, HelloReply, Message, Pressed, Show, Shown, decode, encode
from firmware_bridge.wire import PROTOCOL
from hardware import lamps
from tests.firmware_bridge.unix_board import UnixBoard

FRAMES = 20_000
READ_BYTES = 4096
ROUNDS = 5
TRIPS = 300
ANSWER_S = 2.0
UPDATES_S = 20
LAMPS_S = 6.0
RINGS, PIXELS = 4, 16


def main() -> None:
    """Print the three comparisons, each measured in one run."""
    measure_codec()
    with tempfile.TemporaryDirectory(prefix="gameline-bench-") as place:
        measure_trips(Path(place))
    measure_lamps()


# --- the codec ---


def measure_codec() -> None:
    """Print frames a second into and out of bytes, and of a port that only reads them; the best of a few rounds."""
    messages = [_message(number) for number in range(FRAMES)]
    data = b"".join(frame(encode(message)) for message in messages)
    out_s = min(_seconds(lambda: [frame(encode(message)) for message in messages]) for _ in range(ROUNDS))
    in_s = min(_seconds(lambda: _decode_all(data)) for _ in range(ROUNDS))
    raw_s = min(_read_raw(data) for _ in range(ROUNDS))
    line_s = len(data) * 10 / BAUD
    print(f"{FRAMES} frames, {len(data) / FRAMES:.1f} bytes each on the line")
    print(f"raw reads on a pty    {FRAMES / raw_s:10.0f} frames a second")
    for name, seconds in (("codec, bytes in", in_s), ("codec, frames out", out_s)):
        print(
            f"{name:<21} {FRAMES / seconds:10.0f} frames a second  {seconds / raw_s:6.1f} times the raw reads, "
            f"{seconds / line_s:.1%} of the time the line takes at {BAUD} baud"
        )


def _message(number: int) -> Message:
    """What goes over a busy line: a Show with a running bar, its answer, now and then a press."""
    at = number % 256
    if number % 20 == 0:
        return Pressed(at, 7, number % 5, 0, 12_345 * number % 2**32)
    if number % 2:
        return Shown(at, 7, 50 * number, 0, 0, (0, 0, 0, 0, 3))
    bar = (lamps.TURN, 50 * number % 15_000, 15_000)
    return Show(at, (bar, (0, 0, 0), (0, 0, 0), (0, 0, 0)), None, 0, 0, 65_535)


def _decode_all(data: bytes) -> None:
    receiver, heard = Receiver(), 0
    for start in range(0, len(data), READ_BYTES):
        receiver.receive_data(data[start : start + READ_BYTES])
        while (event := receiver.next_event()) is not None:
            assert isinstance(event, bytes)
            decode(event)
            heard += 1
    assert heard == FRAMES


def _read_raw(data: bytes) -> float:
    """How long pyserial takes for the same bytes on a pty, doing nothing with them."""
    board, host = os.openpty()
    tty.setraw(board)
    tty.setraw(host)
    writer = threading.Thread(target=_write_all, args=(board, data))
    with closing(serial.Serial(os.ttyname(host), BAUD, timeout=0)) as port:
        start = time.perf_counter()
        writer.start()
        left = len(data)
        while left:
            select.select([port.fileno()], [], [], ANSWER_S)
            left -= len(port.read(port.in_waiting or 1))
        seconds = time.perf_counter() - start
    writer.join()
    os.close(board)
    os.close(host)
    return seconds


def _write_all(to: int, data: bytes) -> None:
    while data:
        data = data[os.write(to, data[:READ_BYTES]) :]


# --- round trips ---


def measure_trips(place: Path) -> None:
    """Print the time from a Show to its answer, of the firmware and of an echo of the same bytes."""
    with UnixBoard(place, lamps="pixels", pixels=PIXELS) as board, _opened(str(board.path)) as port:
        _greet(port)
        board_ms = [_trip_ms(port, _show(number), _is_answer) for number in range(TRIPS)]
    with _echo() as path, _opened(path) as port:
        echo_ms = [_trip_ms(port, _show(number), lambda data: data.count(b"~") == 2) for number in range(TRIPS)]
    for name, trips in (("bare echo", echo_ms), ("seat firmware", board_ms)):
        worst = statistics.quantiles(trips, n=100)[98]
        print(f"{name:<21} round trip median {statistics.median(trips):6.2f} ms  p99 {worst:6.2f} ms")
    print(f"{'':<21} {statistics.median(board_ms) / statistics.median(echo_ms):.1f} times the echo")


@contextmanager
def _opened(path: str) -> Iterator[serial.Serial]:
    with closing(serial.Serial(path, BAUD, timeout=0)) as port:
        yield port


@contextmanager
def _echo() -> Iterator[str]:
    """A pty whose other end sends everything back."""
    board, host = os.openpty()
    tty.setraw(board)
    tty.setraw(host)
    with subprocess.Popen(["cat"], stdin=board, stdout=board) as echo:
        yield os.ttyname(host)
        echo.kill()
    os.close(board)
    os.close(host)


def _greet(port: serial.Serial) -> None:
    """Say hello until the board has started."""
    for number in range(20):
        port.write(frame(encode(Hello(number, PROTOCOL))))
        if any(isinstance(message, HelloReply) for message in _heard(_read_for(port, 0.5))):
            return
    raise SystemExit("bench.wire: the firmware does not answer; is MicroPython installed?")


def _show(number: int) -> bytes:
    return frame(encode(Show(number % 256, ((lamps.LEADS, 0, 0),) * 4, None, 0, 0, 65_535)))


def _is_answer(data: bytes) -> bool:
    return any(isinstance(message, Shown) for message in _heard(data))


def _heard(data: bytes) -> Iterator[Message]:
    receiver = Receiver()
    receiver.receive_data(data)
    while (event := receiver.next_event()) is not None:
        if isinstance(event, bytes):
            yield decode(event)


def _read_for(port: serial.Serial, seconds: float) -> bytes:
    time.sleep(seconds)
    data: bytes = port.read(port.in_waiting)
    return data


def _trip_ms(port: serial.Serial, data: bytes, is_whole: Callable[[bytes], bool]) -> float:
    """From the first byte written to the answer being whole."""
    start = time.perf_counter()
    port.write(data)
    answer = b""
    while not is_whole(answer):
        if time.perf_counter() - start > ANSWER_S:
            raise SystemExit(f"bench.wire: no answer in {ANSWER_S:g} s")
        select.select([port.fileno()], [], [], 0.1)
        answer += port.read(port.in_waiting)
    return (time.perf_counter() - start) * 1e3


# --- lamps ---


def measure_lamps() -> None:
    """Print the share of one core that drawing takes, and that the loop takes without drawing."""
    rings = [bytearray(lamps.size(lamps.PIXELS, PIXELS)) for _ in range(RINGS)]

    def draw(now_ms: int) -> None:
        for ring in rings:
            lamps.draw(ring, lamps.PIXELS, lamps.TURN, now_ms, now_ms % 15_000, 15_000)

    empty, drawing = _share(lambda now_ms: None), _share(draw)
    print(f"empty loop            {empty:7.3%} of a core at {UPDATES_S} rounds a second")
    print(
        f"{RINGS} rings of {PIXELS}         {drawing:7.3%} of a core at {UPDATES_S} updates a second  "
        f"{drawing / empty:.1f} times the empty loop"
    )


def _share(work: Callable[[int], None]) -> float:
    """The processor's share of a loop that does some work 20 times a second."""
    start, busy = time.perf_counter(), time.process_time()
    for number in range(round(LAMPS_S * UPDATES_S)):
        work(round(number * 1000 / UPDATES_S))
        time.sleep(max(0.0, start + (number + 1) / UPDATES_S - time.perf_counter()))
    return (time.process_time() - busy) / (time.perf_counter() - start)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
