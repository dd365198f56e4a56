"""The technician's page in a real browser: its script runs under its own policy and shows what the server says."""

from __future__ import annotations

import logging
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from controller.view_server import ViewServer

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Shown:
    """A table on which two dominoes lie still, or what else is said of it."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.more: dict[str, Any] = {}

    def state(self) -> dict[str, Any]:
        return {
            "frame": 12,
            "age_ms": 80,
            "standing": "settled",
            "why": "",
            "side": None,
            "still_ms": 1500,
            "read": 9,
            "table": False,
            "ails": [],
            "dominoes": [{"a": 6, "b": None, "confidence": [0.61, 0.0]}, {"a": 4, "b": 4, "confidence": [0.99, 0.98]}],
            **self.more,
        }

    def picture(self, kind: str) -> bytes | None:
        self.asked.append(kind)
        return None if kind == "table" else cv2.imencode(".jpg", np.zeros((90, 160, 3), np.uint8))[1].tobytes()


@pytest.fixture
def shown() -> Iterator[tuple[Shown, ViewServer]]:
    shown = Shown()
    kinds = ("raw", "table", "change", "dominoes")
    log = logging.getLogger("test")
    server = ViewServer(shown=shown, kinds=kinds, save=lambda kind: (True, kind), host="127.0.0.1", port=0, logger=log)
    server.start()
    yield shown, server
    server.close()


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
@pytest.mark.parametrize(
    ("width", "pictures", "more", "head"),
    [
        (
            390,
            {"raw"},
            {"standing": "hand_in", "side": 3, "table": True, "ails": ["wipe"]},
            ("A hand is in", "from seat 3", ">wipe</p>"),
        ),
        (1400, {"raw", "table", "change", "dominoes"}, {}, ("All still", "for 1.5 s, 2 dominoes read")),
    ],
)
def test_page_tells_the_state_and_asks_only_for_what_is_on_the_screen(
    shown: tuple[Shown, ViewServer],
    tmp_path: Path,
    width: int,
    pictures: set[str],
    more: dict[str, Any],
    head: tuple[str, ...],
) -> None:
    """One picture on a phone, four on a desk; words, captions and dominoes stand there, and nothing was refused."""
    table, server = shown
    table.more = more
    assert CHROMIUM is not None
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}"]
    command += [f"--window-size={width},900", "--virtual-time-budget=15000", "--enable-logging=stderr", "--dump-dom"]
    ran = subprocess.run([*command, server.address], capture_output=True, text=True, timeout=50, check=False)
    for words in (*head, "frame 12, 0.1 s old", "6-? ", "61% 0%", "4-4 ", "blob:"):
        assert words in ran.stdout, words
    assert ran.stdout.count('class="doubt"') == 1
    assert ran.stdout.count('<button hidden="">') == (0 if more else 1), "nothing of an unknown table can be kept"
    assert "CONSOLE" not in ran.stderr
    assert set(table.asked) == pictures
