"""A small web server for one page that shows pictures: what they show is handed in, and no file can be asked for.

Python's own http.server, held in bounds, and no library: five addresses are served to one or two people, and what a
framework brings beyond that, files, sessions, templates, forms, would be one more thing to keep from doing harm.
The bounds: one request a connection, a few connections at once, each a few kilobytes and seconds in all, and the oldest
makes room for a new one; only hosts that are an address or this machine's own name (a page elsewhere must not come in
by a name of its own, rebound to us); what changes anything is a POST that says it comes from this very page.
"""

from __future__ import annotations

import io
import ipaddress
import json
import logging
import secrets
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Protocol, cast

from controller.view_page import page

MOST_CONNECTIONS: Final = 8
"""At once; two phones take four."""
PATIENCE_S: Final = 1.0
"""So old a connection must be to be cut for a new one where there is no room: most are answered in a tenth of that."""
LIFE_S: Final = 10.0
"""Of a connection from its beginning, however slowly it goes on."""
SILENCE_S: Final = 5.0
"""Longest wait for the next bytes of a request, or for room to send."""
REQUEST_BYTES: Final = 16_384
CHECK_S: Final = 0.5
"""Between two looks for connections that have lived too long, and the longest that closing takes."""
PICTURE, SAVE = "/picture/", "/save/"


class Shown(Protocol):
    """What the page shows, from any thread."""

    def state(self) -> Mapping[str, Any]:
        """How things stand, as plain JSON values."""

    def picture(self, kind: Any) -> bytes | None:
        """A JPEG; None where there is none."""


class ViewServer:
    """The page's server, in threads of its own.

    Args:
        shown: what is shown.
        kinds: the pictures there are.
        save: keeps the frame shown as this kind and says where, or why not: (is it kept, one sentence).
        host: the address to listen on: 127.0.0.1 for this machine alone, 0.0.0.0 for everybody on its networks.
        port: 0 takes any that is free.
        logger: told of faults of ours in what is shown.
        title: of the page: ASCII letters, digits, blanks.

    Raises:
        OSError: the address cannot be listened on.
    """

    def __init__(
        self,
        *,
        shown: Shown,
        kinds: tuple[str, ...],
        save: Callable[[str], tuple[bool, str]],
        host: str,
        port: int,
        logger: logging.Logger,
        title: str = "Gameline",
    ) -> None:
        self._server = _Server((host, port), shown, kinds, save, title, logger)
        self.host, self.port = host, self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(CHECK_S,), name="view page", daemon=True
        )

    @property
    def address(self) -> str:
        """Where a browser finds it; on all addresses, by this machine's name."""
        host = socket.gethostname() if self.host in ("0.0.0.0", "::") else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/"

    def start(self) -> None:
        """Begin to serve."""
        self._thread.start()

    def close(self) -> None:
        """Stop, and cut what is still connected; twice is safe."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = MOST_CONNECTIONS

    def __init__(
        self,
        address: tuple[str, int],
        shown: Shown,
        kinds: tuple[str, ...],
        save: Callable[[str], tuple[bool, str]],
        title: str,
        logger: logging.Logger,
    ) -> None:
        self._log = logger
        self.shown, self.kinds, self.save, self.title = shown, kinds, save, title
        self._born_s: dict[socket.socket, float] = {}
        self._counting = threading.Lock()
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        # The library's own looks the machine's name up, which waits for a name server that may be away.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        """In a thread of its own, if need be in the place of the oldest: held connections keep nobody out."""
        now_s, oldest = time.monotonic(), None
        with self._counting:
            is_room = len(self._born_s) < MOST_CONNECTIONS
            if not is_room and now_s - next(iter(self._born_s.values())) >= PATIENCE_S:
                oldest = next(iter(self._born_s))
                del self._born_s[oldest]
                is_room = True
            if is_room:
                self._born_s[request] = now_s
        if oldest is not None:
            _cut(oldest)
        if is_room:
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def service_actions(self) -> None:
        """Called by the library between two requests and every CHECK_S: the old go."""
        with self._counting:
            old = [request for request, born_s in self._born_s.items() if time.monotonic() - born_s > LIFE_S]
        for request in old:
            _cut(request)

    def shutdown_request(self, request: Any) -> None:
        with self._counting:
            self._born_s.pop(request, None)
        super().shutdown_request(request)

    def server_close(self) -> None:
        super().server_close()
        with self._counting:
            left = list(self._born_s)
        for request in left:
            _cut(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A viewer that went away, or was cut, is nobody's fault; anything else is ours."""
        if not isinstance(sys.exception(), OSError):
            self._log.exception("view: a fault of ours, a viewer was not answered")


def _cut(request: socket.socket) -> None:
    try:
        request.shutdown(socket.SHUT_RDWR)
    except OSError:
        return


class _AtMost(io.RawIOBase):
    """The first bytes of a stream; after so many it is at its end."""

    def __init__(self, stream: io.RawIOBase, most: int) -> None:
        self._stream, self._left = stream, most

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        """The stream too: the connection's file is closed with its last stream."""
        self._stream.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        count = self._stream.readinto(memoryview(buffer)[: self._left]) or 0
        self._left -= count
        return count


class _Handler(BaseHTTPRequestHandler):
    """One connection and its one request."""

    protocol_version = "HTTP/1.0"
    timeout = SILENCE_S
    rbufsize = 0  # the socket itself, which `setup` reads in bounds
    error_message_format = "%(code)d %(message)s\n"
    error_content_type = "text/plain; charset=utf-8"

    @property
    def _ours(self) -> _Server:
        return cast(_Server, self.server)

    def version_string(self) -> str:
        """The Server header: no versions for whoever looks for old ones."""
        return "Gameline"

    def setup(self) -> None:
        super().setup()
        self.rfile = io.BufferedReader(_AtMost(cast(io.RawIOBase, self.rfile), REQUEST_BYTES))

    def do_GET(self) -> None:
        """The page, how things stand, or a picture."""
        if not self._is_host_known():
            return
        path = self.path.partition("?")[0]
        if path == "/":
            self._send_page()
        elif path == "/state":
            self._send(HTTPStatus.OK, "application/json", json.dumps(self._ours.shown.state()).encode())
        elif (kind := path.removeprefix(PICTURE).removesuffix(".jpg")) in self._ours.kinds and path == (
            f"{PICTURE}{kind}.jpg"
        ):
            jpeg = self._ours.shown.picture(kind)
            if jpeg is None:
                self.send_error(HTTPStatus.NOT_FOUND, "no such picture now")
            else:
                self._send(HTTPStatus.OK, "image/jpeg", jpeg)
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        """Keep what is shown as a test case; nothing of the request but its address is read."""
        if not self._is_host_known():
            return
        kind = self.path.removeprefix(SAVE)
        if self.path != f"{SAVE}{kind}" or kind not in self._ours.kinds:
            self.send_error(HTTPStatus.NOT_FOUND)
        elif self.headers.get_all("Origin") != [f"http://{self.headers['Host']}"]:
            self.send_error(HTTPStatus.FORBIDDEN, "only the page itself may save")
        else:
            is_kept, said = self._ours.save(kind)
            status = HTTPStatus.OK if is_kept else HTTPStatus.INSUFFICIENT_STORAGE
            self._send(status, "application/json", json.dumps({"said": said}).encode())

    def _is_host_known(self) -> bool:
        """Whether the request names us by an address or by this machine's name; it is answered where it does not."""
        if is_known_host(self.headers.get_all("Host") or []):
            return True
        self.send_error(HTTPStatus.FORBIDDEN, "name this machine by its address")
        return False

    def _send_page(self) -> None:
        nonce = secrets.token_urlsafe(16)
        policy = (
            f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src blob: data:; "
            "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        self._send(
            HTTPStatus.OK,
            "text/html; charset=utf-8",
            page(self._ours.title, nonce).encode(),
            {"Content-Security-Policy": policy},
        )

    def _send(self, status: HTTPStatus, kind: str, body: bytes, more: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (more or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self) -> None:
        """What every answer says: keep nothing, guess nothing, let no other page have it."""
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Referrer-Policy", "no-referrer")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        """Several a second are no news."""


def is_known_host(named: list[str]) -> bool:
    """Whether the one Host header is an address, or this machine's own name, with or without a port."""
    if len(named) != 1:
        return False
    host, port = named[0], ""
    if not host.endswith("]"):
        host, _, port = host.rpartition(":") if ":" in host else (host, "", "")
    if port and not port.isdecimal():
        return False
    own = socket.gethostname().lower()
    if host.lower() in ("localhost", own, f"{own}.local", f"{own.removesuffix('.local')}.local"):
        return True
    try:
        if host.startswith("[") and host.endswith("]"):
            ipaddress.IPv6Address(host[1:-1])
        else:
            ipaddress.IPv4Address(host)
    except ValueError:
        return False
    return True
