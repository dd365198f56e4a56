"""The unit under a systemd that is booted for it: what its text promises is what happens; `make test-unit`.

Mock pins and a film for the camera: what systemd does to the real pins' devices is not seen here.
"""

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.mosquitto import Mosquitto
from tests.controller.live_service import Display, config_in, film_in
from tests.systemd.container import Container, missing

UNIT = "gameline.service"
STATE = "/var/lib/gameline"

WHY_NOT = missing() if "GAMELINE_TEST_UNIT" in os.environ else "make test-unit boots a machine for it"
pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    with Mosquitto(tmp_path_factory.mktemp("broker")) as running:
        yield running


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory, broker: Mosquitto) -> Iterator[Container]:
    """A machine that is up, with the program, its unit and its configuration, and nothing started."""
    place = tmp_path_factory.mktemp("container")
    (place / "film").mkdir()
    film_in(place / "film")
    film, state = Path("/srv/film/frames"), Path(STATE)
    config = config_in(place, film=film, port=broker.port, pin_factory="mock", state=state)
    with Container(place, {"/etc/gameline/gameline.toml": config, "/srv/film": place / "film"}) as running:
        yield running


@pytest.fixture
def service(container: Container) -> Iterator[Container]:
    """The machine with the service started, on an empty journal; stopped at the end."""
    container.run("systemctl", "start", UNIT)
    yield container
    container.run("systemctl", "stop", UNIT)
    container.run("systemctl", "reset-failed", UNIT, is_checked=False)
    container.run("rm", "-rf", STATE)


@pytest.fixture
def display(broker: Mosquitto, service: Container) -> Iterator[Display]:
    made = Display(broker.port)
    yield made
    made.close()


def until(condition: Callable[[], bool], what: str, timeout_s: float = 30.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.1)


def play(display: Display) -> None:
    """As far as the first domino, which the camera sees."""
    display.wait_for("connection", lambda body: body["status"] == "online")
    display.order("start_game", names=["S", "W", "N", "E"])
    display.order("start_set")
    display.wait_for("event/domino_laid")


def test_start_waits_until_it_works_and_a_game_is_played_behind_closed_doors(
    service: Container, display: Display
) -> None:
    """Started is what said READY=1; camera, broker and journal work with all that the unit takes away from it."""
    assert (service.property_of(UNIT, "ActiveState"), service.property_of(UNIT, "Type")) == ("active", "notify")
    play(display)
    assert service.run("stat", "--format=%U %a", f"{STATE}/journal.sqlite") == "gameline 640"

    main = service.property_of(UNIT, "MainPID")
    status = dict(line.split(":\t", 1) for line in service.run("cat", f"/proc/{main}/status").splitlines())
    assert (status["NoNewPrivs"], int(status["CapBnd"], 16), status["Seccomp"]) == ("1", 0, "2")
    assert service.run("ps", "--format=ni=", f"--pid={main}").strip() == "-5"
    for place, is_open in ((STATE, True), ("/tmp", True), ("/etc", False), ("/srv", False), ("/opt", False)):
        said = service.run("nsenter", f"--target={main}", "--mount", "touch", f"{place}/mark", is_checked=False)
        assert ("Read-only file system" in said) is not is_open, f"{place}: {said}"
    assert service.run("nsenter", f"--target={main}", "--mount", "ls", "-A", "/root", is_checked=False) == ""
    said = service.log_of(UNIT)
    assert not [word for word in ("Traceback", "denied", "not permitted", "Read-only") if word in said], said


def test_log_is_found_in_the_journal_by_fault_table_and_event(service: Container, display: Display) -> None:
    """What journalctl has of a fault and of an alert are fields, not words in a line."""
    play(display)
    display.order("lay", tile=[5, 5], end="R")
    raised = display.wait_for("event/finding_raised")
    main = service.property_of(UNIT, "MainPID")

    def found(*matches: str) -> list[dict[str, str]]:
        return service.entries_of(UNIT, "GAMELINE_TABLE=hall", f"_PID={main}", *matches)

    until(lambda: bool(found("GAMELINE_FAULT=clock_unset")), "the fault is in the journal")
    fault, *_ = found("GAMELINE_FAULT=clock_unset")
    assert (fault["_TRANSPORT"], fault["PRIORITY"], fault["SYSLOG_IDENTIFIER"]) == ("journal", "4", "gameline")
    assert fault["MESSAGE"].startswith("clock_unset: the wall clock")
    assert fault["CODE_FILE"] == "/opt/source/controller/health.py"
    until(lambda: bool(found("GAMELINE_EVENT=finding_raised")), "the alert is in the journal")
    alert = found("GAMELINE_EVENT=finding_raised")[-1]
    assert (alert["GAMELINE_SEQUENCE"], alert["PRIORITY"]) == (str(raised["sequence"]), "6")
    assert "GAMELINE_FAULT" not in alert


def test_sentence_that_a_start_ends_with_is_an_error_in_the_journal(container: Container) -> None:
    """Whoever asks for errors finds why the service does not come up, without the mark that says so."""
    command = ("/opt/gameline/.venv/bin/gameline", "run", "/nowhere/gameline.toml")
    container.run("systemd-run", "--wait", "--unit=slip", *command, is_checked=False)
    until(lambda: bool(container.entries_of("slip.service", "PRIORITY=3")), "it is in the journal")
    entry, *_ = container.entries_of("slip.service", "PRIORITY=3")
    assert entry["MESSAGE"].startswith("gameline: /nowhere/gameline.toml: expected a configuration file")


def test_doctor_looks_at_the_running_service_as_its_user(service: Container, display: Display) -> None:
    """It sees the unit, who has the table, and what the service says of itself; the service goes on."""
    display.wait_for("health", lambda parts: parts["clock"]["codes"] == ["clock_unset"])
    main = service.property_of(UNIT, "MainPID")
    said = service.run(
        *("setpriv", "--reuid=gameline", "--regid=gameline", "--init-groups", "--"),
        *("/opt/gameline/.venv/bin/gameline", "doctor", "/etc/gameline/gameline.toml", "--json"),
        is_checked=False,
    )
    told = {line["part"]: line for line in json.loads(said)["checks"]}
    assert told["camera"]["found"].startswith(f"in use by the service, process {main}: ")
    assert told["unit"]["found"].startswith("active, ")
    assert (told["journal"]["well"], told["groups"]["found"]) == (True, "gameline needs none")
    assert told["user"]["found"] == "gameline, as the service"
    assert "gone with the power" in told["disk"]["cure"]  # as everything of this machine is
    assert told["service"]["found"] == "clock degraded (clock_unset)"
    assert service.property_of(UNIT, "MainPID") == main


@pytest.mark.parametrize(
    ("signal", "result"), [("KILL", "signal"), ("STOP", "watchdog")], ids=["killed", "stuck for 10 s"]
)
def test_program_that_ends_or_hangs_is_silenced_and_comes_back_with_its_game(
    service: Container, display: Display, signal: str, result: str
) -> None:
    """kill -9, or a loop that stands still: systemd runs `gameline silence`, starts it again, and the game is there."""
    play(display)
    before = service.property_of(UNIT, "MainPID")
    display.heard.queue.clear()
    service.run("systemctl", "kill", "--kill-whom=main", f"--signal={signal}", UNIT)
    until(lambda: service.property_of(UNIT, "SubState") == "auto-restart", "ended")
    assert service.property_of(UNIT, "Result") == result
    last = service.property_of(UNIT, "ExecStopPost")
    assert "gameline silence /etc/gameline/gameline.toml" in last
    assert "code=exited ; status=0" in last
    until(lambda: service.property_of(UNIT, "ActiveState") == "active", "started again")
    assert service.property_of(UNIT, "MainPID") != before
    state = display.wait_for("state", lambda body: "restarted" in body["halts"])
    assert (len(state["line"]), state["names"]) == (1, ["S", "W", "N", "E"])


def test_stop_is_clean_and_soon(service: Container, display: Display) -> None:
    """It says goodbye to the broker and ends with 0, long before systemd would kill it."""
    play(display)
    began = time.monotonic()
    service.run("systemctl", "stop", UNIT)
    assert time.monotonic() - began < 10
    told = [service.property_of(UNIT, name) for name in ("ActiveState", "Result", "ExecMainStatus")]
    assert told == ["inactive", "success", "0"]
    assert display.wait_for("connection", lambda body: body["status"] != "online")["status"] == "offline"
