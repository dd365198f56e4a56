"""Home Assistant's own core with its MQTT integration alone, at a broker; run by the tests under the Python it needs.

On stdin come lines: `check FILE` holds a discovery message against its schemas, `press ENTITY` presses a button, `quit`
ends it. On stdout go lines of JSON: every entity's state as it changes, with what else it says, what a check has come
to, and every warning of Home Assistant's integrations.
"""

import asyncio
import json
import logging
import sys
from importlib import import_module
from pathlib import Path

import voluptuous as vol
from homeassistant import bootstrap, config_entries, core, loader
from homeassistant.components.mqtt.schemas import DEVICE_DISCOVERY_SCHEMA
from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.setup import async_setup_component


def say(**what):
    """One line for the test."""
    print(json.dumps(what, default=str), flush=True)


class Warnings(logging.Handler):
    """What Home Assistant finds wrong with what it is told."""

    def emit(self, record):
        """Tell it."""
        say(warning=self.format(record))


def entry(host, port):
    """Home Assistant's own file of what is set up: the MQTT integration at this broker."""
    mqtt = {
        "entry_id": "mqtt",
        "domain": "mqtt",
        "title": "broker",
        "version": 1,
        "minor_version": 2,
        "source": "user",
        "unique_id": None,
        "disabled_by": None,
        "pref_disable_new_entities": False,
        "pref_disable_polling": False,
        "data": {"broker": host, "port": port},
        "options": {"discovery": True, "discovery_prefix": "homeassistant"},
        "created_at": "2026-01-01T00:00:00+00:00",
        "modified_at": "2026-01-01T00:00:00+00:00",
        "discovery_keys": {},
        "subentries": [],
    }
    return {"version": 1, "minor_version": 5, "key": "core.config_entries", "data": {"entries": [mqtt]}}


def check(message):
    """The whole message, and each component as strictly as its platform can: discovery itself drops unknown keys."""
    DEVICE_DISCOVERY_SCHEMA(message)
    for component in message["components"].values():
        platform = import_module(f"homeassistant.components.mqtt.{component.pop('platform')}")
        platform.PLATFORM_SCHEMA_MODERN(component)


async def main(folder, host, port):
    """Run until told to quit."""
    (Path(folder) / "configuration.yaml").touch()
    place = Path(folder) / ".storage"
    place.mkdir()
    (place / "core.config_entries").write_text(json.dumps(entry(host, port)))
    hass = core.HomeAssistant(folder)
    loader.async_setup(hass)
    hass.config.skip_pip = True
    hass.config.components |= {"http", "file_upload"}  # its web server, which nobody asks here
    hass.config_entries = config_entries.ConfigEntries(hass, {})
    await bootstrap.async_load_base_functionality(hass)

    @core.callback
    def changed(event):
        state = event.data["new_state"]
        if state is None:
            say(gone=event.data["entity_id"])
        else:
            say(entity=state.entity_id, state=state.state, attributes=dict(state.attributes))

    hass.bus.async_listen(EVENT_STATE_CHANGED, changed)
    say(is_up=await async_setup_component(hass, "mqtt", {}))
    await hass.async_start()
    loop = asyncio.get_running_loop()
    while (line := (await loop.run_in_executor(None, sys.stdin.readline)).split()) and line[0] != "quit":
        if line[0] == "press":
            await hass.services.async_call("button", "press", {"entity_id": line[1]}, blocking=True)
            continue
        try:
            check(json.loads(await loop.run_in_executor(None, Path(line[1]).read_text)))
            say(checked="well")
        except vol.Invalid as wrong:
            say(checked=str(wrong))
    await hass.async_stop(force=True)


logging.getLogger("homeassistant.components").addHandler(Warnings(logging.WARNING))
asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
