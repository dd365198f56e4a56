"""Which broker the tests of the table's MQTT run against: mosquitto, or with `make test-brokers` others and MQTT 3.1.1.

`GAMELINE_TEST_BROKER` names one of `BROKERS`. What each cannot do is written there, and nowhere else: a test that needs
it is marked `needs` and left out for that broker alone; docs/mqtt.md tells it to people.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from paho.mqtt import publish

from controller.accounts import Role
from controller.broker_config import hashed
from controller.broker_files import acl_text, rights_of
from controller.mosquitto import ADDRESS, Mosquitto
from controller.mqtt import RETAINED
from controller.mqtt_link import Version

START_S = 120.0
RABBIT = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")  # not the wrapper of /usr/sbin, which becomes another user


class Broker(Protocol):
    """A broker that tests start and end."""

    host: str
    log: Path

    @property
    def port(self) -> int: ...

    @property
    def process_id(self) -> int | None: ...

    @property
    def running(self) -> bool: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def kill(self) -> None: ...


class _Process:
    """A broker's process on a port of its own, with its store in a folder; each kind says how it is started.

    Args:
        accounts: who is let in, with the password of `secret_of`; empty: everybody, to everything.
    """

    ready = b""
    """What it logs once it may be used, where its port is open sooner."""

    def __init__(self, directory: Path, accounts: Mapping[str, Role] = {}) -> None:
        self.host, self.log = ADDRESS, directory / "broker.log"
        self._accounts = accounts
        self._directory = directory
        with socket.socket() as probe:
            probe.bind((ADDRESS, 0))
            self.port: int = probe.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._clean()

    def command(self) -> tuple[list[str], dict[str, str]]:
        """What is run, and with which variables."""
        raise NotImplementedError

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def process_id(self) -> int | None:
        return self._process.pid if self._process is not None and self.running else None

    def start(self) -> None:
        if self.running:
            return
        words, variables = self.command()
        begun = self.log.stat().st_size if self.log.exists() else 0
        guard = ["setpriv", "--pdeathsig", "TERM"]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*guard, *words],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env={**os.environ, **variables},
            )
        deadline = time.monotonic() + START_S
        while self.running and time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection((self.host, self.port), timeout=1.0):
                if self.ready in self.log.read_bytes()[begun:]:
                    return
            time.sleep(0.05)
        raise AssertionError(f"the broker did not start: {self.log.read_text(errors='replace')[-2000:]}")

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def _end(self, number: int) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
            self._process = None

    def _clean(self) -> None:
        """Nothing is left behind."""


class RabbitMq(_Process):
    """RabbitMQ with its MQTT plugin, as Debian has it."""

    ready = b"Server startup complete"

    def __init__(self, directory: Path, accounts: Mapping[str, Role] = {}) -> None:
        super().__init__(directory, accounts)
        with socket.socket() as probe:
            probe.bind((ADDRESS, 0))
            self._epmd = probe.getsockname()[1]

    def command(self) -> tuple[list[str], dict[str, str]]:
        place = self._directory
        (place / "rabbitmq.conf").write_text(
            f"listeners.tcp = none\nmqtt.listeners.tcp.1 = {self.host}:{self.port}\n"
            + (f"mqtt.allow_anonymous = false\nload_definitions = {place}/definitions.json\n" if self._accounts else "")
        )
        (place / "definitions.json").write_text(json.dumps(self._definitions()))
        (place / "enabled_plugins").write_text("[rabbitmq_mqtt].\n")
        return [str(RABBIT)], {
            "HOME": str(place),
            "RABBITMQ_NODENAME": f"gameline{self.port}@localhost",
            "RABBITMQ_CONFIG_FILE": str(place / "rabbitmq.conf"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(place / "enabled_plugins"),
            "RABBITMQ_MNESIA_BASE": str(place / "store"),
            "RABBITMQ_LOG_BASE": str(place),
            "RABBITMQ_LOGS": "-",
            "RABBITMQ_DIST_PORT": str(self._epmd + 1 if self._epmd < 65535 else self._epmd - 1),
            "ERL_EPMD_PORT": str(self._epmd),
            "ERL_EPMD_ADDRESS": self.host,
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none",
        }

    def _definitions(self) -> dict[str, Any]:
        """Accounts as RabbitMQ imports them: each topic is a routing key, and rights are patterns of those."""
        users, topics = [], []
        for account, role in self._accounts.items():
            salt = b"salt"
            mark = base64.b64encode(salt + hashlib.sha256(salt + secret_of(account).encode()).digest()).decode()
            algorithm = "rabbit_password_hashing_sha256"
            users.append({"name": account, "password_hash": mark, "hashing_algorithm": algorithm, "tags": []})
            rights = rights_of(account, role)
            pattern = {"user": account, "vhost": "/", "exchange": "amq.topic"}
            topics.append({**pattern, "write": _keys(rights.writes), "read": _keys(rights.reads)})
        every = {"vhost": "/", "configure": ".*", "write": ".*", "read": ".*"}
        permissions = [{"user": account, **every} for account in self._accounts]
        return {
            "vhosts": [{"name": "/"}],
            "users": users,
            "permissions": permissions,
            "topic_permissions": topics,
        }

    def _clean(self) -> None:
        # Erlang's port mapper outlives who started it.
        subprocess.run(["epmd", "-port", str(self._epmd), "-kill"], capture_output=True, check=False)


class Nats(_Process):
    """NATS with its MQTT listener, which keeps what is retained in JetStream."""

    def command(self) -> tuple[list[str], dict[str, str]]:
        path = self._directory / "nats.conf"
        path.write_text(
            f'listen: "{self.host}:-1"\nserver_name: gameline\n'
            f'jetstream {{ store_dir: "{self._directory}/store" }}\n'
            f'mqtt {{ listen: "{self.host}:{self.port}" }}\n' + "".join(self._authorization())
        )
        return [
            shutil.which("nats-server", path="/usr/sbin:/usr/bin:/usr/local/bin") or "nats-server",
            "-c",
            str(path),
        ], {}

    def _authorization(self) -> Iterator[str]:
        """Accounts in NATS's words: each topic is a subject, and what is retained comes on subjects of its own."""
        if not self._accounts:
            return
        yield "authorization { users = [\n"
        for account, role in self._accounts.items():
            rights = rights_of(account, role)
            reads = json.dumps(["$MQTT.sub.>", *_subjects(rights.reads)])
            writes = json.dumps([*_subjects(rights.writes)] or ["nothing"])
            yield f'{{ user: {account}, password: "{secret_of(account)}", '
            yield f"permissions: {{ publish: {{ allow: {writes} }}, subscribe: {{ allow: {reads} }} }} }}\n"
        yield "] }\n"


def secret_of(account: str) -> str:
    """The password of an account at a guarded broker of the tests."""
    return f"secret-of-{account}"


def _keys(filters: Sequence[str]) -> str:
    """Topic filters as one pattern of RabbitMQ's routing keys, of what is published and of what is asked for."""
    levels = {"+": "[^.#]+", "#": ".*"}
    each = (r"\.".join(levels.get(level, re.escape(level)) for level in text.split("/")) for text in filters)
    return "|".join(f"^{text}$" for text in each) or "^$"


def _subjects(filters: Sequence[str]) -> Iterator[str]:
    """Topic filters as NATS's subjects; `#` there does not mean the level above too."""
    for text in filters:
        subject = text.replace("/", ".").replace("+", "*")
        yield subject.replace("#", ">")
        if subject.endswith(".#"):
            yield subject.removesuffix(".#")


def guarded_mosquitto(directory: Path, accounts: Mapping[str, Role]) -> Mosquitto:
    """A mosquitto that lets in accounts alone."""
    (directory / "acl").write_text(acl_text(accounts))
    hashes = hashed({account: secret_of(account) for account in accounts}, directory)
    (directory / "passwd").write_text("".join(f"{line}\n" for line in hashes.values()))
    files = [f"password_file {directory}/passwd", f"acl_file {directory}/acl"]
    return Mosquitto(directory, lines=["allow_anonymous false", *files])


def forget(broker: Broker) -> None:
    """Have the broker drop everything that the tables `hall` and `other` have left there."""
    topics = [f"gameline/v1/{table}/{name}" for table in ("hall", "other") for name in (*RETAINED, "cmd/reset")]
    empty: list[publish.MessageDict | publish.MessageTuple] = [(topic, b"", 1, True) for topic in topics]
    publish.multiple(empty, hostname=broker.host, port=broker.port)


@dataclass(frozen=True, slots=True)
class Kind:
    """One broker, and how it is spoken to."""

    make: Callable[[Path], AbstractContextManager[Broker]]
    make_lasting: Callable[[Path], AbstractContextManager[Broker]]
    make_guarded: Callable[[Path, Mapping[str, Role]], AbstractContextManager[Broker]]
    asked: Version = "5"
    """The version that the table is configured with."""
    spoken: Version = "5"
    """The version that comes of it, and that the display speaks."""
    cannot: frozenset[str] = frozenset()
    deadline_s: float = 10.0
    """For anything a test waits for."""
    is_slow: bool = False
    """It takes half a minute to start: one is kept for all tests."""


def _lasting(directory: Path) -> Mosquitto:
    return Mosquitto(directory, persistence=True)


IN_3_1_1 = frozenset({"properties", "reasons", "expiry"})
"""No response topics and correlation; nobody is told why something is refused, or that a message is."""
BROKERS = {
    "mosquitto": Kind(Mosquitto, _lasting, guarded_mosquitto),
    "mosquitto-3.1.1": Kind(Mosquitto, _lasting, guarded_mosquitto, asked="3.1.1", spoken="3.1.1", cannot=IN_3_1_1),
    "rabbitmq": Kind(
        RabbitMq,
        RabbitMq,
        RabbitMq,
        asked="3.1.1",  # 3.10 hangs up on who asks for 5
        spoken="3.1.1",
        cannot=IN_3_1_1 | {"wildcards", "exactly_once", "system_topics", "forgetting"},
        deadline_s=90.0,
        is_slow=True,
    ),
    "nats": Kind(
        Nats,
        Nats,
        Nats,
        spoken="3.1.1",
        cannot=IN_3_1_1 | {"exactly_once", "system_topics", "forgetting"},
        deadline_s=20.0,
    ),
}
NAME = os.environ.get("GAMELINE_TEST_BROKER", "mosquitto")
KIND = BROKERS[NAME]
