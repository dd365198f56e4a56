"""The simulated referee at a real broker: what he hears, what he sends, and that nothing silences him."""

from __future__ import annotations

import json
import queue
import time
from collections.abc import Callable, Iterator

import pytest
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from controller.demo.patience import DemoFailed, Desk, Patience
from controller.demo.referee import Heard, Referee
from controller.mosquitto import Mosquitto

DEADLINE_S = 10.0


class Table:
    """A table's end of the broker, for tests to speak through."""

    def __init__(self, broker: Mosquitto) -> None:
        self.commands: queue.Queue[MQTTMessage] = queue.Queue()
        self.client = Client(CallbackAPIVersion.VERSION2, client_id="table", protocol=MQTTProtocolVersion.MQTTv5)
        self.client.reconnect_delay_set(1, 1)
        self.client.on_connect = lambda client, *_: client.subscribe("gameline/v1/demo/cmd/#", qos=1)
        self.client.on_message = lambda _client, _data, message: self.commands.put(message)
        self.client.connect(broker.host, broker.port)
        self.client.loop_start()

    def say(self, topic: str, body: object, *, retain: bool = False) -> None:
        payload = body if isinstance(body, bytes) else json.dumps(body)
        self.client.publish(f"gameline/v1/demo/{topic}", payload, qos=1, retain=retain)

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


@pytest.fixture
def table(mosquitto: Mosquitto) -> Iterator[Table]:
    """A table that is connected."""
    table = Table(mosquitto)
    yield table
    table.close()


@pytest.fixture
def referee(mosquitto: Mosquitto) -> Iterator[Referee]:
    """A referee who listens."""
    with Referee(
        host=mosquitto.host, port=mosquitto.port, table="demo", now_ns=lambda: 42, wall_ms=lambda: 1000
    ) as referee:
        yield referee


def until(referee: Referee, is_so: Callable[[Heard], bool]) -> Heard:
    """What was heard once it is so."""
    deadline = time.monotonic() + DEADLINE_S
    heard = referee.heard()
    while not is_so(heard):
        assert time.monotonic() < deadline, f"not heard within {DEADLINE_S} s: {heard}"
        referee.wait(heard.count, 0.5)
        heard = referee.heard()
    return heard


def test_referee_hears_the_retained_state_the_events_and_his_replies(table: Table, referee: Referee) -> None:
    """The scoreboard with fields he does not know, each event, and the answer to what he asked."""
    table.say("state", {"revision": 5, "phase": "play", "turn": 2, "line": [], "new": 1}, retain=True)
    until(referee, lambda heard: heard.is_fresh)
    table.say("event/passed", {"sequence": 9, "type": "passed", "body": {"seat": 1}, "boot_id": "x"})
    heard = until(referee, lambda heard: bool(heard.events))
    assert (heard.board.revision, heard.board.turn, heard.board_at_ns) == (5, 2, 42)
    assert heard.events[0].body == {"seat": 1}


def test_command_carries_its_envelope_and_is_never_retained(table: Table, referee: Referee) -> None:
    """Who, when, how long it is meant, and where the answer goes; the answer is found under its id."""
    table.say("state", {"revision": 1}, retain=True)
    until(referee, lambda heard: heard.is_fresh)
    request = referee.command("start_set", {"lead": 3})
    message = table.commands.get(timeout=DEADLINE_S)
    assert (message.topic, message.qos, message.retain) == ("gameline/v1/demo/cmd/start_set", 1, False)
    assert json.loads(message.payload) == {
        "id": request, "sent_ms": 1000, "ttl_s": 10, "by": "referee", "client": "demo-referee", "lead": 3,
    }  # fmt: skip
    assert referee.reply(request) is None
    table.say("reply/demo-referee", {"id": request, "accepted": False, "reason": "set_running", "text": "No.", "x": 1})
    until(referee, lambda _: referee.reply(request) is not None)
    reply = referee.reply(request)
    assert reply is not None
    assert (reply.accepted, reply.reason, reply.text) == (False, "set_running", "No.")


def test_unreadable_message_is_told_and_silences_nobody(table: Table, referee: Referee) -> None:
    """Rubbish on the state's topic is a sentence on the screen; the next state is heard."""
    table.say("state", {"revision": 1}, retain=True)
    until(referee, lambda heard: heard.is_fresh)
    table.say("state", b"\xff\x00")
    table.say("event/passed", {"sequence": "nine"})
    table.say("state", {"revision": 2})
    heard = until(referee, lambda heard: heard.board.revision == 2)
    assert heard.trouble is not None
    assert heard.trouble.startswith("event/passed: Expected an event")


def test_board_is_not_fresh_until_it_comes_again_after_the_broker_did(
    mosquitto: Mosquitto, table: Table, referee: Referee
) -> None:
    """After a restart of the broker the old board is not believed before the table has spoken again."""
    table.say("state", {"revision": 1}, retain=True)
    until(referee, lambda heard: heard.is_fresh)
    mosquitto.stop()
    until(referee, lambda heard: not heard.is_fresh)
    mosquitto.start()
    table.say("state", {"revision": 2}, retain=True)
    assert until(referee, lambda heard: heard.is_fresh).board.revision == 2


def test_desk_gives_up_on_a_command_that_nobody_answers(referee: Referee) -> None:
    """A table that is silent for a quarter of a minute ends the demonstration."""
    real = [0]
    desk = Desk(referee, lambda: real[0])
    desk.ask("start_set", 4, {})
    assert desk.answer() is None
    assert desk.is_waiting
    real[0] = 16_000_000_000
    with pytest.raises(DemoFailed, match="did not answer the command start_set within 15 s"):
        desk.answer()


def test_patience_needs_table_time_and_real_time_and_starts_anew_for_another_thing() -> None:
    """Fast table time alone wears nobody's patience out, and what was interrupted starts again."""
    real = [0]
    patience = Patience(lambda: real[0])
    assert not patience.is_over("a", 0, 3.0, real_s=1.0)
    assert not patience.is_over("a", 5_000_000_000, 3.0, real_s=1.0)
    real[0] = 1_000_000_000
    assert patience.is_over("a", 5_000_000_000, 3.0, real_s=1.0)
    assert not patience.is_over("b", 5_000_000_000, 3.0)
    patience.forget()
    assert patience.lasted("b", 9_000_000_000) == 0
