"""`gameline referee`: an order from the command line, sent over MQTT as anybody's is, and its answer.

Which orders there are, and what each may say, is known by their types alone: order_types.py has them, order_words.py
makes words of them.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import queue
import time
import uuid
from pathlib import Path
from typing import Any

import msgspec
from paho.mqtt.client import MQTTMessage

from controller.broker import referee_at_broker
from controller.cli import Sorry, port_number, whole_number
from controller.config import Config, ConfigError, in_file, load_config, table_problem
from controller.logs import nowhere
from controller.mqtt_link import Acknowledged, Up
from controller.order_types import Order
from controller.order_words import add_fields, example, examples, fields_of
from controller.orders import MAX_TTL_S, ORDERS, Answer

CONFIG = Path("/etc/gameline/gameline.toml")
"""Of the table on this machine, where nothing else is named."""
CONNECT_S = 5.0
ASK = "order as who may, with --user and --password-file, or --account"
KNOWN_S = 1.0
AWAY_S = 2.0
"""How long a table that says it is away is waited for: it may just be coming back."""


def add_orders(parser: argparse.ArgumentParser) -> None:
    """Give the parser a command for each order, made of its type."""
    parser.add_argument("config", nargs="?", type=Path, metavar="CONFIG", help=f"the table's ({CONFIG})")
    _add_common(parser, usual=None)
    parser.epilog = "\n".join(
        [
            "every order with an example; `gameline referee NAME --help` has its fields:",
            *(f"  gameline referee {words}" for words in examples(list(ORDERS.values()))),
            "",
            "another table's:",
            "  gameline referee --table table1 --host 10.0.0.5 pause",
            "",
            parser.epilog or "",
        ]
    )
    names = parser.add_subparsers(metavar="NAME", required=True, dest="order")
    for name, kind in sorted(ORDERS.items()):
        text = (kind.__doc__ or "").strip()
        order = names.add_parser(name, help=text, description=text)
        order.formatter_class = argparse.RawDescriptionHelpFormatter
        order.epilog = "\n".join(f"example: gameline referee {example(kind, fields)}" for fields in kind.examples)
        order.set_defaults(usage_error=order.error)
        add_fields(order, kind)
        # What may be said before the name may be said after it; left out there it must not undo what was said before.
        _add_common(order, usual=argparse.SUPPRESS)


def _add_common(parser: argparse.ArgumentParser, *, usual: Any) -> None:
    """Where the table is, who speaks and how the answer is told."""
    where = parser.add_argument_group("the table")
    where.add_argument("--table", type=_table, default=usual, metavar="NAME", help="its name at the broker (table1)")
    where.add_argument("--host", default=usual, help="the broker, where it is not in CONFIG")
    where.add_argument("--port", type=port_number, default=usual, metavar="N", help="the broker's port (1883)")
    where.add_argument("--user", default=usual, metavar="NAME", help="who we are at the broker")
    where.add_argument("--password-file", default=usual, metavar="FILE", help="where his password is")
    where.add_argument("--account", default=usual, metavar="NAME", help="the same, ordering on its own topic")
    every = parser.add_argument_group("every order")
    every.add_argument("--by", default=usual, metavar="NAME", help="who gives it, for the register (referee)")
    every.add_argument("--revision", type=whole_number, default=usual, metavar="N", help="only for this of the state")
    every.add_argument("--ttl", type=_seconds, default=usual, metavar="S", help="seconds to wait for the answer (10)")
    is_json = False if usual is None else usual
    every.add_argument("--json", action="store_true", default=is_json, help="print the answer alone, as one object")


def referee(options: argparse.Namespace) -> int:
    """Send the order, wait for its answer and print it: 0 accepted, 1 refused, or nobody has answered."""
    kind, config = ORDERS[options.order], _config(options)
    account: str | None = options.account
    client = f"cli-{uuid.uuid4().hex[:8]}"
    ttl_s = 10.0 if options.ttl is None else options.ttl
    body = {
        "id": uuid.uuid4().hex[:12],
        "ttl_s": ttl_s,
        "by": options.by or account or "referee",
        "client": client,
        **({} if options.revision is None else {"revision": options.revision}),
        **fields_of(options, kind),
    }
    _check(body, kind, options)
    try:
        with contextlib.closing(_Line(config, account=account, client=client)) as line:
            answer = line.ask(options.order, body, ttl_s)
    except ConfigError as error:
        raise Sorry(str(error) if options.config is None else in_file(error, options.config)) from error
    if options.json:
        print(json.dumps(answer))
        return 0 if answer["accepted"] else 1
    return _tell(msgspec.convert(answer, Answer))


def _check(body: dict[str, Any], kind: type[Order], options: argparse.Namespace) -> None:
    """What no table would take is a wrong command, and is not sent."""
    try:
        msgspec.json.decode(msgspec.json.encode({**body, "sent_ms": 0}), type=kind)
    except ValueError as error:
        options.usage_error(str(error))


def _tell(answer: Answer) -> int:
    if not answer.accepted:
        rule = "" if answer.rule is None else f", rules {answer.rule}"
        raise Sorry(f"refused ({answer.reason}{rule}): {answer.text}")
    print("accepted" if answer.events else "accepted: nothing in the game has changed")
    for sequence, name in answer.events:
        print(f"  {sequence} {name}")
    return 0


# --- where the table is ---


def _config(options: argparse.Namespace) -> Config:
    """The configuration that is named, or the table's on this machine, with what was said beside it."""
    path: Path | None = options.config
    if path is None and options.host is None and CONFIG.exists():
        path = options.config = CONFIG
    if path is None and options.host is None:
        options.usage_error(f"expected CONFIG or --host, got neither, and there is no {CONFIG}: say where the table is")
    try:
        config = Config() if path is None else load_config(path)
    except ConfigError as error:
        raise Sorry(in_file(error, path or CONFIG)) from error
    said = {
        "host": options.host,
        "port": options.port,
        "username": options.user or options.account,
        "password_file": options.password_file,
    }
    broker = msgspec.structs.replace(config.broker, **{key: value for key, value in said.items() if value is not None})
    table = config.table if options.table is None else msgspec.structs.replace(config.table, name=options.table)
    return msgspec.structs.replace(config, broker=broker, table=table)


def _table(text: str) -> str:
    if (problem := table_problem(text)) is not None:
        raise argparse.ArgumentTypeError(problem)
    return text


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= MAX_TTL_S:
        raise argparse.ArgumentTypeError(f"expected seconds above 0 and at most {MAX_TTL_S:g}, got {text!r}")
    return value


# --- the conversation ---


class _Line:
    """A connection for one order and its answer. ConfigError where the broker's host or password can't be."""

    def __init__(self, config: Config, *, account: str | None, client: str) -> None:
        self._at = f"{config.broker.host}:{config.broker.port}"
        self._name = config.table.name
        self._prefix = f"gameline/v1/{config.table.name}/"
        self._own = "" if account is None else f"/{account}"
        self._reply = f"reply{self._own}/{client}"
        self._status: str | None = None  # of the table, as `connection` has it; None: nothing was ever said there
        self._is_subscribed = False
        self._has_beaten = False  # a heartbeat came while the answer was waited for
        self._heard: queue.Queue[MQTTMessage | None] = queue.Queue()
        self._link = referee_at_broker(
            config,
            client_id=client,
            on_message=self._heard.put,
            wake=lambda: self._heard.put(None),
            logger=nowhere(),
            clock_ns=time.monotonic_ns,
        )

    def close(self) -> None:
        """Leave."""
        self._link.close()

    def ask(self, name: str, body: dict[str, Any], wait_s: float) -> dict[str, Any]:
        """The answer to an order, which is stamped with this moment.

        Raises:
            Sorry: none has come; with where to look.
        """
        self._connect()
        payload = msgspec.json.encode({**body, "sent_ms": time.time_ns() // 1_000_000})
        self._link.publish(f"{self._prefix}cmd/{name}{self._own}", payload, connection=self._link.connection)
        began_s = time.monotonic()
        while True:
            patience_s = wait_s if self._status == "online" else min(AWAY_S, wait_s)
            left_s = began_s + patience_s - time.monotonic()
            if left_s <= 0:
                raise Sorry(self._silence(wait_s))
            answer = self._listen(left_s)
            if answer is not None and answer.get("id") == body["id"]:
                return answer

    def _connect(self) -> None:
        """Be connected, and know what the table last said of itself: that comes first where there is anything."""
        self._link.start()
        deadline_s = time.monotonic() + CONNECT_S
        while not self._is_subscribed:
            if (left_s := deadline_s - time.monotonic()) <= 0:
                raise Sorry(f"no connection in {CONNECT_S:g} s: {self._link.problem}")
            self._listen(left_s)
        deadline_s = time.monotonic() + KNOWN_S
        while self._status is None and (left_s := deadline_s - time.monotonic()) > 0:
            self._listen(left_s)

    def _listen(self, left_s: float) -> dict[str, Any] | None:
        """The next thing that is heard, where it is an answer to us; what it says of table and broker is kept."""
        with contextlib.suppress(queue.Empty):
            heard = self._heard.get(timeout=left_s)
            if heard is None:
                self._take_news()
                return None
            topic = heard.topic.removeprefix(self._prefix)
            self._has_beaten |= topic == "heartbeat"
            if topic in ("connection", self._reply):
                with contextlib.suppress(ValueError):  # of another program
                    said = json.loads(heard.payload)
                    if topic == self._reply:
                        return dict(said)
                    self._status = dict(said).get("status")
        return None

    def _take_news(self) -> None:
        for news in self._link.news():
            match news:
                case Up(refusal=None):
                    self._is_subscribed = True
                case Up(refusal=why):
                    raise Sorry(f"the broker at {self._at} lets us hear nothing of the table ({why}): {ASK}")
                case Acknowledged(refusal=str(why)):
                    raise Sorry(f"the broker at {self._at} takes no such order from us ({why}): {ASK}")

    def _silence(self, wait_s: float) -> str:
        """Why no answer may have come, and where to look."""
        table = f"table {self._name!r}"
        if (problem := self._link.problem) is not None:
            return problem
        match self._status:
            case None:
                return f"no {table} has ever been at the broker at {self._at}: correct --table or --host, or start it"
            case "online" if self._has_beaten:
                may = "whether this name at the broker may order"
                return f"{table} is there and has not answered in {wait_s:g} s: look {may}, and into its health and log"
            case "online":
                return f"{table} says it is online and is silent: look into its log, journalctl -u gameline"
            case "offline":
                return f"{table} is away, its service was ended: start it, sudo systemctl start gameline"
            case _:
                return f"{table} is lost to the broker at {self._at}: look after its power, its network and its service"
