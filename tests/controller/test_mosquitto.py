"""The private broker: where it listens, what it keeps, and what it says when it cannot start."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller import mosquitto as mosquitto_module
from controller.mosquitto import Mosquitto, MosquittoError

PROJECT = Path(mosquitto_module.__file__).parents[1]


@pytest.fixture
def taken_port() -> Iterator[int]:
    """A loopback port on which another program listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def answers(port: int) -> bool:
    """Whether something accepts connections on a loopback port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_broker_keeps_its_port_over_stop_and_start(tmp_path: Path) -> None:
    """It answers from the moment `start` returns, no more after `stop`, and again on the same port."""
    directory = tmp_path / "a place with spaces"
    directory.mkdir()
    with Mosquitto(directory) as broker:
        port = broker.port
        assert answers(port)
        broker.start()
        broker.stop()
        broker.stop()
        assert not broker.running
        assert broker.process_id is None
        assert not answers(port)
        broker.start()
        assert broker.port == port
        broker.kill()
        assert not answers(port)
        broker.start()
        assert answers(port)
        assert "mosquitto version" in broker.log.read_text()
    assert not answers(port)


def test_broker_ends_with_the_program_that_started_it(tmp_path: Path) -> None:
    """A killed program leaves no broker behind."""
    program = """
import sys
from pathlib import Path
from controller.mosquitto import Mosquitto
with Mosquitto(Path(sys.argv[1])) as broker:
    print(broker.port, flush=True)
    sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as owner:
        assert owner.stdout is not None
        port = int(owner.stdout.readline())
        assert answers(port)
        owner.kill()
    deadline = time.monotonic() + 5.0
    while answers(port):
        assert time.monotonic() < deadline, "the broker is still there"


def test_two_brokers_stand_side_by_side(tmp_path: Path) -> None:
    """Each takes a port of its own when none is given."""
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    with Mosquitto(tmp_path / "one") as one, Mosquitto(tmp_path / "two") as two:
        assert one.port != two.port


def test_broker_that_is_not_installed_names_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the program the sentence says what to install."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(mosquitto_module, "_PLACES", str(tmp_path))
    with pytest.raises(MosquittoError, match="install it with `apt install mosquitto`"):
        Mosquitto(tmp_path).start()


def test_broker_outside_the_path_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person's PATH often lacks the directory of daemons; it is looked for there all the same."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with Mosquitto(tmp_path) as broker:
        assert broker.running


def test_broker_on_a_taken_port_says_so(tmp_path: Path, taken_port: int) -> None:
    """A port that belongs to another program is not mistaken for our broker's."""
    broker = Mosquitto(tmp_path, taken_port)
    with pytest.raises(MosquittoError, match=f"Another program uses port {taken_port}: stop it"):
        broker.start()
    assert not broker.running


def test_broker_that_cannot_read_its_configuration_says_so(tmp_path: Path) -> None:
    """A wrong line ends the start at once, not after the time for a slow one."""
    with pytest.raises(MosquittoError, match="did not start on port"):
        Mosquitto(tmp_path, lines=["no_such_option true"]).start()


def test_broker_without_a_port_yet_says_so(tmp_path: Path) -> None:
    """The port is not known before the first start."""
    with pytest.raises(MosquittoError, match="start it first"):
        print(Mosquitto(tmp_path).port)
