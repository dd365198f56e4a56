"""What the commands for the workbench do: show the configured wiring as a table or a drawing, made in `hardware`."""

from __future__ import annotations

import argparse
from pathlib import Path

from controller.cli import Sorry
from controller.config import Config, ConfigError, in_file, load_config
from controller.output import write_svg
from controller.wiring import wiring_of
from hardware.drawing import draw
from hardware.plan import Kind, Plan, board_plan, markdown_table, pins_plan, text_table


def wiring(options: argparse.Namespace) -> int:
    """Print the table, or write the drawing."""
    path: Path = options.config
    try:
        config = load_config(path)
        plan = _plan(config, options.lamps)
    except ConfigError as error:
        raise Sorry(in_file(error, path)) from error
    if options.svg is not None:
        write_svg(options.svg, draw(plan, table=config.table.name), "--svg")
    else:
        print(markdown_table(plan) if options.markdown else text_table(plan))
    return 0


def _plan(config: Config, lamps: str | None) -> Plan:
    """The wiring of the configuration; `lamps` as the command line names them, or None for the configured ones."""
    if config.seats.kind == "board":
        return board_plan(Kind(lamps or "pixels"))
    if lamps == "pixels":
        raise Sorry('--lamps pixels needs a seat board: set kind = "board" in [seats], or name other lamps')
    return pins_plan(wiring_of(config), Kind(lamps or config.seats.lamps))
