"""The command line: words in, exit codes out; what each command does is elsewhere.

Errors are one sentence on stderr; `--json` prints nothing else on stdout.

Exit codes: 0 all well, 1 bad input or broken equipment, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn, TextIO

EXAMPLES = {
    "read": "gameline read table.jpg --draw table-read.png",
    "watch": "gameline watch frames/ --fps 4 --json",
    "evaluate": "gameline evaluate pictures/ --page evaluation.html",
    "demo": "gameline demo --speed 4 --mishaps",
    "run": "gameline run /etc/gameline/gameline.toml",
    "replay": "gameline replay /var/lib/gameline/recordings --json",
    "silence": "gameline silence /etc/gameline/gameline.toml",
    "firmware": "gameline firmware install --port /dev/serial/by-id/usb-MicroPython_Board_in_FS_mode_... --lamps leds",
    "doctor": "gameline doctor /etc/gameline/gameline.toml",
    "selftest": "gameline selftest /etc/gameline/gameline.toml --html selftest.html",
    "judge": "gameline judge game.dom --register game.pdf --lang ru",
    "record": "gameline record /var/lib/gameline/journal.sqlite > game.dom",
    "referee": "gameline referee warn --seat 0 --reason talk",
    "register": "gameline register /var/lib/gameline/journal.sqlite --out game.pdf",
    "ledger": "gameline ledger 'Spring Cup' table1.sqlite table2.json --out cup.json",
    "schema": "gameline schema event/domino_laid > domino_laid.schema.json",
    "home-assistant": "gameline home-assistant publish /etc/gameline/gameline.toml",
    "calibrate": "gameline calibrate --page cards.svg; then gameline calibrate /etc/gameline/gameline.toml",
    "broker-config": "gameline broker-config /etc/mosquitto/gameline --account table1=table --account ann=referee",
    "wiring": "gameline wiring /etc/gameline/gameline.toml --svg wiring.svg",
}


PORTS_HELP = "of this machine alone, the network, and both for browsers (1883 8883 9001 8884)"
LAMPS = ("leds", "pwm", "rgb", "pixels")
"""What can hang at a seat; on a seat board all of them."""


class Sorry(Exception):
    """Something a person must put right, in one sentence."""

    exit_code = 1


class Misuse(Sorry):
    """Words that make no command."""

    exit_code = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code."""
    options = _parser().parse_args(argv)
    try:
        code: int = options.command(options)
    except Sorry as sorry:
        try:
            print(f"{_level()}gameline: {sorry}", file=sys.stderr)
        except OSError:
            forsake(sys.stderr)  # a terminal that is gone: the exit code says the rest
        return sorry.exit_code
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130
    return code


def _level() -> str:
    """What tells systemd, where it reads, that a sentence is an error (sd-daemon(3)); nothing for a terminal."""
    if "JOURNAL_STREAM" not in os.environ:
        return ""
    is_read = import_module("controller.logs").is_stderr_the_journal()
    return "<3>" if is_read else ""


def forsake(stream: TextIO) -> None:
    """Lead a stream that cannot be written nowhere: what it still holds would fail again at the exit, as code 120."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gameline", description="The controller of a smart domino table.")
    parser.add_argument("--version", action="version", version=f"gameline {version('gameline')}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    read = _add(commands, "read", "what lies in a picture")
    read.add_argument("images", nargs="+", type=Path, metavar="IMAGE")
    read.add_argument("--json", action="store_true", help="one object a line: file, tiles, line, seconds")
    read.add_argument("--draw", type=Path, metavar="OUT", help="write the picture with what was read drawn on it")

    watch = _add(commands, "watch", "what happens in a folder or film of frames in order, or before a camera")
    watch.add_argument("frames", nargs="?", type=Path, metavar="FRAMES", help="a folder of pictures, or a film")
    watch.add_argument(
        "--config",
        type=Path,
        metavar="CONFIG",
        help="the table of a configuration, and its camera where FRAMES is left out",
    )
    watch.add_argument("--view", action="store_true", help="show it on a page for a browser, at its own pace")
    watch.add_argument("--listen", type=_address, metavar="HOST:PORT", help="where the page is (127.0.0.1:8420)")
    watch.add_argument("--cases", type=Path, metavar="DIR", help="where the page's button saves test cases (cases)")
    watch.add_argument("--fps", type=_positive, default=4.0, metavar="N", help="pictures a second of a folder (4)")
    watch.add_argument("--json", action="store_true", help="one event a line: frame, type, ...")

    evaluate = _add(commands, "evaluate", "the reader against labelled pictures")
    evaluate.add_argument("folder", type=Path, metavar="DIR")
    evaluate.add_argument("--json", action="store_true", help="one object with everything that was measured")
    evaluate.add_argument("--page", type=Path, metavar="HTML", help="write one page with everything, failures drawn in")
    evaluate.add_argument("--sheet", type=Path, metavar="PICTURE", help="write the failures as one contact sheet")

    demo = _add(commands, "demo", "a whole game on a rendered table, through reader, rules, journal and broker")
    demo.add_argument("--plain", action="store_true", help="print lines instead of the live table")
    pace = demo.add_mutually_exclusive_group()
    pace.add_argument("--speed", type=_positive, default=4.0, metavar="N", help="table seconds a second (4)")
    pace.add_argument("--fast", action="store_true", help="as fast as this machine can")
    demo.add_argument("--seed", type=whole_number, default=1, metavar="N", help="another game for another number (1)")
    demo.add_argument("--sets", type=int, default=4, metavar="N", help="sets of the game, a multiple of 4 (4)")
    demo.add_argument("--mishaps", action="store_true", help="wrong domino, wrong pass, blackout, broker restart ...")
    demo.add_argument("--film", type=Path, metavar="DIR", help="keep every frame as a picture in this folder")

    run = _add(commands, "run", "the service of one table", room="serving")
    run.add_argument("config", type=Path, metavar="CONFIG")
    run.add_argument("--record", type=Path, metavar="DIR", help="keep frames around everything that happens")
    run.add_argument("--budget", type=_positive, default=4.0, metavar="GB", help="all recordings in DIR together (4)")

    replay = _add(commands, "replay", "a recording again through today's code: which events have changed")
    replay.add_argument("folder", type=Path, metavar="DIR", help="what `run --record` wrote, or one session of it")
    replay.add_argument("--json", action="store_true", help="one object: clips, same, different, missing, new, changes")

    silence = _add(commands, "silence", "lamps and buzzer off, after a service that could not do it", room="silence")
    silence.add_argument("config", type=Path, metavar="CONFIG")
    firmware = _add(commands, "firmware", "put the seat board's firmware on a board", room="firmware")
    firmware.add_argument("what", choices=("install",), help="write it and have the board say that it is there")
    firmware.add_argument("--port", required=True, metavar="PATH", help="the board's /dev/serial/by-id/...")
    firmware.add_argument("--lamps", choices=LAMPS, default="pixels", help="what hangs at a seat (pixels)")
    firmware.add_argument("--pixels", type=int, default=16, metavar="N", help="of a seat's ring or strip (16)")
    doctor = _add(commands, "doctor", "look at everything a table needs: for each a tick or the cure", room="doctor")
    doctor.add_argument("config", type=Path, metavar="CONFIG")
    doctor.add_argument("--json", action="store_true", help="one object: well, and of each check found and cure")
    _add_selftest(commands)
    _add_referee(commands)
    _add_paperwork(commands)
    _add_workshop(commands)
    _add_contract(commands)
    return parser


def _add_selftest(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    what = "try every button, lamp and the rest of a table, one person guided step by step"
    test = _add(commands, "selftest", what, room="selftest_terminal")
    test.add_argument("config", type=Path, metavar="CONFIG")
    test.add_argument("--html", type=_file, metavar="FILE", help="write the result as a page to print")
    test.add_argument("--json", action="store_true", help="one object: passed, results with what to do, ...")
    test.add_argument("--sound", action="store_true", help="let the buzzer sound in its quiet hours too")
    test.add_argument("--by", default="a technician", metavar="NAME", help="who tests, for the page")


def _add_referee(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The command whose options are those of every order: they are made when it is used, so that --help is quick."""
    order = _add(commands, "referee", "a referee's order to a table, and its answer", room="referee")
    parse = order.parse_known_args

    def parse_filled(args: Any = None, namespace: Any = None) -> Any:
        import_module("controller.referee").add_orders(order)
        return parse(args, namespace)

    order.parse_known_args = parse_filled  # type: ignore[method-assign]


def _add_paperwork(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The commands that work on what is written: records, registers, ledgers."""
    judge = _add(commands, "judge", "a written game by the rules: verdicts, findings, register", room="paperwork")
    judge.add_argument("record", type=Path, metavar="RECORD", help="notation or JSON Lines; - reads it from stdin")
    judge.add_argument("--json", action="store_true", help="one object: verdicts, sets, points, events")
    judge.add_argument("--deals", action="store_true", help="how many deals of the hands fit after every act")
    judge.add_argument("--register", type=Path, metavar="OUT", help="write the register: .txt, .csv, .json or .pdf")

    record = _add(commands, "record", "the last game of a journal, written down", room="paperwork")
    record.add_argument("journal", type=Path, metavar="JOURNAL")
    record.add_argument("--game", metavar="NAME", help="another than the last: its name, or its number in the journal")
    record.add_argument("--jsonl", action="store_true", help="as JSON Lines instead of the notation")
    record.add_argument("--table", default="", metavar="NAME", help="the table's name, for the head of the record")

    register = _add(commands, "register", "the register of a game, on the screen or as a file", room="paperwork")
    register.add_argument("source", type=Path, metavar="SOURCE", help="a journal, a record, or a register in JSON")
    register.add_argument("--game", metavar="NAME", help="of a journal: another than the last, by its name or number")
    register.add_argument("--date", metavar="DATE", help="when it was played, where the table's clock was not set")
    register.add_argument("--out", type=Path, metavar="OUT", help="a file: .txt, .csv, .json or .pdf")
    register.add_argument("--table", default="", metavar="NAME", help="the table's name, where a journal is read")

    for parser in (judge, register):
        parser.add_argument("--lang", choices=("en", "ru"), default="en", help="language of text and page (en)")

    ledger = _add(commands, "ledger", "the warnings of a competition, from several tables", room="paperwork")
    ledger.add_argument("competition", metavar="COMPETITION")
    ledger.add_argument("sources", nargs="+", type=Path, metavar="SOURCE", help="ledgers and journals")
    ledger.add_argument("--out", type=Path, metavar="OUT", help="write them together as one ledger")
    ledger.add_argument("--expelled-results", choices=("stand", "void"), help="their games (as played)")
    ledger.add_argument("--fee", type=_amount, metavar="N", help="the entry fee: say what an expelled player pays")
    ledger.add_argument("--benefit-penalty", choices=("fixed", "cap"), help="for benefit holders (as played)")
    ledger.add_argument("--ladder", choices=("sets", "fines"), help="which warning expels (as played)")


def _add_workshop(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The commands for whoever builds or mends the table."""
    where = "where the table lies in the camera's picture, from printed cards or from its edge and a few dominoes"
    calibrate = _add(commands, "calibrate", where, room="calibrating")
    calibrate.add_argument("config", type=Path, nargs="?", metavar="CONFIG")
    calibrate.add_argument("--page", type=_file, metavar="OUT.svg", help="write the page with the cards to print")
    calibrate.add_argument(
        "--picture", type=Path, nargs="+", metavar="FILE", help="from pictures of a table at rest, not from the camera"
    )
    calibrate.add_argument("--domino", type=_positive, default=48.0, metavar="MM", help="length of a domino (48)")
    calibrate.add_argument(
        "--seat0",
        choices=("bottom", "left", "top", "right"),
        default="bottom",
        help="without cards: at which side of the picture seat 0 is (bottom)",
    )
    calibrate.add_argument("--draw", type=_file, metavar="OUT", help="write the picture with table and seats drawn on")
    calibrate.add_argument("--json", action="store_true", help="one object: passed, faults, error_mm, half_px, ...")
    _add_broker_config(commands)
    wiring = _add(commands, "wiring", "which wire goes where, as a table or a drawing", room="workshop")
    wiring.add_argument("config", type=Path, metavar="CONFIG")
    form = wiring.add_mutually_exclusive_group()
    form.add_argument("--svg", type=Path, metavar="OUT.svg", help="draw it on a sheet of A4 instead")
    form.add_argument("--markdown", action="store_true", help="the table as Markdown")
    wiring.add_argument("--lamps", choices=LAMPS, help="at each seat (leds; on a board pixels)")


def _add_broker_config(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    what = "accounts, TLS and WebSocket for a mosquitto: its configuration, passwords and certificates in a folder"
    broker = _add(commands, "broker-config", what, room="broker_config")
    broker.add_argument("folder", type=Path, metavar="DIR", help="made where it is not there; run again it is kept up")
    roles = "an account and its role: table (named as its table), referee, chief, display or bridge"
    broker.add_argument("--account", action="append", type=_account, default=[], metavar="NAME=ROLE", help=roles)
    broker.add_argument("--remove", action="append", default=[], metavar="NAME", help="an account that is to go")
    hosts = "a name or address that clients reach the broker by (this machine's name, and its name with .local)"
    broker.add_argument("--host", action="append", default=[], metavar="HOST", help=hosts)
    broker.add_argument("--ports", nargs=4, type=port_number, metavar=("PLAIN", "TLS", "WS", "WSS"), help=PORTS_HELP)
    broker.add_argument("--renew", action="store_true", help="a new server's certificate, from the same authority")
    broker.add_argument(
        "--new-password", action="append", default=[], metavar="NAME", help="for a display that is lost"
    )


def _add_contract(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The commands for whoever writes what listens to a table."""
    schema = _add(commands, "schema", "the JSON Schema of what goes over each MQTT topic", room="asyncapi")
    asked = schema.add_mutually_exclusive_group()
    asked.add_argument("topic", nargs="?", metavar="TOPIC", help="as it is listed without one: state, cmd/lay ...")
    asked.add_argument("--asyncapi", action="store_true", help="all of them in one AsyncAPI 3 document")
    what = "the table as a device of Home Assistant: have it appear there, or take it away"
    assistant = _add(commands, "home-assistant", what, room="home_assistant")
    assistant.add_argument(
        "what", choices=("publish", "remove", "show"), help="at the broker; or show what is published"
    )
    assistant.add_argument("config", type=Path, metavar="CONFIG")


def _add(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, what: str, *, room: str = "doings"
) -> argparse.ArgumentParser:
    """A command with its help and example; its function is imported only when it runs, so that --help is quick."""
    parser = commands.add_parser(name, help=what, description=what[0].upper() + what[1:] + ".")
    parser.epilog = f"example: {EXAMPLES[name]}"
    parser.formatter_class = argparse.RawDescriptionHelpFormatter  # an example that is folded cannot be copied

    def command(options: argparse.Namespace) -> int:
        try:
            module = import_module(f"controller.{room}")
        except ImportError as error:
            cure = "install Gameline again in its own environment, with pip and without --no-deps"
            raise Sorry(f"expected the libraries that it was written for, got: {error}: {cure}") from error
        code: int = getattr(module, name.replace("-", "_"))(options)
        return code

    parser.set_defaults(command=command)
    return parser


def _file(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("expected a file's name, got an empty one")
    return Path(text)


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not (host and port.isascii() and port.isdecimal() and int(port) < 65536):
        raise argparse.ArgumentTypeError(f"expected HOST:PORT, as 127.0.0.1:8420, got {text!r}")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _account(text: str) -> tuple[str, str]:
    name, _, role = text.partition("=")
    if not (name and role):
        raise argparse.ArgumentTypeError(f"expected NAME=ROLE, as ann=referee, got {text!r}")
    return name, role


def port_number(text: str) -> int:
    """A port as it is written on a command line."""
    if not (text.isascii() and text.isdecimal() and 0 < int(text) < 65536):
        raise argparse.ArgumentTypeError(f"expected a port from 1 to 65535, got {text!r}")
    return int(text)


def whole_number(text: str) -> int:
    """A number from 0 up, likewise."""
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"expected a whole number from 0 up, got {text!r}")
    return int(text)


def _amount(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9:
        raise argparse.ArgumentTypeError(f"expected an amount of 0 or more, got {text!r}")
    return value


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"expected a number above 0, got {text!r}")
    return value


def entry() -> NoReturn:
    """The installed command."""
    sys.exit(main())
