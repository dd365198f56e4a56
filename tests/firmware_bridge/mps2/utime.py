"""The name that MicroPython's `time` has besides."""

from time import *  # noqa: F403
