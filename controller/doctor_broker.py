"""What the doctor asks of the broker: whether it lets us in and takes our topics; and a running service its health."""

from __future__ import annotations

import contextlib
import json
import queue
import time
from collections.abc import Callable, Iterator
from typing import Any

from controller.broker import caller_at_broker
from controller.config import ConfigError
from controller.doctor_checks import Found, Patient
from controller.logs import nowhere
from controller.mqtt_link import Acknowledged, Link, Up
from controller.mqtt_trouble import DAY_S, RENEW, WARN_DAYS, date_of

REACH_S = 5.0
ANSWER_S = 3.0
STEP_S = 0.02


def broker(patient: Patient) -> Iterator[Found]:
    """Reach, login, the right to publish the table's own tree; then what a running service says of itself."""
    config = patient.config
    prefix = f"gameline/v1/{config.table.name}/"
    heard: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    try:
        link = caller_at_broker(
            config,
            name="doctor",
            subscription=f"{prefix}health",
            on_message=lambda message: heard.put(bytes(message.payload)),
            logger=nowhere(),
            clock_ns=time.monotonic_ns,
        )
    except ConfigError as error:
        yield Found("broker", False, "cannot be called", str(error))
        return
    with contextlib.closing(link):
        link.start()
        yield from _reached(link, f"{config.broker.host}:{config.broker.port}")
        if link.certificate_ends_s is not None:
            yield _certificate(link.certificate_ends_s)
        if link.connection:
            yield _may_publish(link, prefix, config.broker.username or "(anonymous)")
        if patient.service_pid is not None:
            yield from _service(link, heard)


def _reached(link: Link, address: str) -> Iterator[Found]:
    _until(lambda: bool(link.connection) or not _is_silent(link), REACH_S)
    if link.connection:
        yield Found("broker", True, f"{address} lets us in")
    elif _is_silent(link):
        cure = "look at host and port, at the network and at a firewall between: something there swallows what we send"
        yield Found("broker", False, f"{address} does not answer within {REACH_S:g} s", cure)
    else:
        trouble = link.trouble
        is_untrusted = trouble is not None and trouble.code == "broker_untrusted"
        what = "shows a certificate that we do not trust" if is_untrusted else "does not let us in"
        cure = (link.problem or "").replace("; we go on trying", "")
        yield Found("broker", False, f"{address} {what}", cure)


def _certificate(ends_s: float) -> Found:
    """How long what the broker has proven itself with is still good."""
    days = int((ends_s - time.time()) // DAY_S)
    told = f"ends in {days} days, on {date_of(ends_s)}"
    if days < WARN_DAYS:
        return Found("broker certificate", False, told, f"{RENEW}, before nobody trusts it any more")
    return Found("broker certificate", True, told)


def _is_silent(link: Link) -> bool:
    """Whether nobody has said yes or no; after a no, trying again would not change it within seconds."""
    trouble = link.trouble
    return trouble is not None and trouble.code == "broker_silent"


def _may_publish(link: Link, prefix: str, user: str) -> Found:
    """Say a word under the table's own tree that nobody reads, and hear whether the broker's rules let it pass."""
    topic = f"{prefix}doctor"
    number = link.publish(topic, b"{}", connection=link.connection)
    answers: dict[int, str | None] = {}

    def is_answered() -> bool:
        for news in link.news():
            match news:
                case Acknowledged(message_id, refusal):
                    answers[message_id] = refusal
                case Up():
                    pass
        return number in answers

    if number is None or not _until(is_answered, ANSWER_S):
        return Found("broker rights", False, f"no answer to {topic}", "the broker threw us out: see its log")
    if (refusal := answers[number]) is not None:
        cure = f"let the user {user} write {prefix}# and read {prefix}cmd/#, in the broker's acl_file"
        return Found("broker rights", False, f"{topic} is not taken ({refusal})", cure)
    return Found("broker rights", True, f"{user} may publish {prefix}#")


def _service(link: Link, heard: queue.SimpleQueue[bytes]) -> Iterator[Found]:
    """The retained health of the table, part by part where something is wrong."""
    if not link.connection or not _until(lambda: not heard.empty(), ANSWER_S):
        cure = "stop the service and run the doctor again, or let the broker's user read the table's own health"
        yield Found("service", False, "runs, and its health cannot be heard", cure)
        return
    parts: dict[str, Any] = json.loads(heard.get())
    wrong = {name: part for name, part in parts.items() if part["status"] != "ok"}
    for name, part in wrong.items():
        codes = ", ".join(part.get("codes", ()))
        yield Found("service", False, f"{name} {part['status']} ({codes})", part["why"])
    if not wrong:
        yield Found("service", True, f"says that all is well: {', '.join(parts)}")


def _until(is_it: Callable[[], bool], limit_s: float) -> bool:
    """Wait until it is, at most so long; whether it came to be."""
    until_s = time.monotonic() + limit_s
    while not (is_so := is_it()) and time.monotonic() < until_s:
        time.sleep(STEP_S)
    return is_so
