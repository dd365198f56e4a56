"""What Home Assistant is told of a table so that it appears there: one retained message of its MQTT device discovery.

The words are Home Assistant's own. Its templates read our topics as docs/mqtt.md has them; nothing is published for it
besides this message.
"""

from __future__ import annotations

from typing import Any

import msgspec

from controller.codec import type_name
from controller.game import events as ev
from controller.game.state import Phase
from controller.mqtt_link import Retained

CLIENT = "home-assistant"
"""Under this name its buttons give their orders: the answers come to `reply/home-assistant`."""
STALE_S = 5
"""After so long without a heartbeat what it says is unknown."""
PLAY = (
    ev.SetStarted,
    ev.DominoLaid,
    ev.Passed,
    ev.WentOut,
    ev.Locked,
    ev.SetScored,
    ev.SetAnnulled,
    ev.GameStarted,
    ev.GameEnded,
)
CALLS = (ev.RefereeCalled, ev.TimeExceeded, ev.SyncLost, ev.CameraLost, ev.StorageLost)
"""What calls for a person and may be told at once; a finding may have to be kept silent, `alert` knows when."""

_TURN = "{% set seat = value_json.turn %}{{ 'None' if seat is none else value_json.names[seat] or 'seat %d' % seat }}"
_PROBLEM = "{{ 'ON' if value_json.values() | map(attribute='status') | reject('eq', 'ok') | list else 'OFF' }}"
_ANSWER = "{{ 'done' if value_json.accepted else (value_json.text or value_json.reason)[:255] }}"
"""Home Assistant takes no longer state."""

Component = dict[str, Any]


def discovery(table: str, *, prefix: str, version: str) -> Retained:
    """The message and its topic.

    Args:
        table: its name; with `gameline-` before it that of the device.
        prefix: below which Home Assistant listens for such messages.
        version: of Gameline.
    """
    device = f"gameline-{table}"
    tree = f"gameline/v1/{table}/"
    message = {
        "device": {
            "identifiers": [device],
            "name": f"Gameline {table}",
            "manufacturer": "Gameline",
            "model": "Domino table",
            "sw_version": version,
        },
        "origin": {"name": "Gameline", "sw_version": version},
        "availability": [
            {
                "topic": f"{tree}connection",
                "value_template": "{{ 'online' if value_json.status == 'online' else 'offline' }}",
            }
        ],
        "components": {
            key: {"unique_id": f"{device}-{key}", "qos": 1, **component} for key, component in _components(tree).items()
        },
    }
    return Retained(f"{prefix}/device/{device}/config", msgspec.json.encode(message))


def forgotten(table: str, *, prefix: str) -> Retained:
    """What makes Home Assistant and the broker forget the table: nothing, where the message was."""
    return Retained(discovery(table, prefix=prefix, version="").topic, b"")


def _components(tree: str) -> dict[str, Component]:
    state, health, heartbeat = f"{tree}state", f"{tree}health", f"{tree}heartbeat"
    points = {"state_class": "measurement", "icon": "mdi:scoreboard-outline"}
    technical = {"entity_category": "diagnostic"}
    each_second = {"expire_after": STALE_S, "enabled_by_default": False}  # else it fills Home Assistant's database
    return {
        "phase": _sensor(
            "Phase",
            state,
            "{{ value_json.phase }}",
            device_class="enum",
            options=[phase.value for phase in Phase],
        ),
        "set": _sensor("Set", state, "{{ value_json.set_no }}"),
        "turn": _sensor("Turn", state, _TURN),
        "points_a": _sensor("Points A", state, "{{ value_json.points[0] }}", **points),
        "points_b": _sensor("Points B", state, "{{ value_json.points[1] }}", **points),
        "seconds_left": _sensor(
            "Seconds left",
            heartbeat,
            "{{ value_json.seconds_left }}",
            device_class="duration",
            unit_of_measurement="s",
            **each_second,
        ),
        "temperature": _sensor(
            "Temperature",
            heartbeat,
            "{{ value_json.temperature_c }}",
            device_class="temperature",
            unit_of_measurement="°C",
            **each_second,
            **technical,
        ),
        "alert": {
            "platform": "binary_sensor",
            "name": "Alert",
            "icon": "mdi:bell-ring-outline",
            "state_topic": state,
            "value_template": "{{ 'ON' if value_json.alert else 'OFF' }}",
            "json_attributes_topic": state,
            "json_attributes_template": "{{ (value_json.alert or {'kind': none, 'text': none}) | tojson }}",
        },
        "problem": {
            "platform": "binary_sensor",
            "name": "Problem",
            "device_class": "problem",
            "state_topic": health,
            "value_template": _PROBLEM,
            "json_attributes_topic": health,
            **technical,
        },
        "acknowledge": _button("Acknowledge", tree, "acknowledge", icon="mdi:bell-check-outline"),
        "pause": _button("Pause", tree, "pause", icon="mdi:pause"),
        "resume": _button("Resume", tree, "resume", icon="mdi:play"),
        "answer": _sensor("Last answer", f"{tree}reply/{CLIENT}", _ANSWER, **technical),
        "play": _event("Play", tree, PLAY, icon="mdi:cards-outline"),
        "calls": _event("Calls", tree, CALLS, icon="mdi:account-alert-outline"),
    }


def _sensor(name: str, topic: str, template: str, **more: Any) -> Component:
    return {"platform": "sensor", "name": name, "state_topic": topic, "value_template": template, **more}


def _button(name: str, tree: str, order: str, *, icon: str) -> Component:
    """An order has an id that is never used twice, and a time: both from Home Assistant's clock."""
    return {
        "platform": "button",
        "name": name,
        "icon": icon,
        "command_topic": f"{tree}cmd/{order}",
        "command_template": "{% set ms = (now().timestamp() * 1000) | int %}"
        f'{{"id": "{order}-{{{{ ms }}}}", "sent_ms": {{{{ ms }}}}, "by": "Home Assistant", "client": "{CLIENT}"}}',
    }


def _event(name: str, tree: str, kinds: tuple[type, ...], *, icon: str) -> Component:
    """What happens, as it happens: what comes late is over, and what renders to nothing Home Assistant drops."""
    names = [type_name(kind) for kind in kinds]
    return {
        "platform": "event",
        "name": name,
        "icon": icon,
        "state_topic": f"{tree}event/+",
        "event_types": names,
        "value_template": f"{{% if value_json.type in {names} and not value_json.historical %}}"
        "{{ {'event_type': value_json.type, 'sequence': value_json.sequence, 'body': value_json.body} | tojson }}"
        "{% endif %}",
    }
