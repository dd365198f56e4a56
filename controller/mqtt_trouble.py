"""What a person is told of a broker that can't be reached, lets us not in or soon will be trusted no more.

Each cause has its own sentence and cure.
"""

from __future__ import annotations

import ssl
from datetime import UTC, datetime
from typing import Final

from paho.mqtt.reasoncodes import ReasonCode

from controller.faults import Trouble

BAD_LOGIN = (134, 135)
"""MQTT 5 reason codes: bad user name or password, not authorized. paho gives the same for those of 3.1.1."""
WARN_DAYS: Final = 30
"""Before the broker's certificate ends: a hall that plays once a month hears of it in time."""
DAY_S: Final = 86_400
RENEW: Final = "run `gameline broker-config` with --renew there and restart the broker"
# OpenSSL's verify codes (x509_vfy.h).
NOT_YET_VALID, EXPIRED = 9, 10
OTHER_NAME = (62, 64)  # host name, address


def unreachable(error: BaseException | None, at: str, *, tls: bool) -> Trouble:
    """Why there is no connection, from what trying it has raised; `at` is host and port."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return Trouble("broker_untrusted", _untrusted(error, at))
    if tls and isinstance(error, ssl.SSLError | ConnectionResetError):
        return Trouble(
            "broker_is_none",
            f"What answers at {at} does not speak TLS with us ({error}): name the broker's port for TLS, usually 8883, "
            "in broker.port, or take tls out of [broker]; we go on trying.",
        )
    why = f"The MQTT broker at {at} does not answer ({error}): start it, or correct host and port; we go on trying."
    return Trouble("broker_away", why)


def unwelcome(reason: ReasonCode, at: str, *, username: str | None) -> Trouble:
    """Why the broker has refused the connection."""
    if reason.value not in BAD_LOGIN:
        sentence = f"The MQTT broker at {at} refuses us ({reason}): check user name, password and client id."
    elif username is None:
        nobody = f"The MQTT broker at {at} lets nobody in without an account ({reason})"
        sentence = f"{nobody}: set username and password_file in [broker]."
    else:
        cure = "put the account's right password into broker.password_file, or correct broker.username."
        sentence = f"The MQTT broker at {at} does not let the user {username!r} in ({reason}): {cure}"
    return Trouble("broker_refuses", sentence)


def ends_soon(ends_s: float, now_s: float, at: str) -> tuple[Trouble, ...]:
    """That the broker's certificate ends within `WARN_DAYS`, or has ended while the connection stands; Unix times."""
    if ends_s - now_s >= WARN_DAYS * DAY_S:
        return ()
    ends = f"{'ends' if now_s < ends_s else 'has ended'} on {date_of(ends_s)}"
    after = "from then on" if now_s < ends_s else "once this connection is lost"
    why = f"The certificate of the MQTT broker at {at} {ends}, and {after} it is not trusted: {RENEW}."
    return (Trouble("broker_certificate_ends", why),)


def date_of(unix_s: float) -> str:
    """The day, UTC."""
    return datetime.fromtimestamp(unix_s, UTC).date().isoformat()


def no_broker(at: str, version: str) -> Trouble:
    """Something answers, but not as a broker does: it hangs up."""
    older = '; RabbitMQ before 3.13 needs mqtt = "3.1.1" in [broker]' if version == "5" else ""
    return Trouble(
        "broker_is_none",
        f"What answers at {at} is no broker of MQTT {version}: name its TCP port, usually 1883 (8883 with tls = true), "
        f"and not the one for WebSocket{older}.",
    )


def _untrusted(error: ssl.SSLCertVerificationError, at: str) -> str:
    whose = f"The certificate of the MQTT broker at {at}"
    why = error.verify_message.rstrip(".")
    match error.verify_code:
        case code if code == EXPIRED:
            return f"{whose} has expired: {RENEW}, or set this machine's clock; we go on trying."
        case code if code == NOT_YET_VALID:
            return f"{whose} is not valid yet: set this machine's clock; we go on trying."
        case code if code in OTHER_NAME:
            return (
                f"{whose} is for other hosts ({why}): set broker.host to one of them, or run "
                "`gameline broker-config` there with --host for each; we go on trying."
            )
    return (
        f"{whose} is not from an authority that we trust ({why}): put a copy of the broker's ca.crt "
        "where broker.ca_file says; we go on trying."
    )
