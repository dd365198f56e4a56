"""The table at a broker with TLS: what it says of each thing that can be wrong there, and that it speaks 3.1.1 too."""

from __future__ import annotations

import contextlib
import logging
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from controller.broker import table_at_broker
from controller.certificates import SERVER_DAYS, Signed, make_authority, make_server
from controller.config import Config, ConfigError, parse_config
from controller.journal import Journal
from controller.mosquitto import Mosquitto
from controller.mqtt import CommandMessage, Mqtt
from tests.controller.guarded_broker import DEADLINE_S, TREE, Guarded, open_folder

pytestmark = pytest.mark.filterwarnings(
    # paho leaves the socket of a handshake that failed to the collector (2.2, _create_socket)
    "ignore:.*ssl.SSLSocket:pytest.PytestUnraisableExceptionWarning"
)


@pytest.fixture(scope="module")
def guarded() -> Iterator[Guarded]:
    with open_folder() as place:
        made = Guarded(place / "files")
        with made.broker:
            yield made


class Hall:
    """The table `hall` as the configuration has it, without a game, turned by hand."""

    def __init__(self, directory: Path, **broker: object) -> None:
        self.wake = threading.Event()
        self.commands: list[CommandMessage] = []
        self.journal = Journal(
            directory / "journal.db", boot_id="boot", wall_utc=lambda: "w", clock_synchronised=lambda: True
        )
        self.mqtt = table_of(configured(**broker), self.commands.append, self.wake.set)
        self.mqtt.start()

    def turn_until(self, condition: Callable[[], bool], what: str) -> None:
        for _ in range(round(DEADLINE_S / 0.02)):
            self.mqtt.pump(self.journal)
            if condition():
                return
            self.wake.wait(0.02)
            self.wake.clear()
        raise AssertionError(f"not within {DEADLINE_S} s: {what}; problem: {self.mqtt.problem}")

    def problem(self, beginning: str) -> str:
        """Wait for the sentence that begins so."""
        self.turn_until(lambda: (self.mqtt.problem or "").startswith(beginning), beginning)
        return self.mqtt.problem or ""

    def close(self) -> None:
        self.mqtt.close(self.journal)
        self.journal.close()


def configured(**broker: object) -> Config:
    return parse_config({"table": {"name": "hall"}, "broker": broker}, where="test")


def table_of(config: Config, take: Callable[[CommandMessage], None], wake: Callable[[], None]) -> Mqtt:
    return table_at_broker(
        config,
        boot_id="boot",
        version="0",
        on_command=take,
        wake=wake,
        logger=logging.getLogger("test"),
        clock_ns=lambda: 1,
    )


@contextlib.contextmanager
def hall(directory: Path, guarded: Guarded, **changes: object) -> Iterator[Hall]:
    """The table on its way to the broker's port for TLS, with everything right but for the changes."""
    right: dict[str, object] = {
        "port": guarded.ports["tls"],
        "username": "hall",
        "password_file": str(guarded.folder / "passwords" / "hall"),
        "tls": True,
        "ca_file": str(guarded.folder / "ca.crt"),
    }
    right |= changes
    table = Hall(directory, **{key: value for key, value in right.items() if value is not None})
    try:
        yield table
    finally:
        table.close()


def test_table_is_at_a_broker_with_tls(tmp_path: Path, guarded: Guarded) -> None:
    """Its birth and its commands go by a connection that is encrypted and proven."""
    with hall(tmp_path, guarded, accounts={"ann": "referee"}) as table, guarded.client("ann", way="tls") as ann:
        table.turn_until(lambda: table.mqtt.connected, "the table is connected")
        assert table.mqtt.problem is None
        ann.listen()
        ann.hear("connection", lambda body: body["status"] == "online")
        assert ann.may_write(f"{TREE}cmd/pause/ann", b"{}")
        table.turn_until(lambda: table.commands != [], "the command")
        assert (table.commands[0].name, table.commands[0].account) == ("pause", "ann")
        assert table.mqtt.reply(table.commands[0], b'"done"', client="ann/console")
        assert not table.mqtt.reply(table.commands[0], b'"lost"', client="bob/console")
        assert not table.mqtt.reply(table.commands[0], b'"lost"', client="console")
        assert ann.hear("reply/ann/console") == "done"


def test_wrong_password_is_told(tmp_path: Path, guarded: Guarded) -> None:
    """The user and the file to look at are named, the password is not."""
    (tmp_path / "password").write_text("not-this-one\n")
    with hall(tmp_path, guarded, password_file=str(tmp_path / "password")) as table:
        assert table.problem("The MQTT broker") == (
            f"The MQTT broker at 127.0.0.1:{guarded.ports['tls']} does not let the user 'hall' in (Not authorized): "
            "put the account's right password into broker.password_file, or correct broker.username."
        )


def test_missing_account_is_told(tmp_path: Path, guarded: Guarded) -> None:
    """Who comes without an account where one is needed is told to set one."""
    with hall(tmp_path, guarded, username=None, password_file=None) as table:
        assert "lets nobody in without an account" in table.problem("The MQTT broker")


def test_strange_authority_is_told(tmp_path: Path, guarded: Guarded) -> None:
    """A broker with a certificate from somebody else is not spoken to, and ca.crt is named."""
    (tmp_path / "ca.crt").write_bytes(make_authority("Somebody", now=datetime.now(UTC)).certificate)
    for ca_file in (str(tmp_path / "ca.crt"), None):
        with hall(tmp_path, guarded, ca_file=ca_file) as table:
            said = table.problem("The certificate")
            assert "is not from an authority that we trust" in said
            assert said.endswith("put a copy of the broker's ca.crt where broker.ca_file says; we go on trying.")


def test_other_host_name_is_told(tmp_path: Path, guarded: Guarded) -> None:
    """The right broker by a name that its certificate is not for."""
    with hall(tmp_path, guarded, host="127.0.0.2") as table:
        said = table.problem("The certificate")
        assert "is for other hosts (IP address mismatch, certificate is not valid for '127.0.0.2')" in said
        assert "with --host for each" in said


@pytest.mark.parametrize(
    ("days", "what"), [(-2000, "has expired: run `gameline broker-config` with --renew"), (2000, "is not valid yet")]
)
def test_certificate_out_of_its_time_is_told(tmp_path: Path, days: int, what: str) -> None:
    """One that has expired is renewed there; one that is not valid yet means that this machine's clock is wrong."""
    now = datetime.now(UTC)
    authority = make_authority("A", now=now)
    server = make_server(Signed(authority.certificate, authority.key), ["127.0.0.1"], now=now + timedelta(days=days))
    for name, data in {"ca.crt": authority.certificate, "s.crt": server.certificate, "s.key": server.key}.items():
        (tmp_path / name).write_bytes(data)
    lines = [f"certfile {tmp_path}/s.crt", f"keyfile {tmp_path}/s.key"]
    with Mosquitto(tmp_path, lines=lines) as broker:
        table = Hall(tmp_path, port=broker.port, tls=True, ca_file=str(tmp_path / "ca.crt"))
        try:
            assert what in table.problem("The certificate")
        finally:
            table.close()


def test_renewed_certificate_is_taken_without_a_word_to_the_table(tmp_path: Path) -> None:
    """An expired certificate is told; renewed from the same authority it is trusted at once."""
    authority = make_authority("A", now=datetime.now(UTC))
    (tmp_path / "ca.crt").write_bytes(authority.certificate)

    def put(now: datetime) -> None:
        server = make_server(authority, ["127.0.0.1"], now=now)
        (tmp_path / "s.crt").write_bytes(server.certificate)
        (tmp_path / "s.key").write_bytes(server.key)

    put(datetime.now(UTC) - timedelta(days=2000))
    lines = [f"certfile {tmp_path}/s.crt", f"keyfile {tmp_path}/s.key"]
    with Mosquitto(tmp_path, lines=lines) as broker:
        table = Hall(tmp_path, port=broker.port, tls=True, ca_file=str(tmp_path / "ca.crt"))
        try:
            assert "has expired" in table.problem("The certificate")
            put(datetime.now(UTC))
            broker.stop()
            broker.start()
            table.turn_until(lambda: table.mqtt.connected, "the table is connected")
            assert table.mqtt.problem is None
        finally:
            table.close()


def test_certificate_that_ends_soon_is_told_while_it_is_good_and_no_more_once_it_is_renewed(tmp_path: Path) -> None:
    """The table plays on, and health says how long it can; what is wrong beside that is told too."""
    now = datetime.now(UTC)
    authority = make_authority("A", now=now)
    (tmp_path / "ca.crt").write_bytes(authority.certificate)

    def put(days_left: int) -> None:
        server = make_server(authority, ["127.0.0.1"], now=now - timedelta(days=SERVER_DAYS - 1 - days_left))
        (tmp_path / "s.crt").write_bytes(server.certificate)
        (tmp_path / "s.key").write_bytes(server.key)

    def warnings(in_days: float = 0.0) -> list[tuple[str, str]]:
        then = now + timedelta(days=in_days)
        return [(trouble.code, trouble.text) for trouble in table.mqtt.warnings(then.timestamp())]

    put(days_left=5)
    lines = [f"certfile {tmp_path}/s.crt", f"keyfile {tmp_path}/s.key"]
    with Mosquitto(tmp_path, lines=lines) as broker:
        table = Hall(tmp_path, port=broker.port, tls=True, ca_file=str(tmp_path / "ca.crt"))
        try:
            assert warnings() == []
            table.turn_until(lambda: table.mqtt.connected, "the table is connected")
            assert table.mqtt.problem is None
            whose, day = f"The certificate of the MQTT broker at 127.0.0.1:{broker.port}", now + timedelta(days=5)
            cure = "run `gameline broker-config` with --renew there and restart the broker."
            soon = f"{whose} ends on {day:%Y-%m-%d}, and from then on it is not trusted: {cure}"
            late = f"{whose} has ended on {day:%Y-%m-%d}, and once this connection is lost it is not trusted: {cure}"
            assert warnings() == [("broker_certificate_ends", soon)]
            assert warnings(-24.9) == [("broker_certificate_ends", soon)]
            assert warnings(-25.1) == []
            assert warnings(5.1) == [("broker_certificate_ends", late)]
            put(days_left=31)
            broker.stop()
            table.turn_until(lambda: not table.mqtt.connected, "the broker is gone")
            assert warnings() == []
            broker.start()
            table.turn_until(lambda: table.mqtt.connected, "the table is connected again")
            assert (warnings(), table.mqtt.problem) == ([], None)
        finally:
            table.close()


def test_connection_in_the_clear_has_no_certificate_to_end(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker:
        table = Hall(tmp_path, port=broker.port)
        try:
            table.turn_until(lambda: table.mqtt.connected, "the table is connected")
            assert table.mqtt.warnings(datetime.now(UTC).timestamp()) == ()
        finally:
            table.close()


def test_tls_where_there_is_none_is_told(tmp_path: Path, guarded: Guarded) -> None:
    """The port in the clear, asked for TLS, and the other way round."""
    with hall(tmp_path, guarded, port=guarded.ports["local"]) as table:
        assert "does not speak TLS with us" in table.problem("What answers")
    with hall(tmp_path, guarded, tls=None, ca_file=None) as table:
        assert "8883 with tls = true" in table.problem("What answers")


@pytest.mark.parametrize("data", [None, b"", b"no certificate"])
def test_authority_s_file_that_is_none_stops_the_start(tmp_path: Path, data: bytes | None) -> None:
    """Before anything is tried, with the key and the path."""
    path = tmp_path / "ca.crt"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(ConfigError, match=r"broker\.ca_file: expected an authority's certificate in PEM, got /"):
        table_of(configured(tls=True, ca_file=str(path)), print, print)


def test_authority_without_tls_is_a_mistake() -> None:
    """Whoever names an authority wants TLS."""
    with pytest.raises(ConfigError, match=r"broker\.ca_file: expected tls = true beside it"):
        configured(ca_file="/etc/gameline/ca.crt")


def test_rights_and_accounts_hold_after_the_broker_was_restarted(tmp_path: Path) -> None:
    """With a store, as Debian's mosquitto has one: what was retained is read by whom may, and by nobody else."""
    with open_folder() as place:
        guarded = Guarded(place / "files")
        store = place / "store"
        store.mkdir(mode=0o777)
        store.chmod(0o777)
        whole = place / "whole.conf"
        whole.write_text(f"persistence true\npersistence_location {store}/\ninclude_dir {place}/conf.d\n")
        (place / "conf.d").mkdir()
        shutil.copy(guarded.folder / "mosquitto.conf", place / "conf.d" / "gameline.conf")
        with Mosquitto(place, guarded.ports["tls_ws"], configuration=whole) as broker:
            with guarded.client("hall") as table:
                assert table.may_write(f"{TREE}state", b'"kept"', retain=True)
                assert table.may_write(f"{TREE}reply/ann/console", b'"hidden"', retain=True)
            broker.stop()
            broker.start()
            with guarded.client("wall") as wall, guarded.client("hall") as table:
                wall.listen()
                assert wall.hear("state") == "kept"
                assert table.may_write(f"{TREE}meta", b'"end"')
                wall.hear("meta")
                assert {topic for topic, _ in wall.heard} == {f"{TREE}state", f"{TREE}meta"}


# --- 3.1.1 ------------------------------------------------------------------------------------------------------------

OLD_CONNACK = bytes.fromhex("20 02 00 01")
"""What a broker of 3.1.1 says to who asks for 5."""


def test_table_speaks_3_1_1_where_it_is_told_to(tmp_path: Path, guarded: Guarded) -> None:
    """Birth, events, commands and answers are the same."""
    with (
        hall(tmp_path, guarded, mqtt="3.1.1", accounts={"ann": "referee"}) as table,
        guarded.client("ann") as ann,
    ):
        ann.listen()
        table.turn_until(lambda: table.mqtt.connected, "the table is connected")
        ann.hear("connection", lambda body: body["status"] == "online")
        assert table.mqtt.version_of_mqtt == "3.1.1"
        ann.client.publish(f"{TREE}cmd/huge/ann", b"x" * 100_000, qos=1)
        assert ann.may_write(f"{TREE}cmd/pause/ann", b"{}")
        table.turn_until(lambda: table.commands != [], "the command")
        assert [command.name for command in table.commands] == ["pause"]
        assert table.mqtt.reply(table.commands[0], b'"done"', client="ann/console")
        assert ann.hear("reply/ann/console") == "done"


@contextlib.contextmanager
def old(broker: Mosquitto) -> Iterator[int]:
    """A broker that knows 3.1.1 alone: it refuses 5 as those do, all others a real one answers; yields its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    threading.Thread(target=talk, args=server.accept(), daemon=True).start()

        def talk(client: socket.socket, _address: object) -> None:
            with client, contextlib.suppress(OSError):
                hello = client.recv(1000)
                if len(hello) < 9:
                    return
                if hello[8] == 5:  # the protocol's level, behind the length and the name MQTT
                    client.sendall(OLD_CONNACK)
                    return
                with socket.create_connection((broker.host, broker.port)) as far:
                    far.sendall(hello)
                    threading.Thread(target=pour, args=(far, client), daemon=True).start()
                    pour(client, far)

        def pour(source: socket.socket, into: socket.socket) -> None:
            with contextlib.suppress(OSError):
                while data := source.recv(65536):
                    into.sendall(data)
                into.shutdown(socket.SHUT_RDWR)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


def test_table_goes_on_in_3_1_1_where_5_is_refused(tmp_path: Path) -> None:
    """With a broker that does not know 5 the table is there all the same, and stays so when the broker comes back."""
    with Mosquitto(tmp_path) as broker, old(broker) as port:
        table = Hall(tmp_path, port=port)
        try:
            for connection in (1, 2):
                table.turn_until(
                    lambda wanted=connection: table.mqtt.connected and table.mqtt.connections == wanted,  # type: ignore[misc]
                    "the table is connected",
                )
                assert (table.mqtt.version_of_mqtt, table.mqtt.problem, table.mqtt.alive) == ("3.1.1", None, True)
                assert broker.process_id is not None
                if connection == 1:
                    broker.kill()
                    table.turn_until(lambda: not table.mqtt.connected, "the broker is gone")
                    broker.start()
        finally:
            table.close()
        names = [thread.name for thread in threading.enumerate() if "gameline-hall" in thread.name]
        assert names == []


def test_table_that_is_closed_while_it_falls_back_stays_closed(tmp_path: Path) -> None:
    """The end may come at any moment of the first connection; no thread is left behind."""
    with Mosquitto(tmp_path) as broker, old(broker) as port:
        for _ in range(20):
            table = Hall(tmp_path, port=port)
            table.close()
        deadline = threading.Event()
        for _ in range(200):
            if not [thread for thread in threading.enumerate() if "gameline-hall" in thread.name]:
                return
            deadline.wait(0.05)
        pytest.fail("a network thread goes on")
