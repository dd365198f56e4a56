"""`gameline broker-config`: what its folder holds, that it is kept up and never spoilt, and whom its broker lets in."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import socket
import ssl
import stat
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from controller import broker_config
from controller.certificates import CertificateError, Signed, make_authority, make_server, must_be_made
from controller.cli import main
from controller.replacing import replace_file
from tests.controller.guarded_broker import ACCOUNTS, TREE, WAYS, Guarded, Way, open_folder

NOW = datetime(2026, 11, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def guarded() -> Iterator[Guarded]:
    """A running broker for every account."""
    with open_folder() as place:
        made = Guarded(place / "files")
        with made.broker:
            yield made


def made_in(folder: Path, *words: str) -> dict[str, bytes]:
    """Run the command and give every file of the folder by its name."""
    assert main(["broker-config", str(folder), *words]) == 0
    return contents(folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(folder: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run the command, which has to refuse, and give its sentence."""
    capsys.readouterr()
    assert main(["broker-config", str(folder), *words]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


# --- the folder -------------------------------------------------------------------------------------------------------


def test_without_words_every_role_has_an_account(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first run makes one account of each role, says where each password lies, and never says one."""
    files = made_in(tmp_path / "broker")
    said = capsys.readouterr().out
    for account, role in {"table1": "table", "referee": "referee", "chief": "chief", "display": "display"}.items():
        assert re.search(rf"^  {account} +{role} +{tmp_path}/broker/passwords/{account}$", said, re.MULTILINE)
        password = files[f"passwords/{account}"].decode().strip()
        assert re.fullmatch(r"([a-z2-9]{5}-){3}[a-z2-9]{5}", password)
        assert password not in said
        assert password.encode() not in files["passwd"] + files["broker.json"] + files["acl"]


def test_secrets_are_for_their_owner_alone(tmp_path: Path) -> None:
    """Whatever the mask, only the authority's certificate can be read by others."""
    before = os.umask(0)
    try:
        folder = tmp_path / "broker"
        made_in(folder)
    finally:
        os.umask(before)
    modes = {str(path.relative_to(folder)): stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}
    assert modes.pop("ca.crt") == 0o644
    assert (modes.pop("ca"), modes.pop("passwords")) == (0o700, 0o700)
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755


def test_running_again_changes_nothing(tmp_path: Path) -> None:
    """Authority, certificate, passwords and their hashes stay, byte by byte."""
    first = made_in(tmp_path / "broker", "--account", "hall=table", "--host", "10.0.0.5")
    assert made_in(tmp_path / "broker") == first


def test_accounts_come_and_go_and_the_others_keep_their_passwords(tmp_path: Path) -> None:
    """One more, one less, one new password: every other line and file is as it was."""
    folder = tmp_path / "broker"
    first = made_in(folder, "--account", "hall=table", "--account", "ann=referee", "--account", "wall=display")
    second = made_in(folder, "--account", "bob=chief", "--remove", "ann", "--new-password", "wall")
    assert set(first) - set(second) == {"passwords/ann"}
    assert set(second) - set(first) == {"passwords/bob"}
    assert second["passwords/hall"] == first["passwords/hall"]
    assert second["passwords/wall"] != first["passwords/wall"]
    was, now = (dict(line.split(b":") for line in files["passwd"].splitlines()) for files in (first, second))
    assert now.keys() == {b"hall", b"wall", b"bob"}
    assert now[b"hall"] == was[b"hall"]
    assert now[b"wall"] != was[b"wall"]
    assert b"ann" not in second["acl"]
    for name in ("ca.crt", "ca/ca.key", "server.crt", "server.key"):
        assert second[name] == first[name]


def test_password_that_was_taken_away_stays_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who moves a password to its display and deletes it here has not lost it: its hash stays."""
    folder = tmp_path / "broker"
    first = made_in(folder)
    (folder / "passwords" / "display").unlink()
    capsys.readouterr()
    again = made_in(folder)
    assert first.keys() - again.keys() == {"passwords/display"}
    assert all(again[name] == first[name] for name in again if name != "broker.json")
    assert "not here any more" in capsys.readouterr().out


def test_certificate_is_renewed_when_asked_and_when_its_hosts_change(tmp_path: Path) -> None:
    """The authority stays, so no client has to be told."""
    folder = tmp_path / "broker"
    first = made_in(folder, "--host", "broker.local")
    again = made_in(folder, "--renew")
    moved = made_in(folder, "--host", "broker.local", "--host", "10.0.0.5")
    assert first["ca.crt"] == again["ca.crt"] == moved["ca.crt"]
    assert len({files["server.crt"] for files in (first, again, moved)}) == 3
    assert json.loads(moved["broker.json"])["hosts"] == ["broker.local", "10.0.0.5"]


@pytest.mark.parametrize("name", ["mosquitto.conf", "acl", "passwd"])
def test_changed_file_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """What somebody has added by hand is theirs: the command says so and changes nothing."""
    folder = tmp_path / "broker"
    made_in(folder)
    with (folder / name).open("a") as file:
        file.write("# mine\n")
    before = contents(folder)
    said = refused(folder, capsys, "--account", "carl=display", "--ports", "1", "2", "3", "4")
    assert f"{folder}/{name} as gameline broker-config wrote it" in said
    assert "move it away" in said
    assert contents(folder) == before


def test_folder_of_somebody_else_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A mosquitto.conf that was there before is not taken over."""
    (tmp_path / "mosquitto.conf").write_text("listener 1883\n")
    assert "mosquitto.conf as gameline broker-config wrote it" in refused(tmp_path, capsys)
    assert contents(tmp_path) == {"mosquitto.conf": b"listener 1883\n"}


@pytest.mark.parametrize("is_first", [True, False], ids=["first", "later"])
def test_power_cut_in_the_middle_is_made_good_by_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_first: bool
) -> None:
    """Ended before any one file, the command finishes its work when it is run again: all fits together."""

    class Cut(Exception):
        """The power is gone."""

    change = ("--account", "hall=table", "--account", "bob=chief", "--new-password", "hall", "--renew")
    for place in range(30):
        left = place

        def cut(path: Path, data: bytes, *, mode: int = 0o644, owner: tuple[int, int] | None = None) -> None:
            nonlocal left
            if left == 0:
                raise Cut
            left -= 1
            replace_file(path, data, mode=mode, owner=owner)

        folder = tmp_path / str(place)
        if not is_first:
            made_in(folder, "--account", "hall=table", "--account", "ann=referee")
        monkeypatch.setattr(broker_config, "replace_file", cut)
        try:
            assert main(["broker-config", str(folder), *change]) == 0
            break
        except Cut:
            monkeypatch.setattr(broker_config, "replace_file", replace_file)
            assert_fits(made_in(folder, *change[:4]))
    else:
        pytest.fail("the command was cut off at every place")
    assert place > 9


def assert_fits(files: dict[str, bytes]) -> None:
    """The server's key is its certificate's, that is from the authority, and the hashes are of the passwords."""
    server = Signed(files["server.crt"], files["server.key"])
    hosts = [*json.loads(files["broker.json"])["hosts"], "localhost", "127.0.0.1"]
    assert not must_be_made(server, files["ca.crt"], hosts, now=datetime.now(UTC))
    make_server(Signed(files["ca.crt"], files["ca/ca.key"]), hosts, now=datetime.now(UTC))
    for line in files["passwd"].decode().splitlines():
        account, _, mark = line.partition(":")
        _, kind, rounds, salt, hashed = mark.split("$")
        password = files[f"passwords/{account}"].strip()
        salted = base64.b64decode(salt)
        assert kind == "7"  # PBKDF2 with SHA-512
        assert hashlib.pbkdf2_hmac("sha512", password, salted, int(rounds)) == base64.b64decode(hashed)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--account", "ann=judge"), "--account ann: expected one of table, referee, chief, display, bridge"),
        (("--account", "a/b=display"), "expected an account of letters, digits, - and _, got 'a/b'"),
        (("--account", "ann=referee"), "expected an account for a table, got none: add --account table1=table"),
        (("--remove", "nobody"), "got 'nobody': there is no such account"),
        (("--new-password", "nobody"), "got 'nobody': there is no such account"),
        (("--host", "no host"), "expected a host's name or address, got 'no host'"),
        (("--host", ""), "expected a host's name or address, got ''"),
    ],
)
def test_mistake_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    """Nothing is written for words that cannot be meant."""
    sentence = refused(tmp_path / "broker", capsys, *words)
    assert said in sentence
    assert sentence.count("\n") == 1
    assert not [*(tmp_path / "broker").rglob("*.*")]


def test_folder_that_cannot_be_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file where the folder should be is named."""
    (tmp_path / "broker").write_text("")
    assert "expected a folder that can be written, got" in refused(tmp_path / "broker", capsys)


def test_lost_key_of_the_authority_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Half an authority is not made whole by a new one that no client knows."""
    folder = tmp_path / "broker"
    made_in(folder)
    (folder / "ca" / "ca.key").unlink()
    assert "put it back, or move ca.crt away for a new authority" in refused(folder, capsys)


def test_password_is_in_no_process_s_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """mosquitto's own tool is given the passwords in a file that is gone afterwards."""
    calls: list[list[str]] = []
    run = subprocess.run

    def noted(command: list[str], **options: object) -> object:
        calls.append(command)
        return run(command, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "run", noted)
    files = made_in(tmp_path / "broker")
    words = " ".join(word for command in calls for word in command)
    assert "mosquitto_passwd" in words
    assert not any(files[name].decode().strip() in words for name in files if name.startswith("passwords/"))
    assert {name for name in files if name.startswith("passwords/")} == {
        f"passwords/{name}" for name in ("table1", "referee", "chief", "display", "bridge")
    }


# --- certificates -----------------------------------------------------------------------------------------------------


def test_certificate_passes_the_strictest_check_that_openssl_has(tmp_path: Path) -> None:
    """As newer Pythons check by themselves: key usages, identifiers, constraints."""
    authority = make_authority("A", now=datetime.now(UTC))
    server = make_server(authority, ["broker.local", "10.0.0.5", "::1"], now=datetime.now(UTC))
    (tmp_path / "ca.crt").write_bytes(authority.certificate)
    (tmp_path / "server.pem").write_bytes(server.certificate + server.key)
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(tmp_path / "server.pem")
    calling = ssl.create_default_context(cafile=tmp_path / "ca.crt")
    calling.verify_flags |= ssl.VerifyFlags.VERIFY_X509_STRICT
    for host in ("broker.local", "10.0.0.5", "::1"):
        assert shaken(calling, serving, host) is None
    for host in ("other.local", "10.0.0.6"):
        assert isinstance(shaken(calling, serving, host), ssl.SSLCertVerificationError)


def shaken(calling: ssl.SSLContext, serving: ssl.SSLContext, host: str) -> Exception | None:
    """A TLS handshake in memory: what the client has against it, None when nothing."""
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = calling.wrap_bio(down, up, server_hostname=host)
    server = serving.wrap_bio(up, down, server_side=True)
    done = set()
    for _ in range(10):
        for side in (client, server):
            try:
                side.do_handshake()
                done.add(side)
            except ssl.SSLWantReadError:
                pass
            except ssl.SSLError as error:
                return error
        if done == {client, server}:
            return None
    return AssertionError("the handshake does not end")


@pytest.mark.parametrize(
    ("hosts", "days", "is_made"),
    [(["a.local"], 0, False), (["a.local"], 750, False), (["a.local"], 765, True), (["a.local", "b.local"], 0, True)],
)
def test_certificate_is_made_anew_for_its_reasons_only(hosts: list[str], days: int, is_made: bool) -> None:
    """Other hosts, or sixty days before its end."""
    authority = make_authority("A", now=NOW)
    server = make_server(authority, ["a.local"], now=NOW)
    when = NOW + timedelta(days=days)
    assert must_be_made(server, authority.certificate, hosts, now=when) is is_made
    assert must_be_made(server, make_authority("A", now=NOW).certificate, ["a.local"], now=NOW)


def test_authority_that_is_none_is_told() -> None:
    """Something else in the place of the authority is one sentence."""
    authority = make_authority("A", now=NOW)
    with pytest.raises(CertificateError, match="expected a certificate in PEM"):
        must_be_made(Signed(b"no", authority.key), authority.certificate, ["a"], now=NOW)
    with pytest.raises(CertificateError, match="expected a private key in PEM"):
        must_be_made(Signed(authority.certificate, b"no"), authority.certificate, ["a"], now=NOW)
    with pytest.raises(CertificateError, match="expected a host's name or address"):
        make_server(authority, ["a b"], now=NOW)


# --- whom the broker lets in ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("account", ["hall", "wall"])
def test_account_is_let_in_on_every_way(guarded: Guarded, way: Way, account: str) -> None:
    """Plain and TLS, TCP and WebSocket."""
    with guarded.client(account, way=way) as client:
        assert client.is_in


@pytest.mark.parametrize("way", WAYS)
def test_nobody_is_let_in_with_a_wrong_password(guarded: Guarded, way: Way) -> None:
    """Not on this machine either: who names an account has to be it."""
    for account, password in (("wall", "wrong"), ("wall", ""), ("nobody", "wrong"), ("wall", guarded.password("hall"))):
        with guarded.client(account, way=way, password=password) as client:
            assert not client.is_in


@pytest.mark.parametrize("way", WAYS)
def test_without_an_account_only_this_machine_s_own_port_is_open(guarded: Guarded, way: Way) -> None:
    """Anonymous is refused everywhere else: also where a web page in this machine's browser could reach."""
    with guarded.client(None, way=way) as client:
        assert client.is_in is (way == "local")


@pytest.mark.parametrize("way", WAYS)
def test_from_elsewhere_only_tls_answers(guarded: Guarded, way: Way) -> None:
    """At another address of this machine nothing listens in the clear."""
    with socket.socket() as caller:
        if way.startswith("tls"):
            caller.connect(("127.0.0.2", guarded.ports[way]))
            context = ssl.create_default_context(cafile=guarded.folder / "ca.crt")
            with pytest.raises(ssl.SSLCertVerificationError, match=r"not valid for '127\.0\.0\.2'"):
                context.wrap_socket(caller, server_hostname="127.0.0.2")
        else:
            with pytest.raises(ConnectionRefusedError):
                caller.connect(("127.0.0.2", guarded.ports[way]))


def test_will_is_a_message_like_any_other(guarded: Guarded) -> None:
    """A display cannot have the broker say in its name what it may not say itself."""
    wills = [
        ("wall", f"{TREE}connection"),
        ("wall", f"{TREE}cmd/pause"),
        ("ann", f"{TREE}connection"),
        ("other", f"{TREE}connection"),
        ("ann", f"{TREE}cmd/pause/ann"),
        ("hall", f"{TREE}connection"),
    ]
    with guarded.client("mirror") as listener:
        listener.listen()
        for account, topic in wills:
            with guarded.client(account, will=topic) as client:
                client.end_with_will()
        listener.wait(lambda: len(listener.heard) == 2, "the two that are allowed")
        assert listener.heard == [(f"{TREE}cmd/pause/ann", b"lost"), (f"{TREE}connection", b"lost")]


# --- every role against every topic -----------------------------------------------------------------------------------

SAID = "hall referee ann bob wall mirror -"
"""Who reads what a table says; `-` is who has no account."""
RIGHTS = {
    "connection": (SAID, "hall"),
    "meta": (SAID, "hall"),
    "health": (SAID, "hall"),
    "state": (SAID, "hall"),
    "selftest": (SAID, "hall"),
    "heartbeat": (SAID, "hall"),
    "event/domino_laid": (SAID, "hall"),
    "cmd/pause": ("hall mirror", "hall referee -"),
    "cmd/pause/referee": ("hall mirror", "hall referee"),
    "cmd/pause/ann": ("hall mirror", "hall ann"),
    "cmd/rule/bob": ("hall mirror", "hall bob"),
    "cmd/pause/wall": ("hall mirror", "hall"),
    "cmd/pause/mirror": ("hall mirror", "hall"),
    "cmd/pause/nobody": ("hall mirror", "hall"),
    "cmd/pause/ann/more": ("hall mirror", "hall"),
    "reply/console-1": ("hall referee mirror -", "hall"),
    "reply/ann": ("hall referee mirror -", "hall"),
    "reply/referee/console-1": ("hall referee mirror", "hall"),
    "reply/ann/console-1": ("hall ann mirror", "hall"),
    "reply/bob/console-1": ("hall bob mirror", "hall"),
    "reply/wall/console-1": ("hall mirror", "hall"),
    "something/else": ("hall mirror", "hall"),
    "/homeassistant/device/gameline-hall/config": ("referee ann bob wall mirror -", "hall"),
    "/homeassistant/device/gameline-else/config": ("", ""),
}
"""Each topic of the table `hall`, or with a / in front one of all topics: who reads it, who writes it."""


def full(topic: str) -> str:
    """A topic of the matrix as the broker knows it."""
    return topic.removeprefix("/") if topic.startswith("/") else TREE + topic


FOREIGN = ("gameline/v1", "gameline/v2/hall/cmd/pause", "somewhere/else", "$SYS/broker/load")
"""Nobody writes these."""
EVERYBODY = (*ACCOUNTS, "-")


def test_matrix_names_every_role() -> None:
    """Nobody is left out of the tables of rights."""
    assert {name for readers, writers in RIGHTS.values() for name in (*readers.split(), *writers.split())} == {
        *EVERYBODY
    } - {"other"}


@pytest.mark.parametrize("account", EVERYBODY)
def test_account_writes_what_its_role_may_and_nothing_else(guarded: Guarded, account: str) -> None:
    """The broker takes or refuses each topic, and says which."""
    with guarded.client(None if account == "-" else account) as client:
        for topic, (_, writers) in RIGHTS.items():
            assert client.may_write(full(topic)) is (account in writers.split()), topic
        for topic in FOREIGN:
            assert not client.may_write(topic), topic
        assert client.may_write("gameline/v1/other/state") is (account == "other")
        assert client.may_write("gameline/v1/other/cmd/pause/ann") is (account in ("other", "ann"))


@pytest.mark.parametrize("account", EVERYBODY)
@pytest.mark.parametrize("is_late", [False, True], ids=["live", "retained"])
def test_account_reads_what_its_role_may_and_nothing_else(guarded: Guarded, account: str, is_late: bool) -> None:
    """Whoever asks for everything is given what he may read, live and retained."""
    ends = [TREE + "cmd/end", TREE + "state", "gameline/v1/other/cmd/end"]  # the last that each can hear
    with (
        guarded.client(None if account == "-" else account) as reader,
        guarded.client("hall") as hall,
        guarded.client("other") as other,
    ):
        if not is_late:
            reader.listen()
        assert all(hall.may_write(full(topic), b'"said"', retain=is_late) for topic, (_, who) in RIGHTS.items() if who)
        if is_late:
            reader.listen()
        for voice, topic in ((hall, ends[0]), (hall, ends[1]), (other, ends[2])):
            assert voice.may_write(topic, b'"end"')
        reader.wait(lambda: any(payload == b'"end"' for _, payload in reader.heard), "the end")
        heard = {topic for topic, payload in reader.heard if payload == b'"said"'}
        assert heard == {full(topic) for topic, (readers, _) in RIGHTS.items() if account in readers.split()}
        for topic, (_, who) in RIGHTS.items():
            assert not who or hall.may_write(full(topic), b"", retain=True)
