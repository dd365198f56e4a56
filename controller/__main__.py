"""`python -m controller` is the installed command `gameline`."""

from controller.cli import entry

entry()
