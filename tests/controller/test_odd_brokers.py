"""Brokers that are none: one that says nothing, one that hangs up again and again."""

import contextlib
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from controller import mqtt_link
from controller.config import Config
from controller.mqtt_link import Link

DEADLINE_S = 30.0


@contextlib.contextmanager
def listening(meet: Callable[[socket.socket], None]) -> Iterator[int]:
    """A server that does the same with everyone who comes; yields its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    meet(server.accept()[0])

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


@contextlib.contextmanager
def calling(port: int) -> Iterator[Link]:
    """A connection that is tried again quickly."""
    link = Link(
        host="127.0.0.1",
        port=port,
        client_id="gameline-odd",
        username=None,
        password=None,
        logger=logging.getLogger("test"),
        reconnect_s=(0.05, 0.2),
        clock_ns=time.monotonic_ns,
    )
    link.start()
    try:
        yield link
    finally:
        link.close()


def test_broker_that_never_answers_is_left_and_called_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the call and says nothing: after the time of a sign of life it is named, and tried again."""
    monkeypatch.setattr(mqtt_link, "KEEPALIVE_S", 1)
    callers: list[socket.socket] = []
    came_again = threading.Event()

    def meet(caller: socket.socket) -> None:
        callers.append(caller)  # kept open, and never answered
        if len(callers) == 2:
            came_again.set()

    with listening(meet) as port, calling(port) as link:
        assert link.problem == f"There is no connection to the MQTT broker at 127.0.0.1:{port} yet."
        assert came_again.wait(DEADLINE_S)
        assert (link.problem or "").startswith(f"What answers at 127.0.0.1:{port} is no broker")
        assert link.alive
    for caller in callers:
        caller.close()


def test_wait_between_two_tries_grows_to_its_limit_and_no_further() -> None:
    """Doubled from try to try without an end, the twelfth would come after three minutes and not after two seconds."""
    calls = threading.Semaphore(0)

    def meet(caller: socket.socket) -> None:
        caller.close()
        calls.release()

    with listening(meet) as port, calling(port) as link:
        assert all(calls.acquire(timeout=DEADLINE_S) for _ in range(12))
        assert link.alive
    assert Config().broker.reconnect_s[1] <= 15
