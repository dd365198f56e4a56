"""Who may order: what the table proves of who gives an order, alone and as the real service at a guarded broker."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from controller.accounts import Role, refusal
from tests.controller.guarded_broker import ACCOUNTS, TREE, Guarded, Voice, open_folder
from tests.controller.live_service import ROOT, config_in, end

ROLES = {name: Role(role) for name, role in ACCOUNTS.items()}


@pytest.mark.parametrize(
    ("account", "by", "needs", "code"),
    [
        (None, "referee", Role.REFEREE, None),
        (None, "Olga", Role.REFEREE, None),
        (None, "ann", Role.REFEREE, "forged"),
        (None, " Ann", Role.REFEREE, "forged"),
        (None, "b\u200bob", Role.REFEREE, "forged"),
        (None, "ＢＯＢ", Role.REFEREE, "forged"),
        (None, "referee", Role.CHIEF, "forbidden"),
        (None, "bob", Role.CHIEF, "forged"),
        ("referee", "referee", Role.REFEREE, None),
        ("referee", "ann", Role.REFEREE, "forged"),
        ("referee", "referee", Role.CHIEF, "forbidden"),
        ("ann", "ann", Role.REFEREE, None),
        ("ann", "Ann", Role.REFEREE, "forged"),
        ("ann", "bob", Role.REFEREE, "forged"),
        ("ann", "Olga", Role.REFEREE, "forged"),
        ("ann", "ann", Role.CHIEF, "forbidden"),
        ("bob", "bob", Role.CHIEF, None),
        ("bob", "bob", Role.REFEREE, None),
        ("bob", "ann", Role.CHIEF, "forged"),
        ("wall", "wall", Role.REFEREE, "forbidden"),
        ("mirror", "mirror", Role.REFEREE, "forbidden"),
        ("hall", "hall", Role.REFEREE, "forbidden"),
        ("nobody", "nobody", Role.REFEREE, "forbidden"),
    ],
)
def test_order_is_taken_from_whom_it_says_it_is(account: str | None, by: str, needs: Role, code: str | None) -> None:
    """A name that is not the account's, and a role that may not, are told apart."""
    told = refusal(ROLES, account=account, by=by, needs=needs)
    assert (told and told[0]) == code
    assert told is None or (told[1].startswith("expected ") and ", got " in told[1])


def test_without_accounts_everybody_is_taken_at_his_word() -> None:
    """Where nobody has an account nothing can be proven, and nothing is asked."""
    for account in (None, "ann"):
        assert refusal({}, account=account, by="anybody", needs=Role.CHIEF) is None


# --- the service at a guarded broker ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def guarded() -> Iterator[Guarded]:
    with open_folder() as place:
        made = Guarded(place / "files")
        with made.broker:
            yield made


@pytest.fixture
def service(guarded: Guarded, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """The service of the table `hall`, with an account of its own."""
    frames = tmp_path / "frames"
    frames.mkdir()
    cv2.imwrite(str(frames / "0.png"), np.full((1080, 1440, 3), 90, np.uint8))
    config = config_in(tmp_path, film=frames, port=guarded.ports["local"], pin_factory="mock")
    accounts = ", ".join(f'{name} = "{role}"' for name, role in ACCOUNTS.items())
    login = f'username = "hall"\npassword_file = "{guarded.folder}/passwords/hall"\naccounts = {{ {accounts} }}\n'
    config.write_text(config.read_text().replace("[broker]\n", f"[broker]\n{login}"))
    command = [sys.executable, "-m", "controller", "run", str(config)]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, env={**os.environ})
    yield process
    process.kill()
    process.communicate()


def order(voice: Voice, name: str, account: str | None, *, by: str, **fields: Any) -> Any:
    """Give an order and wait for its answer, at the account's own place."""
    body: dict[str, Any] = {"id": str(uuid.uuid4()), "sent_ms": time.time_ns() // 1_000_000, "client": "console"}
    body |= {"by": by, **fields}
    own = "" if account is None else f"/{account}"
    assert voice.may_write(f"{TREE}cmd/{name}{own}", json.dumps(body).encode())
    return voice.hear(f"reply{own}/console", lambda answer: answer["id"] == body["id"])


def test_service_takes_orders_by_account(guarded: Guarded, service: subprocess.Popen[str], tmp_path: Path) -> None:
    """A display is refused by the broker, a forged `by` by the table; the chief's word is his own; nothing leaks."""
    with (
        guarded.client("mirror") as mirror,
        guarded.client("ann", way="tls") as ann,
        guarded.client("bob", way="tls_ws") as bob,
        guarded.client("referee") as referee,
        guarded.client(None) as shell,
        guarded.client("wall") as wall,
    ):
        for voice in (mirror, ann, bob, referee, shell, wall):
            voice.listen()
        assert mirror.hear("connection", lambda body: body["status"] == "online")

        assert not wall.may_write(f"{TREE}cmd/start_game", b"{}")
        assert not wall.may_write(f"{TREE}cmd/start_game/ann", b"{}")

        names = ["S", "W", "N", "E"]
        forged = order(ann, "start_game", "ann", by="bob", names=names)
        assert (forged["accepted"], forged["reason"]) == (False, "forged")
        assert forged["text"] == "expected by 'ann', whose topic the order came on, got 'bob': say who gives it"
        assert order(shell, "start_game", None, by="Bob", names=names)["reason"] == "forged"
        assert order(ann, "start_game", "ann", by="ann", names=names, id="first")["accepted"]
        assert order(bob, "start_set", "bob", by="bob", id="first")["accepted"]  # an id is its account's alone
        assert order(referee, "pause", None, by="referee")["accepted"]
        assert order(shell, "resume", None, by="somebody at the keyboard")["accepted"]
        assert order(referee, "pause", "referee", by="referee")["accepted"]
        for voice, account in ((ann, "ann"), (referee, None), (shell, None)):
            refused = order(
                voice, "restart_set", account, by=account or "referee", reason="a hand fell open", chief=True
            )
            assert refused["reason"] == "forbidden"
        assert order(bob, "restart_set", "bob", by="bob", reason="a hand fell open", chief=True)["accepted"]

        config = tmp_path / "gameline.toml"
        said_as = ["--account", "ann", "--password-file", str(guarded.folder / "passwords" / "ann")]
        for words in (["start_set"], ["pause", *said_as]):
            command = [sys.executable, "-m", "controller", "referee", str(config), *words]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
            assert (done.returncode, done.stderr) == (0, ""), done
        assert mirror.hear("cmd/pause/ann")["by"] == "ann"

        own = {
            voice: {topic.rpartition("/")[0] for topic, _ in voice.heard if "/reply/" in topic}
            for voice in (ann, bob, wall)
        }
        assert own == {ann: {f"{TREE}reply/ann"}, bob: {f"{TREE}reply/bob"}, wall: set()}
        assert mirror.hear("event/set_annulled")["body"]["by"] == "bob"

        arguments = Path(f"/proc/{service.pid}/cmdline").read_bytes()
        code, said = end(service, signal.SIGTERM)
        mirror.hear("connection", lambda body: body["status"] == "offline")
    assert (code, "Traceback" in said) == (0, False)
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*.sqlite*"))
    heard = b"".join(payload for _, payload in mirror.heard)
    logged = guarded.broker.log.read_bytes() + said.encode()
    for account in ACCOUNTS:
        password = guarded.password(account).encode()
        assert not [place for place in (arguments, kept, heard, logged) if password in place], account
