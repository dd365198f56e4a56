"""What mosquitto is told so that each account reads and writes what its role may: configuration and ACL, as text.

A right that is not named here nobody has. Rights are written out account by account: mosquitto's `pattern` lines hold
for every account, displays among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from controller.accounts import PLAIN, Role
from controller.mqtt import SAID

TABLES = "gameline/v1/+/"
"""Every table at the broker."""
HEAD = (
    "# Written by `gameline broker-config`. Keep what is your own in another file: a changed one is not written over.\n"
)


@dataclass(frozen=True, slots=True)
class Rights:
    """Topic filters in full; what matches none of them is refused by the broker."""

    reads: tuple[str, ...]
    writes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ports:
    """Where the broker listens: on its own machine in the clear, on the network with TLS alone."""

    local: int = 1883
    tls: int = 8883
    local_ws: int = 9001
    tls_ws: int = 8884


def _of_tables(*topics: str) -> tuple[str, ...]:
    return tuple(f"{TABLES}{topic}" for topic in topics)


READABLE = (*_of_tables(*SAID), "homeassistant/device/+/config")
"""What tables say; Home Assistant finds them by the last."""
LOCAL = Rights(reads=(*READABLE, *_of_tables("reply/+")), writes=_of_tables("cmd/+"))
"""Of who has no account, on the broker's own machine alone: a shell there is the referee's."""


def rights_of(account: str, role: Role) -> Rights:
    """What an account may read and write."""
    match role:
        case Role.TABLE:
            own = f"gameline/v1/{account}/"
            return Rights(reads=(f"{own}#",), writes=(f"{own}#", f"homeassistant/device/gameline-{account}/config"))
        case Role.REFEREE | Role.CHIEF:
            plain = LOCAL if account == PLAIN else Rights((), ())
            return Rights(
                reads=(*dict.fromkeys((*READABLE, *_of_tables(f"reply/{account}/+"), *plain.reads)),),
                writes=(*_of_tables(f"cmd/+/{account}"), *plain.writes),
            )
        case Role.DISPLAY:
            return Rights(reads=READABLE, writes=())
        case Role.BRIDGE:
            return Rights(reads=(*_of_tables("#"), READABLE[-1]), writes=())


def acl_text(accounts: Mapping[str, Role]) -> str:
    """The ACL file: first who has no account, then each account."""
    return "\n".join(
        [HEAD, "# Without an account: only clients on this machine.", *_lines(LOCAL), *_sections(accounts), ""]
    )


def _sections(accounts: Mapping[str, Role]) -> Iterator[str]:
    for account, role in accounts.items():
        yield from ("", f"# {role.value}", f"user {account}", *_lines(rights_of(account, role)))


def _lines(rights: Rights) -> Iterator[str]:
    yield from (f"topic read {topic}" for topic in rights.reads)
    yield from (f"topic write {topic}" for topic in rights.writes)


def configuration_text(directory: Path, ports: Ports) -> str:
    """The configuration file: four listeners, each with who may connect there.

    Args:
        directory: where the files it names lie, absolute.
    """
    who = f"password_file {directory}/passwd\nacl_file {directory}/acl\n"
    tls = f"certfile {directory}/server.crt\nkeyfile {directory}/server.key\n"
    return f"""{HEAD}
per_listener_settings true
# A display hears of a move at once, not when it has acknowledged the message before.
set_tcp_nodelay true

# This machine: the table, and a shell without an account.
listener {ports.local} 127.0.0.1
allow_anonymous true
{who}
# A browser on this machine. Any web page in it can reach this port, so nobody is let in without an account.
# Without socket_domain the address is not heeded, and the whole network can reach it (mosquitto 2.0.11).
listener {ports.local_ws} 127.0.0.1
socket_domain ipv4
protocol websockets
allow_anonymous false
{who}
# The network.
listener {ports.tls}
allow_anonymous false
{tls}{who}
# Browsers on the network.
listener {ports.tls_ws}
protocol websockets
allow_anonymous false
{tls}{who}"""
