"""What health can tell: every fault with its code, what it means and what to do; who finds one is elsewhere.

Codes are for programs and stay as they are; the sentence beside a code in a message is for a person, says more, and may
get better. docs/health.md has this table, and a test keeps the two equal.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from controller import messages
from controller.faults import Trouble

Part = Literal["camera", "disk", "broker", "clock", "record", "seats"]
PARTS: Final[tuple[Part, ...]] = ("camera", "disk", "broker", "clock", "record", "seats")
Status = Literal["ok", "degraded", "failed"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of fault."""

    part: Part
    status: Status
    """What the part is while this fault lasts: `degraded` where play goes on with all it needs."""
    wrong: str
    to_do: str


CODES: Final[Mapping[str, Fault]] = {
    "camera_no_frames": Fault(
        "camera",
        "failed",
        "the camera gives no frames, or bad or late ones",
        "check its cable, its power and `[camera]`; a hanging driver: restart the service",
    ),
    "camera_cannot_see": Fault(
        "camera",
        "failed",
        "frames come, but nothing can be seen: covered or dark",
        "take away what covers the lens, switch the lamp on",
    ),
    "camera_silent": Fault(
        "camera",
        "failed",
        "no frame for `camera.stale_s`, and nothing says why",
        "check its cable; restart the service",
    ),
    "camera_moved": Fault(
        "camera",
        "degraded",
        "the table is not where it was calibrated",
        "push the camera back and fasten it, or `gameline calibrate`",
    ),
    "lens_soft": Fault(
        "camera",
        "degraded",
        "less sharp than when calibrated",
        "wipe the lens, then turn its ring",
    ),
    "light_flickers": Fault(
        "camera",
        "degraded",
        "the lamp flickers in the picture",
        "set `camera.mains_hz` and calibrate, or hang another lamp",
    ),
    "exposure_drifts": Fault(
        "camera",
        "degraded",
        "much darker or brighter than when calibrated",
        "the lamp, or the sun; or calibrate in this light",
    ),
    "white_balance_drifts": Fault(
        "camera",
        "degraded",
        "other colours than when calibrated",
        "hang the lamp of then, or calibrate in this light",
    ),
    "not_held": Fault(
        "camera",
        "degraded",
        "the camera does not hold exposure or gains",
        "`gameline calibrate`",
    ),
    "processor_hot": Fault(
        "camera",
        "degraded",
        "the processor is at 80 °C or more and slows down: moves are seen late",
        "air or a fan, out of the sun",
    ),
    "supply_weak": Fault(
        "disk",
        "degraded",
        "the voltage is too low, now or within the last minute, which damages what is written to the card",
        "a supply of 5.1 V and 3 A (Pi 5: 5 A), a short thick cable, less on USB",
    ),
    "disk_full": Fault(
        "disk",
        "failed",
        "no room for the journal; the clock stands",
        "free some space",
    ),
    "disk_read_only": Fault(
        "disk",
        "failed",
        "the journal may not be written",
        "owner and mode of its folder, or a worn card that became read-only",
    ),
    "disk_fails": Fault(
        "disk",
        "failed",
        "reading, writing or syncing failed",
        "replace the card or disk",
    ),
    "journal_busy": Fault(
        "disk",
        "failed",
        "another program holds the journal locked",
        "close that program",
    ),
    "journal_damaged": Fault(
        "disk",
        "failed",
        "the journal is not as it was written; found in use, the game goes on, and no other begins",
        "play the game to its end and write its score down, then copy the journal away, set it aside, start again",
    ),
    "journal_foreign": Fault(
        "disk",
        "failed",
        "what lies there is no journal of Gameline's",
        "correct `journal.path`",
    ),
    "journal_newer": Fault(
        "disk",
        "failed",
        "a newer Gameline wrote the journal",
        "install that version again",
    ),
    "broker_away": Fault(
        "broker",
        "failed",
        "no connection to the MQTT broker",
        "start it, or correct `broker.host` and `broker.port`",
    ),
    "broker_silent": Fault(
        "broker",
        "failed",
        "nothing has answered since the start: neither yes nor no",
        "host and port, the network, a firewall between",
    ),
    "broker_refuses": Fault(
        "broker",
        "failed",
        "the broker does not let us in",
        "user name, password, client id",
    ),
    "broker_untrusted": Fault(
        "broker",
        "failed",
        "the certificate of what answers there is not one that we trust",
        "`broker.ca_file`, `broker.host`, this machine's clock, or `gameline broker-config --renew` there",
    ),
    "broker_certificate_ends": Fault(
        "broker",
        "degraded",
        "the broker's certificate ends in less than 30 days; from then on it is not trusted",
        "`gameline broker-config --renew` there, then restart the broker",
    ),
    "broker_is_none": Fault(
        "broker",
        "failed",
        "what answers there is no MQTT broker, or none with TLS",
        "its TCP port, usually 1883, with TLS 8883, not the one for WebSocket",
    ),
    "broker_id_taken": Fault(
        "broker",
        "failed",
        "another client has our client id",
        "give each table its own name",
    ),
    "broker_denies_writing": Fault(
        "broker",
        "failed",
        "the broker does not take a topic of ours",
        "let the user write `gameline/v1/<table>/#`",
    ),
    "broker_denies_commands": Fault(
        "broker",
        "failed",
        "the broker lets no command through",
        "let the user read `gameline/v1/<table>/cmd/#`",
    ),
    "broker_slow": Fault(
        "broker",
        "degraded",
        "the broker takes seconds to acknowledge; everything leaves all the same, but late",
        "the network between, and what else keeps the broker busy",
    ),
    "table_twice": Fault(
        "broker",
        "failed",
        "another table of this name is online, and this one publishes nothing meanwhile; only its log can say so",
        "give each table its own `table.name`, or stop the other one",
    ),
    "mqtt_fault": Fault(
        "broker",
        "failed",
        "a fault of Gameline's own in handling MQTT",
        "report it; restart the service",
    ),
    "clock_unset": Fault(
        "clock",
        "degraded",
        "the wall clock is not set from the network; thinking times are right all the same",
        "connect the network, or see to systemd-timesyncd",
    ),
    "clock_jumped": Fault(
        "clock",
        "degraded",
        "the wall clock has jumped since the start; orders are refused while the referee's clock says otherwise",
        "set the clock; where it is right now, restart the service",
    ),
    "stills_not_kept": Fault(
        "record",
        "degraded",
        "stills of alerts cannot be written",
        "room and permissions of their folder",
    ),
    "recording_not_kept": Fault(
        "record",
        "degraded",
        "frames cannot be recorded",
        "room and permissions of the folder of `--record`",
    ),
    "pin_taken": Fault(
        "seats",
        "degraded",
        "another program, or a driver of the kernel, has a pin",
        "switch that off, or choose another pin",
    ),
    "pin_fails": Fault(
        "seats",
        "degraded",
        "a pin does not work",
        "the group gpio; what else uses it; another pin",
    ),
    "pin_unwatched": Fault(
        "seats",
        "degraded",
        "RPi.GPIO cannot watch pins on this kernel or board",
        "install rpi-lgpio, which gives the same module",
    ),
    "button_chatters": Fault(
        "seats",
        "degraded",
        "a button gives pulses too short for a finger; it is not listened to meanwhile",
        "its plug and its wire",
    ),
    "button_held": Fault(
        "seats",
        "degraded",
        "a button is down for too long, or since the start",
        "release it, or check its wire",
    ),
    "board_away": Fault(
        "seats",
        "degraded",
        "the line to the seat board cannot be opened",
        "plug it in, group dialout, `seats.port`, no other program on it",
    ),
    "board_silent": Fault(
        "seats",
        "degraded",
        "the line is open, but no seat board answers",
        "`gameline firmware install`",
    ),
    "board_refused": Fault(
        "seats",
        "degraded",
        "the seat board speaks another protocol",
        "`gameline firmware install`",
    ),
}
"""Every code, in the order of docs/health.md."""


class Health:
    """What is wrong now, and since when; each fault is logged when it comes and when it goes.

    What is gone at the next look, as the broker's absence while the first connection is made, is not logged.

    Args:
        clock_ns: a monotonic clock.
        logger: told of every fault, with its code beside the sentence.
    """

    def __init__(self, *, clock_ns: Callable[[], int], logger: logging.Logger) -> None:
        self._clock_ns = clock_ns
        self._log = logger
        self._since_ns: dict[tuple[str, str], int] = {}  # by code and place
        self._logged: set[tuple[str, str]] = set()

    @property
    def codes(self) -> tuple[str, ...]:
        """Of everything that is wrong now."""
        return tuple(dict.fromkeys(code for code, _ in self._since_ns))

    def look(self, found: Mapping[Part, Sequence[Trouble]]) -> messages.Health:
        """Take what is wrong now, part by part, and give the message that says it."""
        now_ns = self._clock_ns()
        troubles = [trouble for part in PARTS for trouble in found[part]]
        there = {(trouble.code, trouble.where): trouble for trouble in troubles}
        for key in [key for key in self._since_ns if key not in there]:
            lasted_s, what = (now_ns - self._since_ns.pop(key)) / 1e9, " at ".join(filter(None, key))
            if key in self._logged:
                self._logged.remove(key)
                self._log.info("%s is over after %.0f s", what, lasted_s, extra={"fault": key[0]})
        for key, trouble in there.items():
            if key not in self._since_ns:
                self._since_ns[key] = now_ns
            elif key not in self._logged:
                self._logged.add(key)
                level = logging.ERROR if _status(trouble) == "failed" else logging.WARNING
                self._log.log(level, "%s: %s", trouble.code, trouble.text, extra={"fault": trouble.code})
        return messages.Health(**{part: _told(found[part]) for part in PARTS})


def _status(trouble: Trouble) -> Status:
    """Of a part with this trouble; a code that is missing in the table must not end a game."""
    fault = CODES.get(trouble.code)
    return fault.status if fault is not None else "degraded"


def _told(troubles: Iterable[Trouble]) -> messages.Part:
    """A part as it stands in the message."""
    troubles = tuple(troubles)
    statuses = {_status(trouble) for trouble in troubles}
    status: Status = "failed" if "failed" in statuses else "degraded" if statuses else "ok"
    why = "; ".join(dict.fromkeys(trouble.text for trouble in troubles))
    return messages.Part(status, why, tuple(dict.fromkeys(trouble.code for trouble in troubles)))
