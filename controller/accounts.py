"""Who may order: the roles that people have; nothing is asked or decided here."""

from __future__ import annotations

from enum import Enum


class Role(Enum):
    """What somebody is at the table."""

    REFEREE = "referee"
    """Orders, and reads what came of it."""
    CHIEF = "chief"
    """The same, and what takes the chief referee's word."""
