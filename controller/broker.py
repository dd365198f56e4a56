"""The connections to the broker that the configuration names: the table's own, and a command's beside it."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import ssl
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypedDict

from paho.mqtt.client import MQTTMessage

from controller.config import Config, ConfigError
from controller.discovery import discovery, forgotten
from controller.ghosts import Ghost, earlier_names
from controller.journal import Journal
from controller.mqtt import CommandMessage, Mqtt
from controller.mqtt_link import Link, Version

MACHINE_ID = Path("/etc/machine-id")


def table_at_broker(
    config: Config,
    *,
    boot_id: str,
    version: str,
    on_command: Callable[[CommandMessage], None],
    wake: Callable[[], None],
    logger: logging.Logger,
    clock_ns: Callable[[], int],
) -> Mqtt:
    """The table as its displays and referees know it; arguments as `Mqtt` takes them.

    Raises:
        ConfigError: the broker's host or its password's file can't be.
    """
    address, name, assistant = _address(config), config.table.name, config.home_assistant
    announced = discovery(name, prefix=assistant.prefix, version=version) if assistant.discovery else None
    with _naming_the_host():
        return Mqtt(
            **address,
            client_id=_client_id(config),
            table=name,
            with_accounts=bool(config.broker.accounts),
            boot_id=boot_id,
            version=version,
            on_command=on_command,
            discovery=announced,
            wake=wake,
            logger=logger,
            clock_ns=clock_ns,
        )


def caller_at_broker(
    config: Config,
    name: str,
    *,
    logger: logging.Logger,
    clock_ns: Callable[[], int],
    wake: Callable[[], None] | None = None,
    subscription: str | None = None,
    on_message: Callable[[MQTTMessage], None] = lambda message: None,
) -> Link:
    """A connection beside the table's, for a command called `name`: by itself it hears nothing, and is nobody's table.

    With the service's own id the broker would throw the service out, wherever that runs; a will or a farewell would
    tell the displays of a table that was never away.

    Raises:
        ConfigError: as for the table's.
    """
    address = _address(config)
    with _naming_the_host():
        return Link(
            **address,
            client_id=f"{_client_id(config)}-{name}",
            wake=wake,
            subscription=subscription,
            on_message=on_message,
            logger=logger,
            clock_ns=clock_ns,
        )


def referee_at_broker(
    config: Config,
    *,
    client_id: str,
    on_message: Callable[[MQTTMessage], None],
    wake: Callable[[], None],
    logger: logging.Logger,
    clock_ns: Callable[[], int],
) -> Link:
    """A connection that hears all of the configured table and may order there; arguments as `Link` takes them.

    Raises:
        ConfigError: as for the table's.
    """
    address = _address(config)
    with _naming_the_host():
        return Link(
            **address,
            client_id=client_id,
            subscription=f"gameline/v1/{config.table.name}/#",
            on_message=on_message,
            wake=wake,
            logger=logger,
            clock_ns=clock_ns,
        )


def ghosts_at_broker(
    config: Config, journal: Journal, *, boot_id: str, logger: logging.Logger, clock_ns: Callable[[], int]
) -> Iterator[Ghost]:
    """What this table has left at the broker under each of its earlier names.

    Raises:
        ConfigError: as for the table's.
    """
    address = _address(config)
    for name, mark in earlier_names(journal, config.table.name, boot_id).items():
        with _naming_the_host():
            open_link = partial(
                Link,
                **address,
                client_id=f"{_client_id(config)}-was-{name}",
                logger=logger,
                clock_ns=clock_ns,
            )
            announced = forgotten(name, prefix=config.home_assistant.prefix).topic
            yield Ghost(name, mark, announced=announced, open_link=open_link, clock_ns=clock_ns)


class _Address(TypedDict):
    """Where the broker is and how it is spoken to, as both kinds of connection take it."""

    host: str
    port: int
    username: str | None
    password: str | None
    reconnect_s: tuple[float, float]
    tls: ssl.SSLContext | None
    version_of_mqtt: Version


def _address(config: Config) -> _Address:
    broker = config.broker
    return {
        "host": broker.host,
        "port": broker.port,
        "username": broker.username,
        "password": _password(config),
        "reconnect_s": broker.reconnect_s,
        "tls": _tls(config),
        "version_of_mqtt": broker.mqtt,
    }


@contextlib.contextmanager
def _naming_the_host() -> Iterator[None]:
    """What a connection refuses before it is tried is its host."""
    try:
        yield
    except ValueError as error:
        raise ConfigError(f"broker.host: {error}") from error


def _client_id(config: Config) -> str:
    place = hashlib.sha256(f"{_machine()} {config.journal.path}".encode()).hexdigest()[:8]
    return f"gameline-{config.table.name}-{place}"


def _password(config: Config) -> str | None:
    if config.broker.password_file is None:
        return None
    try:
        return Path(config.broker.password_file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"broker.password_file: expected a readable text file, got {error}") from error


def _tls(config: Config) -> ssl.SSLContext | None:
    broker = config.broker
    if not broker.tls:
        return None
    try:
        return ssl.create_default_context(cafile=broker.ca_file)
    except OSError as error:  # ssl.SSLError among them
        why = f"got {broker.ca_file} ({error.strerror or error}): copy the broker's ca.crt there"
        raise ConfigError(f"broker.ca_file: expected an authority's certificate in PEM, {why}") from error


def _machine() -> str:
    """What tells this machine from another: two tables of one name must not throw each other out.

    The network card's address too, for a copied card has the same machine id.
    """
    with contextlib.suppress(OSError):
        return f"{MACHINE_ID.read_text(encoding='ascii').strip()} {uuid.getnode()}"
    return str(uuid.getnode())
