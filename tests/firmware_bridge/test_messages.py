"""Messages round-trip, keep the bytes that are written down, and refuse what cannot be."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.messages import (
    Hello,
    HelloReply,
    Message,
    MessageError,
    Pressed,
    Show,
    Shown,
    Taken,
    decode,
    encode,
)

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"

u8, u16, u32 = st.integers(0, 255), st.integers(0, 2**16 - 1), st.integers(0, 2**32 - 1)
messages = st.one_of(
    st.builds(Hello, u8, u8),
    st.builds(Show, u8, st.binary(min_size=14, max_size=14)),
    st.builds(Taken, u8),
    st.builds(HelloReply, u8, u8, u16, u32, u8, st.text(max_size=10)),
    st.builds(Shown, u8, u16, u32, u8, u8),
    st.builds(Pressed, u8, u16, st.integers(0, 4), st.sampled_from([0, 1500, 3000]), u32),
)


@given(messages)
def test_message_comes_back_as_it_went(message: Message) -> None:
    """parse(format(x)) is x."""
    assert decode(encode(message)) == message


@pytest.mark.parametrize(
    ("message", "hexadecimal"),
    [
        (Hello(1, 1), "01 01 01"),
        (Show(2, bytes([255, 128, 0, *[0] * 9, 255, 1])), "02 02 ff 80 00 00 00 00 00 00 00 00 00 00 ff 01"),
        (Taken(250), "03 fa"),
        (HelloReply(1, 1, 0x0207, 0x01020304, 4, "pico 1.0"), "81 01 01 07 02 04 03 02 01 04 70 69 63 6f 20 31 2e 30"),
        (Shown(2, 0x0207, 0x01020304, 0b00010, 0b10000), "82 02 07 02 04 03 02 01 02 10"),
        (Pressed(250, 0x0207, 3, 1500, 0x01020304), "83 fa 07 02 03 dc 05 04 03 02 01"),
    ],
)
def test_bytes_are_those_of_the_protocol(message: Message, hexadecimal: str) -> None:
    """The examples of docs/protocol.md, byte by byte: firmware in the field depends on them."""
    assert encode(message) == bytes.fromhex(hexadecimal)
    assert f"`{hexadecimal.upper()}`" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("payload", "says"),
    [
        (b"", "got nothing"),
        (b"\x7f\x01", "got 7f"),
        (b"\x02\x01", "Expected 15 bytes in a Show, got 1"),
        (b"\x03\x01\x02", "Expected 1 bytes in a Taken, got 2"),
        (bytes.fromhex("83 01 07 02 05 00 00 04 03 02 01"), "got 5, 0"),
        (bytes.fromhex("83 01 07 02 04 01 00 04 03 02 01"), "got 4, 1"),
    ],
)
def test_payload_that_is_no_message_is_refused(payload: bytes, says: str) -> None:
    """Unknown kinds, wrong lengths and impossible values are told apart."""
    with pytest.raises(MessageError, match=says):
        decode(payload)


@given(st.binary(max_size=64))
def test_any_payload_is_a_message_or_a_message_error(payload: bytes) -> None:
    """Nothing else is ever raised."""
    with suppress(MessageError):
        assert encode(decode(payload))[0] == payload[0]
