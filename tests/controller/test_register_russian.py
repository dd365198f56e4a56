"""The Russian register is Russian: beside what people have typed nothing in it is written in Latin letters."""

from __future__ import annotations

import io
import re

import pytest
from pypdf import PdfReader

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.events import FindingKind
from controller.game.rulesets import Params, Redeal, RuleSet, fours, spots
from controller.game.tiles import Seat
from controller.register.fold import register_of
from controller.register.page import register_pdf
from controller.register.register import Register
from controller.register.text import register_text
from controller.register.words import Language
from tests.controller.games import NAMES, Table, hands_of, random_evening
from tests.controller.rule_table import deal, lay_by, play

RUSSIAN_NAMES = ("Анна", "Борис", "Вера", "Глеб")
JUDGE = "Елена"
TYPED_IN_EVENINGS = {*NAMES, "a", "referee", "spilled", "nobody", "is", "to", "blame"}
"""What people type in the tests' random games."""


def latin_words(text: str) -> set[str]:
    """Words in Latin letters, but for clauses (C7.1, R10), the pairs A and B, and the identifiers of the rule sets."""
    rest = re.sub(r"\b[CR]\d+(\.\d+)*\b|\b[AB]\b", " ", text)
    return set(re.findall(r"[A-Za-z]+", rest)) - {rules.value for rules in RuleSet}


def page_text(register: Register) -> str:
    """Everything on the Russian page, as one line."""
    pages = PdfReader(io.BytesIO(register_pdf(register, Language.RU))).pages
    return " ".join(" ".join(page.extract_text() for page in pages).split())


def settle(table: Table, decision: Decision) -> None:
    """The chief referee decides so on whatever is open."""
    while table.state.open_findings:
        number = table.state.open_findings[0].number
        assert not isinstance(table.do(cmd.Rule(table.now, number, decision, JUDGE, True)), ev.Refused)


def with_every_kind(params: Params) -> Table:
    """A game in which the referee has had something of every kind to rule on; everything that is typed is Russian."""
    table = Table()
    table.do(cmd.StartGame(table.now, RUSSIAN_NAMES, Seat.S3, params, competition="Кубок", game="Партия 1"))
    deal(table)
    play(table, "03 01L 36R P 65R 54R P P")  # eleven dominoes are left with two players, who have ten places
    settle(table, Decision.RESTART)
    deal(table)
    table.do(cmd.ClaimRedeal(table.now, 1, hands_of("00 11 22 33 65 62 43")[0]))
    settle(table, Decision.DISMISS)
    play(table, "66")
    table.wait(params.think_seconds + 0.25)
    table.do(cmd.ClaimTime(table.now, 3))
    settle(table, Decision.DISMISS)
    table.do(lay_by(1, "65R", table))
    settle(table, Decision.CONFIRM)
    play(table, "65R 34R")
    settle(table, Decision.RESTART)
    deal(table)
    play(table, "66 P 65R 54R 63L 46R")
    settle(table, Decision.CONFIRM)
    return table


GAMES = [fours(), spots(redeal=Redeal.DOUBLES5_OR_SUIT6)]


def test_latin_words_are_found() -> None:
    """An English word is found among Russian ones; clauses, pairs, and the rule set's own name are none."""
    assert latin_words("пара A (C7.1), R10, «четвёрки» (fours), Анна: 6-4") == set()
    assert latin_words("Раздача 1. If Анна passed, C was B4, D 5.") == {"If", "passed", "C", "was", "B", "D"}


@pytest.mark.parametrize("params", GAMES, ids=["fours", "spots"])
def test_russian_register_says_every_finding_in_russian(params: Params) -> None:
    """A finding of every kind, its proof and what else may have been: on the page and as text there is no English."""
    register = register_of(with_every_kind(params).happened, table="3", date="2026-11-30")
    assert {finding.kind for finding in register.findings} == set(FindingKind)
    misreadings = [misreading for finding in register.findings for misreading in finding.misreadings]
    assert {misreading.domino is None for misreading in misreadings} == {True, False}
    for text in (register_text(register, Language.RU), page_text(register)):
        assert latin_words(text) == set()
        assert text.count("Доказательство") == len(FindingKind)
        assert text.count("ошибка в записи") == 2


@pytest.mark.parametrize(
    ("params", "player", "next_one"),
    [(GAMES[0], "Борис", "Вера"), (GAMES[1], "Анна", "Борис")],
    ids=["fours", "spots"],
)
def test_russian_register_tells_what_every_finding_rests_on(params: Params, player: str, next_one: str) -> None:
    """The domino out of turn, the hand laid open, the time claimed, and the unheard passes are told as they were."""
    register = register_of(with_every_kind(params).happened, table="3", date="")
    text = " ".join(register_text(register, Language.RU).split())
    for said in (
        "Доказательство: косточка 6-5 выложена, когда ход был за другим игроком.",
        "вскрыты косточки 0-0, 1-1, 2-2, 3-3, 6-5, 6-2, 4-3; рука не даёт права на пересдачу.",
        "Доказательство: Глеб обращает внимание судьи: прошло 15.25 с при лимите 15 с.",
        "Доказательство: косточка 4-3 не подходит к концу линии.",
        "действие 6 — косточка 5-0, а не 5-4; или действие 6 — косточка 5-1, а не 5-4;",
        f"пропуск (действие 2, {player}, открыты 6 и 6), а на руках 6-4.",
        f"перед действием 6 пропуск объявлен голосом ({player}); или",
        f"перед действием 6 пропуск объявлен голосом ({player} и {next_one}); или",
    ):
        assert said in text


@pytest.mark.parametrize("params", GAMES, ids=["fours", "spots"])
def test_russian_register_of_any_evening_is_russian(params: Params) -> None:
    """Whatever happens in a game, only what somebody typed is not Russian in its register."""
    kinds: set[FindingKind] = set()
    for seed in (10, 11, 12, 13, 14, 29):
        happened = random_evening(seed, params=params, is_checked=False).happened
        register = register_of(happened, table="3", date="")
        assert latin_words(register_text(register, Language.RU)) <= TYPED_IN_EVENINGS
        kinds |= {finding.kind for finding in register.findings}
    assert kinds == set(FindingKind)
