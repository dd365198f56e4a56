"""`gameline broker-config`: a folder with everything a mosquitto needs for accounts and TLS, made once and kept up.

What lies in it: `mosquitto.conf`, `acl`, `passwd` (hashes), `server.crt` and `server.key` for the broker; `ca.crt` for
whoever connects; `passwords/<account>` and `ca/ca.key` for nobody but their owner. `broker.json` notes what was
asked for and what every file was when it was written: a file that somebody has changed since is not written over.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import pwd
import secrets
import shlex
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from controller.accounts import Role, name_problem
from controller.broker_files import Ports, acl_text, configuration_text
from controller.certificates import CertificateError, Signed, end_of, make_authority, make_server, must_be_made
from controller.cli import Sorry
from controller.replacing import replace_file

NOTES = "broker.json"
BROKER_USER = "mosquitto"
"""Who Debian's mosquitto becomes when it is started by root: it must be able to read its files."""
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Of passwords that are typed into telephones: none is taken for another."""
AT_FIRST = {
    "table1": Role.TABLE,
    "referee": Role.REFEREE,
    "chief": Role.CHIEF,
    "display": Role.DISPLAY,
    "bridge": Role.BRIDGE,
}
"""The accounts of a new folder for which none are named."""


class Notes(msgspec.Struct, frozen=True):
    """What `broker.json` holds."""

    gameline: str = "broker-config"
    accounts: dict[str, Role] = {}
    hosts: list[str] = []
    ports: Ports = Ports()
    files: dict[str, list[str]] = {}
    """SHA-256 of each file as it was written; two while one is being replaced by the other."""


def broker_config(options: argparse.Namespace) -> int:
    """Make or keep up the folder, and say what to do with it."""
    folder: Path = options.folder.absolute()
    try:
        office = Office(folder)
        notes = wanted(office.notes, options)
        office.bring_about(notes, renew=options.renew, new_passwords=options.new_password)
    except CertificateError as error:
        raise Sorry(str(error)) from error
    except OSError as error:
        where = error.filename or folder
        raise Sorry(f"expected a folder that can be written, got {where} ({error.strerror}): name another") from error
    print(advice(folder, notes))
    return 0


def wanted(notes: Notes, options: argparse.Namespace) -> Notes:
    """What was asked for until now, with what is asked for in addition. Raises: Sorry."""
    accounts = dict(notes.accounts)
    for name, word in options.account:
        if problem := name_problem(name):
            raise Sorry(f"--account: {problem}")
        if word not in (words := [role.value for role in Role]):
            raise Sorry(f"--account {name}: expected one of {', '.join(words)}, got {word!r}")
        accounts[name] = Role(word)
    for name in (*options.remove, *options.new_password):
        if name not in accounts:
            raise Sorry(
                f"expected one of {', '.join(accounts) or 'no accounts'}, got {name!r}: there is no such account"
            )
    accounts = {name: role for name, role in accounts.items() if name not in options.remove}
    if not notes.accounts and not options.account:
        accounts = AT_FIRST
    if Role.TABLE not in accounts.values():
        raise Sorry("expected an account for a table, got none: add --account table1=table, with the table's name")
    name = socket.gethostname()
    hosts = options.host or notes.hosts or list(dict.fromkeys((name, f"{name.partition('.')[0]}.local")))
    ports = Ports(*options.ports) if options.ports else notes.ports
    return _with(notes, accounts=accounts, hosts=[*dict.fromkeys(hosts)], ports=ports)


def _with(notes: Notes, **changes: object) -> Notes:
    """The notes with some of them changed."""
    changed: Notes = msgspec.structs.replace(notes, **changes)
    return changed


class Office:
    """One folder of a broker's files. Raises: Sorry where something in it is not what it was written as; OSError."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._now = datetime.now(UTC)
        self._broker = _broker_user()
        self.notes = self._noted()

    def bring_about(self, notes: Notes, *, renew: bool, new_passwords: Sequence[str]) -> None:
        """Write what is not as it should be; what cannot be is told before anything is written."""
        self._make_folders()
        authority = self._authority()
        server = self._server(authority, notes.hosts, renew=renew)
        passwords, hashes = self._passwords(notes.accounts, new_passwords)
        ours = {
            "ca/ca.key": (authority.key, 0o600),
            "ca.crt": (authority.certificate, 0o644),
            **{f"passwords/{name}": (f"{password}\n".encode(), 0o600) for name, password in passwords.items()},
        }
        brokers = {
            "passwd": hashes,
            "acl": acl_text(notes.accounts).encode(),
            "server.key": server.key,
            "server.crt": server.certificate,
            "mosquitto.conf": configuration_text(self._folder, notes.ports).encode(),
        }
        contents = {**{name: data for name, (data, _) in ours.items()}, **brokers}
        self._refuse_strange(contents)
        marks = {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()}
        # Noted before they are written: a file that a power cut kept from being replaced is ours under either mark.
        either = {name: [*dict.fromkeys((*self.notes.files.get(name, ()), mark))] for name, mark in marks.items()}
        for name in self.notes.accounts.keys() - notes.accounts.keys():
            (self._folder / "passwords" / name).unlink(missing_ok=True)
        self._note(_with(notes, files=either))
        for name, (data, mode) in ours.items():
            replace_file(self._folder / name, data, mode=mode)
        for name, data in brokers.items():
            replace_file(self._folder / name, data, mode=0o600, owner=self._broker)
        self._note(_with(notes, files={name: [mark] for name, mark in marks.items()}))

    def _noted(self) -> Notes:
        path = self._folder / NOTES
        try:
            return msgspec.json.decode(path.read_bytes(), type=Notes)
        except FileNotFoundError:
            return Notes()
        except msgspec.DecodeError as error:
            raise Sorry(f"expected {path} as gameline broker-config wrote it, got something else ({error})") from error

    def _note(self, notes: Notes) -> None:
        replace_file(self._folder / NOTES, msgspec.json.format(msgspec.json.encode(notes)), mode=0o600)

    def _make_folders(self) -> None:
        if not self._folder.exists():
            self._folder.mkdir(parents=True)
            self._folder.chmod(0o755)  # the broker's user has to reach its files, whatever this user's mask
        for name in ("ca", "passwords"):
            (self._folder / name).mkdir(mode=0o700, exist_ok=True)

    def _read(self, name: str) -> bytes | None:
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            return None

    def _refuse_strange(self, contents: Mapping[str, bytes]) -> None:
        for name, data in contents.items():
            there = self._read(name)
            if there is None or there == data:
                continue
            if hashlib.sha256(there).hexdigest() not in self.notes.files.get(name, ()):
                path = self._folder / name
                raise Sorry(
                    f"expected {path} as gameline broker-config wrote it, got one that somebody else wrote or changed: "
                    "move it away, or name another folder"
                )

    def _authority(self) -> Signed:
        certificate, key = self._read("ca.crt"), self._read("ca/ca.key")
        if certificate is None and (key is None or self._read("server.crt") is None):  # it has signed nothing yet
            return make_authority(f"Gameline {socket.gethostname()}"[:64], now=self._now)
        if certificate is None or key is None:
            there, missing = ("ca.crt", "ca/ca.key") if key is None else ("ca/ca.key", "ca.crt")
            raise Sorry(
                f"expected {self._folder / missing} beside {there}, got none: put it back, or move {there} away for a "
                "new authority, which every client then needs"
            )
        return Signed(certificate, key)

    def _server(self, authority: Signed, hosts: Sequence[str], *, renew: bool) -> Signed:
        certificate, key = self._read("server.crt"), self._read("server.key")
        names = [*hosts, *(host for host in ("localhost", "127.0.0.1") if host not in hosts)]
        if renew or certificate is None or key is None:
            return make_server(authority, names, now=self._now)
        server = Signed(certificate, key)
        is_stale = must_be_made(server, authority.certificate, names, now=self._now)
        return make_server(authority, names, now=self._now) if is_stale else server

    def _passwords(self, accounts: Mapping[str, Role], new: Sequence[str]) -> tuple[dict[str, str], bytes]:
        """The passwords that lie open in the folder, and the file of the hashes of all."""
        lines = (self._read("passwd") or b"").decode().splitlines()
        hashes = {name: line for line in lines if (name := line.partition(":")[0]) in accounts and name not in new}
        passwords = {}
        for name in accounts:
            kept = self._read(f"passwords/{name}")
            if kept is not None and name not in new:
                passwords[name] = kept.decode().strip()
            elif name not in hashes:  # one that is hashed but does not lie here any more was taken away on purpose
                passwords[name] = _new_password()
        # Under two marks stands what a power cut may have kept from being hashed.
        unsure = {name for name in passwords if len(self.notes.files.get(f"passwords/{name}", ())) > 1}
        fresh = {name: word for name, word in passwords.items() if name not in hashes or name in unsure}
        hashes |= hashed(fresh, self._folder / "passwords") if fresh else {}
        return passwords, "".join(f"{hashes[name]}\n" for name in accounts).encode()


def advice(folder: Path, notes: Notes) -> str:
    """What lies where, and what to do with it, for a person."""
    tables = [name for name, role in notes.accounts.items() if role is Role.TABLE]
    roles = ", ".join(f'{name} = "{role.value}"' for name, role in notes.accounts.items())
    width = max(map(len, notes.accounts)) + 2
    rows = [f"  {name:{width}}{role.value:9}{_where(folder, name)}" for name, role in notes.accounts.items()]
    password = shlex.quote(f"{folder}/passwords/{tables[0]}")
    host, ports = notes.hosts[0], notes.ports
    ends = f"{end_of((folder / 'server.crt').read_bytes()):%Y-%m-%d}"
    return "\n".join(
        [
            f"In {folder} lies everything for the broker. To use it:",
            *_uses(shlex.quote(f"{folder}/mosquitto.conf")),
            "",
            "Accounts, and where the password of each lies:",
            *rows,
            "",
            f"A table, here {tables[0]}, on this machine:",
            f"  {'sudo ' if os.geteuid() else ''}install -m 600 -o gameline {password} /etc/gameline/broker-password",
            "and in its gameline.toml:",
            "  [broker]",
            f"  port = {ports.local}",
            f'  username = "{tables[0]}"',
            '  password_file = "/etc/gameline/broker-password"',
            f"  accounts = {{ {roles} }}",
            "On another machine, with a copy of ca.crt, also:",
            f'  host = "{host}"',
            f"  port = {ports.tls}",
            "  tls = true",
            '  ca_file = "/etc/gameline/ca.crt"',
            "",
            f"To a display or console: {folder}/ca.crt and its own password, nothing else.",
            f"  {host}:{ports.tls} with TLS; in a browser wss://{host}:{ports.tls_ws}, once ca.crt is trusted there",
            f"  (on this machine: 127.0.0.1:{ports.local}, ws://127.0.0.1:{ports.local_ws})",
            f"The server's certificate is for {', '.join(notes.hosts)} and ends on {ends}: before then, --renew.",
        ]
    )


def _uses(configuration: str) -> list[str]:
    if os.geteuid() != 0:
        return [f"  mosquitto -c {configuration}", "  (for the system's own mosquitto run this command as root)"]
    return [
        f"  ln -sf {configuration} /etc/mosquitto/conf.d/gameline.conf",
        "  systemctl restart mosquitto",
    ]


def _where(folder: Path, account: str) -> str:
    path = folder / "passwords" / account
    return str(path) if path.exists() else "not here any more: --new-password makes another"


def _new_password() -> str:
    """99 bits, in groups that a person can type."""
    return "-".join("".join(secrets.choice(LETTERS) for _ in range(5)) for _ in range(4))


def hashed(passwords: Mapping[str, str], private: Path) -> dict[str, str]:
    """The line of a password file for each account, by mosquitto's own tool, which is given them in a file."""
    tool = shutil.which("mosquitto_passwd")
    if tool is None:
        raise Sorry("The tool mosquitto_passwd is not on this computer: install it with `apt install mosquitto`.")
    with tempfile.TemporaryDirectory(dir=private) as place:
        path = Path(place) / "passwd"
        path.write_text("".join(f"{name}:{password}\n" for name, password in passwords.items()), encoding="ascii")
        done = subprocess.run([tool, "-U", str(path)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        lines = path.read_text(encoding="ascii").splitlines()
    hashes = {line.partition(":")[0]: line for line in lines}
    if done.returncode or hashes.keys() != passwords.keys() or any("$" not in line for line in lines):
        raise Sorry(f"expected mosquitto_passwd to hash the passwords, got {(done.stderr or done.stdout).strip()!r}")
    return hashes


def _broker_user() -> tuple[int, int] | None:
    """The numbers of the user the broker runs as; None: this one, who starts it himself."""
    if os.geteuid() != 0:
        return None
    try:
        user = pwd.getpwnam(BROKER_USER)
    except KeyError:
        return None
    return user.pw_uid, user.pw_gid
