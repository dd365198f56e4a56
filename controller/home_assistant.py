"""`gameline home-assistant`: a table appears in Home Assistant, or goes from it, by one retained message."""

from __future__ import annotations

import argparse
import contextlib
import sys
import threading
import time

from controller.broker import caller_at_broker
from controller.cli import Sorry
from controller.config import Config, ConfigError, in_file, load_config
from controller.discovery import discovery, forgotten
from controller.logs import nowhere
from controller.machine import VERSION
from controller.mqtt_link import Acknowledged, Link, Retained

PATIENCE_S = 10.0
"""For the broker to answer."""
LOOK_S = 0.05
"""Between two looks whether there is a connection: the link tells nobody of one without a subscription."""


def home_assistant(options: argparse.Namespace) -> int:
    """Publish the message, take it away, or print it."""
    try:
        config = load_config(options.config)
        name, prefix = config.table.name, config.home_assistant.prefix
        message = discovery(name, prefix=prefix, version=VERSION)
        if options.what == "show":
            print(message.payload.decode())
            return 0
        _publish(config, message if options.what == "publish" else forgotten(name, prefix=prefix))
    except ConfigError as error:
        raise Sorry(in_file(error, options.config)) from error
    if options.what == "remove" and config.home_assistant.discovery:
        again = "set discovery = false in [home_assistant] and restart the service"
        print(f"gameline: the service announces the table again at its next connection: {again}", file=sys.stderr)
    return 0


def _publish(config: Config, message: Retained) -> None:
    """Publish a message retained. Raises: Sorry where the broker has not taken it; ConfigError."""
    taken = threading.Event()
    link = caller_at_broker(config, "home-assistant", logger=nowhere(), clock_ns=time.monotonic_ns, wake=taken.set)
    with contextlib.closing(link):
        link.start()
        until_s = time.monotonic() + PATIENCE_S
        while not link.connection and time.monotonic() < until_s:
            time.sleep(LOOK_S)
        if link.publish(*message, connection=link.connection, retain=True) is None:
            raise Sorry(link.problem or "the connection to the MQTT broker was lost: try again")
        taken.wait(max(0.0, until_s - time.monotonic()))
        refusal = _answer(link)
    if refusal is not None:
        user = config.broker.username or "(anonymous)"
        raise Sorry(f"the MQTT broker does not take {message.topic} ({refusal}): let the user {user} write there")


def _answer(link: Link) -> str | None:
    """Why the broker has not taken the message; None where it has."""
    for news in link.news():
        if isinstance(news, Acknowledged):
            return news.refusal
    return "no answer"
