"""`gameline firmware`: the seat board's firmware from the command line; how it gets there is elsewhere."""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import version

from controller.cli import Sorry
from firmware_bridge.install import SETTINGS, build_of, files, settings
from firmware_bridge.installer import InstallError, install


def firmware(options: argparse.Namespace) -> int:
    """Put the firmware on a board, and have it say so."""
    contents = files()
    build = build_of(contents, version("gameline"))
    try:
        contents[SETTINGS] = settings(options.lamps, options.pixels, build)
        reply = install(options.port, contents, build=build, tell=lambda step: print(f"{step} ...", file=sys.stderr))
    except (InstallError, ValueError) as error:
        raise Sorry(str(error)) from error
    print(f"{options.port} carries {reply.build}")
    return 0
