"""Messages round-trip, keep the bytes that are written down, and refuse what cannot be."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.framing import MAX_PAYLOAD
from firmware_bridge.messages import (
    Hello,
    HelloReply,
    Leave,
    Message,
    MessageError,
    Pressed,
    Show,
    Shown,
    Taken,
    decode,
    encode,
)
from firmware_bridge.wire import BUTTONS, PROTOCOL

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"

u8, u16, u32 = st.integers(0, 255), st.integers(0, 2**16 - 1), st.integers(0, 2**32 - 1)
messages = st.one_of(
    st.builds(Hello, u8, u8),
    st.builds(
        Show,
        u8,
        st.tuples(*[st.tuples(u8, u32, u32)] * 4),
        st.none() | st.tuples(st.integers(0, 3), u8, u16),
        u8,
        u8,
        u16,
    ),
    st.builds(Taken, u8),
    st.builds(Leave, u8),
    st.builds(
        HelloReply,
        u8,
        st.just(PROTOCOL),
        u16,
        u32,
        u8,
        st.text(max_size=10),
        st.booleans(),
        st.tuples(*[st.tuples(u8, u8)] * 4),
    ),
    st.builds(Shown, u8, u16, u32, u8, u8, st.tuples(*[u16] * BUTTONS)),
    st.builds(Pressed, u8, u16, st.integers(0, 4), st.sampled_from([0, 1500, 3000]), u32),
)


@given(messages)
def test_message_comes_back_as_it_went(message: Message) -> None:
    """parse(format(x)) is x."""
    assert decode(encode(message)) == message


@pytest.mark.parametrize(
    ("message", "hexadecimal"),
    [
        (Hello(1, 3), "01 01 03"),
        (
            Show(2, ((1, 3500, 15_000), (0, 0, 0), (0, 0, 0), (6, 0, 0)), (3, 9, 120), 13, 2, 250),
            "02 02 01 ac 0d 00 00 98 3a 00 00" + " 00" * 18 + " 06 00 00 00 00 00 00 00 00 03 09 78 00 0d 02 fa 00",
        ),
        (Taken(250), "03 fa"),
        (Leave(1), "04 01 6c 65 61 76"),
        (
            HelloReply(1, 3, 0x0207, 0x01020304, 4, "pico 2.0", True, ((4, 16), (4, 16), (4, 16), (1, 1))),
            "81 01 03 07 02 04 03 02 01 04 08 70 69 63 6f 20 32 2e 30 01 04 10 04 10 04 10 01 01",
        ),
        (
            Shown(2, 0x0207, 0x01020304, 0b00010, 0b10000, (0, 3, 0, 0, 258)),
            "82 02 07 02 04 03 02 01 02 10 00 00 03 00 00 00 00 00 02 01",
        ),
        (Pressed(250, 0x0207, 3, 1500, 0x01020304), "83 fa 07 02 03 dc 05 04 03 02 01"),
    ],
)
def test_bytes_are_those_of_the_protocol(message: Message, hexadecimal: str) -> None:
    """The examples of docs/protocol.md, byte by byte: firmware in the field depends on them."""
    assert encode(message) == bytes.fromhex(hexadecimal)
    assert f"`{hexadecimal.upper()}`" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "hexadecimal",
    [
        "",
        "7f 01",
        "02 01",
        "03 01 02",
        "04 01 6c 65 61 77",
        "83 01 07 02 05 00 00 04 03 02 01",
        "83 01 07 02 04 01 00 04 03 02 01",
        "81 01 03 07 02 04 03 02 01 04 08 70 69 63 6f 20 32 2e 30 01 04 10 04 10 04 10 01",
        "81 01 03 07 02 04 03 02 01 04 29 70 69 63 6f",
        "02 02" + " 00" * 36 + " 04 09 78 00 0d 02 fa 00",
    ],
)
def test_payload_that_is_no_message_is_refused(hexadecimal: str) -> None:
    """Unknown kinds, wrong lengths, and seats, buttons and holds that there are not; the message tells the bytes."""
    with pytest.raises(MessageError, match=hexadecimal[-8:] or "got nothing"):
        decode(bytes.fromhex(hexadecimal))


def test_board_of_a_later_version_can_still_say_who_it_is() -> None:
    """Up to the build the reply has the same layout in every version, whatever follows."""
    reply = HelloReply(1, PROTOCOL + 1, 7, 5, 8, "pico 4.0")
    later = encode(HelloReply(1, PROTOCOL, 7, 5, 8, "pico 4.0", True, ((4, 16),) * 4))
    assert decode(later[:2] + b"\x04" + later[3:] + b"more") == reply
    assert decode(later[:2] + b"\x04" + later[3:19]) == reply


def test_longest_messages_fit_their_frame() -> None:
    """A build of forty bytes and a full Show are within the 64 bytes of a payload."""
    longest = HelloReply(255, PROTOCOL, 65535, 2**32 - 1, 4, "é" * 60, True, ((255, 255),) * 4)
    show = Show(255, ((255, 2**32 - 1, 2**32 - 1),) * 4, (3, 255, 65535), 255, 255, 65535)
    assert len(encode(longest)) == 60 <= MAX_PAYLOAD
    assert len(encode(show)) == 46


@given(st.binary(max_size=64))
def test_any_payload_is_a_message_or_a_message_error(payload: bytes) -> None:
    """Nothing else is ever raised."""
    with suppress(MessageError):
        assert encode(decode(payload))[0] == payload[0]
