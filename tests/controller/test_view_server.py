"""The technician's page over real sockets: what it shows, whom it answers, and that nobody can hold it up."""

from __future__ import annotations

import contextlib
import http.client
import json
import logging
import re
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from controller import view_server
from controller.view_page import page
from controller.view_server import ViewServer, is_known_host


@dataclass
class Shown:
    """Something to look at, which counts how often it is asked for."""

    asked: list[str] = field(default_factory=list)
    jpeg: bytes | None = b"\xff\xd8picture"

    def state(self) -> dict[str, object]:
        self.asked.append("state")
        return {"standing": "settled"}

    def picture(self, kind: str) -> bytes | None:
        self.asked.append(kind)
        return self.jpeg


@dataclass
class Site:
    """A running server and what it was asked for."""

    server: ViewServer
    shown: Shown
    saved: list[str]

    def ask(self, method: str, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=10)) as client:
            client.request(method, path, headers=headers)
            answer = client.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(view_server, "CHECK_S", 0.05)
    shown, saved = Shown(), list[str]()

    def save(kind: str) -> tuple[bool, str]:
        saved.append(kind)
        return kind == "raw", f"kept {kind}"

    log = logging.getLogger("test")
    server = ViewServer(shown=shown, kinds=("raw", "table"), save=save, host="127.0.0.1", port=0, logger=log)
    server.start()
    yield Site(server, shown, saved)
    server.close()


def test_page_is_whole_in_itself_and_lets_nothing_else_in(site: Site) -> None:
    """No address of anything elsewhere stands in it, and its policy would not let it be fetched."""
    status, headers, body = site.ask("GET", "/")
    text = body.decode()
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert not re.search(r"https?://|//\w|@import|url\(", text)
    policy = headers["Content-Security-Policy"]
    nonce = re.search(r"script-src 'nonce-([\w-]+)'", policy)
    assert nonce is not None
    assert text.count(f'nonce="{nonce[1]}"') == 2
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert site.ask("GET", "/")[1]["Content-Security-Policy"] != policy
    assert headers["Cache-Control"] == "no-store"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert 'name="viewport"' in page("Gameline", "n")


def test_state_and_pictures_are_asked_for_only_by_who_wants_them(site: Site) -> None:
    """The page alone asks for nothing; a picture that is not there is a plain 404."""
    site.ask("GET", "/")
    assert site.shown.asked == []
    assert json.loads(site.ask("GET", "/state")[2]) == {"standing": "settled"}
    assert site.ask("GET", "/picture/raw.jpg?17")[::2] == (200, b"\xff\xd8picture")
    site.shown.jpeg = None
    assert site.ask("GET", "/picture/table.jpg")[0] == 404
    assert site.shown.asked == ["state", "raw", "table"]


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "/picture/../etc/passwd.jpg",
        "/picture/other.jpg",
        "/picture/raw",
        "/%2e%2e/state",
        "/save/raw",
    ],
)
def test_nothing_but_the_five_addresses_is_there(site: Site, path: str) -> None:
    """No path reaches a file or anything else."""
    assert site.ask("GET", path)[0] == 404
    assert (site.shown.asked, site.saved) == ([], [])


def test_saving_is_a_post_from_the_page_itself(site: Site) -> None:
    """Another page, or one that does not say which it is, keeps nothing; the answer says what was done."""
    assert site.ask("POST", "/save/raw")[0] == 403
    assert site.ask("POST", "/save/raw", Origin="http://evil.example")[0] == 403
    assert site.ask("POST", "/save/raw", Origin="null")[0] == 403
    assert site.ask("POST", "/save/raw", Origin=site.origin.replace("http:", "https:"))[0] == 403
    assert site.saved == []
    status, _, body = site.ask("POST", "/save/raw", Origin=site.origin)
    assert (status, json.loads(body)) == (200, {"said": "kept raw"})
    assert site.ask("POST", "/save/table", Origin=site.origin)[0] == 507
    assert site.ask("POST", "/save/other", Origin=site.origin)[0] == 404
    assert site.ask("PUT", "/save/raw", Origin=site.origin)[0] == 501
    assert site.saved == ["raw", "table"]


def test_a_name_that_is_not_ours_is_answered_nothing(site: Site) -> None:
    """A page elsewhere whose name is turned to our address gets neither picture nor state, and saves nothing."""
    for host in ("evil.example", f"evil.example:{site.server.port}", ""):
        assert site.ask("GET", "/", Host=host)[0] == 403
        assert site.ask("POST", "/save/raw", Host=host, Origin=f"http://{host}")[0] == 403
    assert site.saved == []
    own = socket.gethostname()
    for host in ("localhost:80", "127.0.0.1", "192.168.1.7:8420", "[::1]:8420", "[fe80::1]", own, f"{own}.local:8420"):
        assert is_known_host([host]), host
    for named in ([], ["127.0.0.1", "b"], ["127.0.0.1.evil.example"], ["[::1"], ["::1"], ["localhost.evil.example:1"]):
        assert not is_known_host(named), named


def _talk(client: socket.socket) -> None:
    """Eight megabytes of headers."""
    for number in range(1000):
        client.sendall(b"X-%d: " % number + 8000 * b"a" + b"\r\n")
        time.sleep(0.001)


def test_slow_silent_and_endless_clients_are_let_go(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who says a word a second, or nothing, or never ends, is cut; others are served meanwhile."""
    monkeypatch.setattr(view_server, "LIFE_S", 1.0)
    drip, silent, endless = (socket.create_connection(("127.0.0.1", site.server.port)) for _ in range(3))
    start_s = time.monotonic()
    endless.sendall(b"GET / HTTP/1.0\r\n")
    with pytest.raises(OSError, match=r"reset|Broken pipe"):
        _talk(endless)
    assert site.ask("GET", "/state")[0] == 200
    drip.settimeout(0.2)
    gone = False
    while not gone and time.monotonic() - start_s < 8:
        try:
            drip.sendall(b"G")
            gone = drip.recv(1) == b""
        except TimeoutError:
            continue
        except OSError:
            gone = True
    assert gone
    silent.settimeout(5)
    assert silent.recv(1) == b""
    assert time.monotonic() - start_s < 5
    for client in (drip, silent, endless):
        client.close()


def test_more_than_a_few_at_once_are_turned_away_until_there_is_room(site: Site) -> None:
    """Held connections cost eight threads at the most, and room comes back."""
    held = [socket.create_connection(("127.0.0.1", site.server.port)) for _ in range(view_server.MOST_CONNECTIONS)]
    time.sleep(0.2)
    with pytest.raises((http.client.HTTPException, OSError)):
        site.ask("GET", "/state")
    for client in held:
        client.close()
    time.sleep(0.2)
    assert site.ask("GET", "/state")[0] == 200


def test_held_connections_make_room_for_the_page(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight that say nothing keep nobody out: the page takes the place of the oldest, the others are left alone."""
    held = [socket.create_connection(("127.0.0.1", site.server.port)) for _ in range(view_server.MOST_CONNECTIONS)]
    with pytest.raises((http.client.HTTPException, OSError)):
        site.ask("GET", "/")
    monkeypatch.setattr(view_server, "PATIENCE_S", 0.0)
    assert site.ask("GET", "/")[0] == 200
    held[0].settimeout(5)
    assert held[0].recv(1) == b""
    for client in held[1:]:
        client.settimeout(0.05)
        with pytest.raises(TimeoutError):
            client.recv(1)
    for client in held:
        client.close()


def test_fault_in_what_is_shown_is_told_and_the_next_one_is_served(
    site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is ours, and nobody else would ever hear of it."""
    monkeypatch.setattr(site.shown, "state", lambda: {"frame": object()})
    with pytest.raises(http.client.RemoteDisconnected):
        site.ask("GET", "/state")
    assert site.ask("GET", "/")[0] == 200
    assert "a fault of ours" in caplog.text


def test_closing_cuts_who_is_still_there(site: Site) -> None:
    """A viewer that hangs on does not keep the service from ending."""
    client = socket.create_connection(("127.0.0.1", site.server.port))
    time.sleep(0.1)
    start_s = time.monotonic()
    site.server.close()
    client.settimeout(3)
    assert client.recv(1) == b""
    assert time.monotonic() - start_s < 2
    client.close()
