"""Frames survive any line; what is no frame is dropped, counted, and never taken for one."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.framing import MAX_PAYLOAD, PeerFault, Receiver, frame

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"

payloads = st.binary(min_size=1, max_size=MAX_PAYLOAD)


def events(pieces: list[bytes]) -> list[bytes | PeerFault]:
    """Everything a receiver makes of these pieces."""
    receiver = Receiver()
    found: list[bytes | PeerFault] = []
    for piece in pieces:
        receiver.receive_data(piece)
        while (event := receiver.next_event()) is not None:
            found.append(event)
    return found


def test_frame_is_the_one_of_the_protocol_page() -> None:
    """The example that a firmware writer checks first."""
    wire = frame(bytes.fromhex("03 03"))
    assert f"`{wire.hex(' ').upper()}`" in PAGE.read_text(encoding="utf-8")


@given(st.lists(payloads, max_size=8))
def test_frames_come_back_as_they_went(sent: list[bytes]) -> None:
    """What is put in at one end comes out at the other."""
    assert events([frame(payload) for payload in sent]) == sent


@given(payloads)
def test_no_control_character_is_ever_on_the_wire(payload: bytes) -> None:
    """Neither Ctrl-C for a console nor XON and XOFF for a driver."""
    assert min(frame(payload)) >= 0x20


@given(st.lists(payloads | st.binary(max_size=300)), st.booleans())
def test_byte_by_byte_equals_all_at_once(parts: list[bytes], framed: bool) -> None:
    """How the driver cuts the stream makes no difference, to frames or to faults."""
    stream = b"".join(frame(part) if framed and 1 <= len(part) <= MAX_PAYLOAD else part for part in parts)
    assert events([stream]) == events([bytes((byte,)) for byte in stream])


@given(noise=st.binary(max_size=400), payload=payloads)
def test_next_frame_is_found_after_any_noise(noise: bytes, payload: bytes) -> None:
    """A frame whose both flags arrive whole is never lost to what came before it."""
    assert events([noise, frame(payload)])[-1] == payload


@given(payloads, st.data())
def test_damaged_byte_is_noticed(payload: bytes, data: st.DataObject) -> None:
    """One wrong byte in a frame is a fault, not another message."""
    wire = bytearray(frame(payload))
    place = data.draw(st.integers(1, len(wire) - 2))
    wire[place] ^= data.draw(st.integers(1, 255))
    assert payload not in events([bytes(wire)])


def test_faults_say_what_was_dropped() -> None:
    """Every dropped stretch is told with its length."""
    assert events([b"Traceback\r\n", frame(b"ok")]) == [PeerFault("wrong CRC", 11), b"ok"]
    assert events([b"~~~x~", frame(b"ok")]) == [PeerFault("a payload of 0 bytes", 1), b"ok"]
    assert events([b"x" * 1000, frame(b"ok")]) == [PeerFault("longer than any frame", 1000), b"ok"]


def test_buffer_stays_small_on_an_endless_stream_without_a_flag() -> None:
    """A line that only babbles does not fill the memory."""
    receiver = Receiver()
    for _ in range(1000):
        receiver.receive_data(b"babble" * 100)
        assert receiver.next_event() is None
        assert len(receiver._data) + len(receiver._plain) <= MAX_PAYLOAD + 2


@pytest.mark.parametrize("payload", [b"", bytes(MAX_PAYLOAD + 1)])
def test_payload_that_fits_no_frame_is_refused(payload: bytes) -> None:
    """A mistake of ours is told where it is made."""
    with pytest.raises(ValueError, match="Expected a payload of 1 to 64 bytes"):
        frame(payload)


def test_random_bytes_are_no_frames() -> None:
    """A quarter of a million random bytes give faults, hardly ever a payload."""
    stream = random.Random(1).randbytes(250_000)
    found = events([stream])
    assert len(found) > 500
    assert sum(isinstance(event, bytes) for event in found) <= 1
