"""Who may order: the roles that accounts at the broker have, and what an order may say of who gives it.

MQTT does not tell a table who has published a message. So an account orders on a topic of its own,
`cmd/<name>/<account>`, that the broker lets nobody else write (broker_files.py): what came there is proven to be from
that account. Where no accounts are configured nothing is proven and nothing is asked.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from enum import Enum

PLAIN = "referee"
"""The account that has plain `cmd/<name>`: with it, only clients on the broker's own machine may write there."""


class Role(Enum):
    """What an account is for."""

    TABLE = "table"
    """Says what happens at the one table that has its name."""
    REFEREE = "referee"
    """Orders at every table, and reads what came of it."""
    CHIEF = "chief"
    """The same, and what takes the chief referee's word."""
    DISPLAY = "display"
    """Reads what tables say."""
    BRIDGE = "bridge"
    """Reads everything, orders and answers among it, to tell it elsewhere."""


ORDERING = (Role.REFEREE, Role.CHIEF)


def name_problem(account: str) -> str | None:
    """Why this can't be an account's name, a level of topics and a word in the broker's files; None when it can."""
    if re.fullmatch(r"[A-Za-z0-9_-]{1,64}", account):
        return None
    return f"expected an account of letters, digits, - and _, got {account!r}"


def refusal(
    accounts: Mapping[str, Role], *, account: str | None, by: str, needs: Role = Role.REFEREE
) -> tuple[str, str] | None:
    """Why an order is not taken from who gives it, as a code and a sentence; None when it is.

    Args:
        accounts: the roles of all accounts; empty: nobody has one, and everybody is taken at his word.
        account: the one whose topic the order came on; None: it came on plain `cmd/<name>`.
        by: who gives the order, as it says itself.
        needs: the least role that may give it.
    """
    if not accounts:
        return None
    role = Role.REFEREE if account is None else accounts.get(account)
    if account is not None and role not in ORDERING:
        who = "no account of this table" if role is None else f"of role {role.value}"
        return ("forbidden", f"expected an order from a referee, got one from {account!r}, {who}: ask one who may")
    if account is not None and by != account:
        return ("forged", f"expected by {account!r}, whose topic the order came on, got {by!r}: say who gives it")
    if account is None and (other := _alike(by, accounts)) is not None:
        return ("forged", f"expected who gives the order as by, got {by!r}: that account orders on cmd/<name>/{other}")
    if needs is Role.CHIEF and role is not Role.CHIEF:
        who = repr(account or PLAIN)
        return ("forbidden", f"expected the chief referee's word, got that of {who}: let the account of a chief say it")
    return None


def _alike(by: str, accounts: Mapping[str, Role]) -> str | None:
    """The account other than `PLAIN` that a reader would take `by` for."""
    return next((name for name in accounts if name != PLAIN and _letters(name) == _letters(by)), None)


def _letters(text: str) -> str:
    """What is left of a name without case, spaces and what can't be seen."""
    return "".join(letter for letter in unicodedata.normalize("NFKC", text).casefold() if letter.isalnum())
