"""The register as the club reads it: a line a set, ½ for a shared one, notes with who decided, in both languages."""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import fields, replace
from enum import Enum
from typing import Any

import pytest

from controller.game.commands import Decision
from controller.game.events import Ending, FindingKind, ProvenBy, Winner
from controller.game.penalties import WARNING_REASONS
from controller.game.rulesets import Params, RuleSet, fours, spots
from controller.game.tiles import Pair, Seat
from controller.register.cells import IN_RULES_LINE, chosen_parameters, columns, number, seconds, words_of
from controller.register.notes import sections
from controller.register.register import (
    Consequence,
    CorrectionEntry,
    CorrectionKind,
    FineEntry,
    Halves,
    MisreadingEntry,
    OvertimeEntry,
    Register,
)
from controller.register.russian import PARAMETERS, RUSSIAN, VALUES
from controller.register.text import WIDTH, register_text
from controller.register.words import ENGLISH, Language, Words
from tests.controller.registers import (
    LONG_NAMES,
    PROOF,
    TOLD,
    a_set,
    long_register,
    register_with,
    short_register,
    spots_register,
)


def lines_of(register: Register, language: Language = Language.EN) -> list[str]:
    """The text with its columns drawn together."""
    return [" ".join(line.split()) for line in register_text(register, language).splitlines()]


def test_register_has_a_line_for_every_way_a_set_can_end() -> None:
    """A counted deadlock, a shared one, a set lost by a wrong pass and one gone out, with the points as they stand."""
    assert lines_of(short_register()) == [
        "Register of a game",
        "Game: G-12; Competition: Winter cup; Table: 3; Date: 2026-11-30 18:05 UTC",
        "Pair A: Ann and Cleo",
        "Pair B: Bob and Dan",
        "Rules: fours version 1, 4 sets, 15 s a move",
        "",
        "set lead moves passes ending ends spots left A B total",
        "1 Ann 3 1 deadlock 6 3 14+3 : 8+19 1 0 1 : 0",
        "2 Bob 3 1 deadlock 6 3 14+3 : 8+19 ½ ½ 1½ : ½",
        "3 Cleo 3 1 wrong pass C6.1 6 3 - 1 0 2½ : ½",
        "4 Dan 3 1 went out 6 3 14+3 : 8+19 0 1 2½ : 1½",
        "The leader's partner mixes first, the leader second; the leader takes his dominoes last.",
        "Result 2½ : 1½: pair A, Ann and Cleo, wins",
        "Recorded by Ann",
    ]


def test_register_of_spots_has_the_amount_in_the_winners_column_only() -> None:
    """In `spots` the loser's column stays empty, and only a drawn deadlock writes a nought in both (R8)."""
    register = spots_register()
    assert [columns(entry, register.params) for entry in register.sets] == [
        ("27", ""),
        ("", "112"),
        ("0", "0"),
        ("", "10"),
    ]
    assert lines_of(register)[8] == "2 Bob 3 1 went out 6 3 14+3 : 8+19 112 27 : 112"


def test_register_in_russian_uses_the_words_of_the_hall() -> None:
    """Game, set, leader, deadlock and wrong pass are called as the Russian text calls them."""
    assert lines_of(short_register(), Language.RU)[:10] == [
        "Протокол партии",
        "Партия: G-12; Турнир: Winter cup; Стол: 3; Дата: 2026-11-30 18:05 UTC",
        "Пара A: Ann и Cleo",
        "Пара B: Bob и Dan",
        "Правила: «четвёрки» (fours), версия 1; раздач 4, на ход 15 с",
        "",
        "№ заход ходы проп. окончание концы на руках A B итого",
        "1 Ann 3 1 бой 6 3 14+3 : 8+19 1 0 1 : 0",
        "2 Bob 3 1 бой 6 3 14+3 : 8+19 ½ ½ 1½ : ½",
        "3 Cleo 3 1 неправильный пропуск C6.1 6 3 - 1 0 2½ : ½",
    ]


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("make", [short_register, spots_register, long_register])
def test_text_fits_a_terminal_of_a_hundred_columns(make: object, language: Language) -> None:
    """However long the names and proofs, no line is longer than the terminal is wide."""
    assert callable(make)
    text = register_text(make(), language)
    assert max(map(len, text.splitlines())) <= WIDTH


def test_text_breaks_a_word_that_is_longer_than_the_line() -> None:
    """A name of three hundred letters is broken over lines, and none of its letters is lost."""
    register = replace(short_register(), names=("x" * 300, "Bob", "Cleo", "Dan"))
    text = register_text(register)
    assert max(map(len, text.splitlines())) <= WIDTH
    head = text[text.index("Pair A:") : text.index("Pair B:")]
    assert head.count("x") == 300


def test_set_in_progress_has_no_points_yet() -> None:
    """A set that is being played stands in the register without a result, and the game has none either."""
    register = register_with((a_set(1, (1.0, 0.0)), a_set(2, None)), params=fours())
    lines = lines_of(register)
    assert "2 Bob 3 1 not finished 6 3 -" in lines
    assert not any(line.startswith("Result") for line in lines)


def test_game_ended_by_a_warning_says_so() -> None:
    """A result that is not the sum of the sets is explained by the warning that made it (C8.3)."""
    register = replace(
        register_with((a_set(1, (1.0, 0.0)),), params=fours()),
        result=(1.5, 2.5),
        winner=Winner.B,
        ended_by=Ending.THIRD_WARNING,
    )
    assert "Result 1½ : 2½: pair B, Bob and Dan, wins; the game was ended by: third warning" in lines_of(register)


def test_drawn_game_has_no_winner() -> None:
    """Where a draw stands it is called one."""
    register = register_with(
        tuple(a_set(place, (0.5, 0.5)) for place in range(1, 5)), params=fours(pair_tournament=False)
    )
    assert "Result 2 : 2: a draw" in lines_of(register)


def test_extra_sets_are_marked() -> None:
    """Sets beyond the agreed number carry a plus."""
    lines = lines_of(long_register())
    assert any(line.startswith("13+ ") for line in lines)
    assert not any(line.startswith("12+ ") for line in lines)


@pytest.mark.parametrize(
    ("value", "written"),
    [(0.0, "0"), (0.5, "½"), (1.0, "1"), (2.5, "2½"), (112.0, "112"), (-10.0, "-10"), (-0.5, "-½")],
)
def test_points_are_written_as_the_club_does(value: float, written: str) -> None:
    """Halves are written ½, and nought is nought."""
    assert number(value) == written


def test_thinking_time_is_written_to_the_millisecond() -> None:
    """Four milliseconds over fifteen seconds are over, and the register shows that they are."""
    assert [seconds(n) for n in (15_000, 15_004, 15_100, 99, 60_040)] == ["15.0", "15.004", "15.1", "0.099", "60.04"]


# --- what is noted ---


def notes_of(register: Register, language: Language) -> list[str]:
    return [text for section in sections(register, words_of(language)) for _, text in section.notes]


def test_warning_says_pair_player_reason_ordinals_and_consequence() -> None:
    """A warning stands with whose it was, for what, the how-manieth, what it cost and who gave it."""
    notes = notes_of(long_register(), Language.EN)
    name = "Maximilian von und zu Hohenlohe-Schillingsfürst"
    assert notes[1] == (
        f"pair B, {name}, for showing dominoes; the pair's 2nd in the game, 4th in the competition; "
        "the set is lost; by the referee"
    )
    assert "for a mobile telephone; does not count on the ladder; no consequence; by V. Sergeev" in notes[2]


def test_finding_says_its_proof_and_who_confirmed_it() -> None:
    """A finding stands with player, act, clause, decision, by whom, and the proof as the referee was told it."""
    notes = [note for note in notes_of(long_register(), Language.EN) if "Proof" in note]
    assert len(notes) == 6
    assert "act 10 (C6.1); the set is lost, by the rules. Proof: " in notes[0]
    assert "confirmed, by V. Sergeev. Proof by a later move: " in notes[1]
    assert "nobody proven, act 12 (C6.1); dismissed, by V. Sergeev. Proof by counting: " in notes[2]
    assert "not decided, lapsed with the set" in notes[5]
    assert all(PROOF.format(act=act).rstrip(".") in note for act, note in enumerate(notes, start=1))


def test_proof_is_said_in_russian_from_its_facts() -> None:
    """The Russian register proves a finding of every kind by what was laid, shown, denied or claimed, in Russian."""
    notes = [note for note in notes_of(long_register(), Language.RU) if "Доказательство" in note]
    name = "Bartholomew Featherstonehaugh-Cholmondeley"
    assert notes[0].startswith(f"неверная косточка, {name}, действие 10 (C6.1); раздача проиграна, по правилам. ")
    assert "Доказательство: косточка 5-2 не подходит к концу линии." in notes[0]
    assert f"Доказательство, позднейший ход: пропуск (действие 11, {name}, открыты 5 и 3), а на руках 5-2." in notes[1]
    assert "при таких пропусках косточки не разложить по рукам: действие 4, " in notes[2]
    assert notes[3].endswith("Доказательство: косточка 6-3 выложена, когда ход был за другим игроком.")
    shown = "6-5, 5-5, 4-4, 3-3, 1-0, 2-1, 6-1"
    assert notes[4].endswith(f": для пересдачи вскрыты косточки {shown}; рука не даёт права на пересдачу.")
    assert notes[5].endswith(f": {LONG_NAMES[0]} обращает внимание судьи: прошло 21.39 с при лимите 20 с.")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (Language.EN, "A misreading would explain it too: act 9 was 5-1, not 6-1; or {name} passed by voice before"),
        (Language.RU, "ошибка в записи: действие 9 — косточка 5-1, а не 6-1; или перед действием 12 пропуск объявлен"),
    ],
)
def test_misreadings_are_told_with_the_finding(language: Language, said: str) -> None:
    """Before anybody is accused both languages say which domino or which unheard pass would explain it as well."""
    notes = [note for note in notes_of(long_register(), language) if "5-1" in note]
    assert len(notes) == 1
    assert said.format(name=LONG_NAMES[1]) in notes[0]


@pytest.mark.parametrize(
    ("seats", "names"),
    [
        ((Seat.S1,), "Bob"),
        ((Seat.S3, Seat.S0), "Dan {} Ann"),
        ((Seat.S1, Seat.S2, Seat.S3), "Bob, Cleo {} Dan"),
    ],
)
def test_seats_that_may_have_passed_by_voice_are_named_in_their_order(seats: tuple[Seat, ...], names: str) -> None:
    """One, two or three players are enumerated as one speaks."""
    register = short_register()
    entry = replace(long_register().findings[1], misreadings=(MisreadingEntry(9, None, None, seats),))
    register = replace(register, findings=(entry,))
    assert f": {names.format('and')} passed by voice before act 9." in notes_of(register, Language.EN)[0]
    said = f": перед действием 9 пропуск объявлен голосом ({names.format('и')})."
    assert said in notes_of(register, Language.RU)[0]


def test_what_was_kept_in_words_alone_is_quoted() -> None:
    """A register from before the facts were kept says what the referee was told, in both languages: nothing is lost."""
    kept = {"misreadings": (), "dominoes": (), "passes": (), "refused": None, "claimant": None, "elapsed_ms": None}
    register = long_register()
    register = replace(register, findings=tuple(replace(f, repairs=TOLD, **kept) for f in register.findings))  # type: ignore[arg-type]
    for language in Language:
        notes = [note for note in notes_of(register, language) if "(C6.1);" in note]
        assert len(notes) == len(FindingKind)
        for act, note in enumerate(notes, start=1):
            assert PROOF.format(act=act).rstrip(".") in note
            assert all(told.rstrip(".") in note for told in TOLD)


def test_set_played_again_says_who_ordered_it_and_why() -> None:
    """A set that is played again is noted with the reason and with the referee, the chief one as such (R10.5)."""
    notes = [note for note in notes_of(long_register(), Language.EN) if note.startswith("played again")]
    assert notes == [
        "played again, same leader; a wrong domino; by V. Sergeev",
        "played again, same leader; a cup fell over the line; by N. Orlova, the chief referee",
        "played again, same leader; equal spots in a deadlock; by the rules",
        "played again, same leader; no reason given; by the referee",
    ]


def test_notes_of_a_quiet_game_are_none() -> None:
    """A game in which nothing happened has no headings without notes."""
    assert sections(short_register(), ENGLISH) == ()


@pytest.mark.parametrize("language", Language)
def test_what_a_person_typed_cannot_break_a_line(language: Language) -> None:
    """A name or reason with line breaks or control signs stays on its line."""
    register = long_register()
    warning = replace(register.warnings[0], reason="talk\nResult 9 : 0", by="\x1b[2J")
    register = replace(register, warnings=(warning,), names=("A\nB", "Bob\r", "\tCleo", "Dan"))
    text = register_text(register, language)
    assert "\nResult 9" not in text
    assert text == "".join(sign for sign in text if sign.isprintable() or sign == "\n")


@pytest.mark.parametrize(
    ("language", "made", "waiting", "unmade"),
    [
        (
            Language.EN,
            "Bob, act 2, thought 19.1 s",
            "Bob, act 2, thought longer than the limit",
            "Bob, act 2, thought longer than the limit, the move was not made",
        ),
        (
            Language.RU,
            "Bob, действие 2: 19.1 с",
            "Bob, действие 2: дольше лимита",
            "Bob, действие 2: дольше лимита, ход так и не сделан",
        ),
    ],
)
def test_overtime_without_a_move_says_so(language: Language, made: str, waiting: str, unmade: str) -> None:
    """Who was too slow and then never moved has no thinking time, and both languages say that there was no move."""
    overtimes = (
        OvertimeEntry(1, 2, Seat.S1, 19_100),
        OvertimeEntry(1, 2, Seat.S1, None),
        OvertimeEntry(1, 2, Seat.S1, None, is_unmade=True),
    )
    register = replace(short_register(), overtimes=overtimes)
    assert notes_of(register, language) == [made, waiting, unmade]


@pytest.mark.parametrize(
    ("language", "is_open", "lapsed"),
    [
        (Language.EN, "OPEN: not decided", "not decided, lapsed with the set"),
        (Language.RU, "НЕ РЕШЕНО", "решения не было, отпало вместе с раздачей"),
    ],
)
def test_finding_is_open_only_while_somebody_can_rule_on_it(language: Language, is_open: str, lapsed: str) -> None:
    """Once its set or the game is over, a finding that nobody decided on has lapsed, and no one is told to decide."""
    found = long_register().findings[5]
    running = register_with((a_set(1, None),), params=fours())
    over = replace(short_register(), findings=(found,))
    for register, said, unsaid in (
        (replace(running, findings=(found,)), is_open, lapsed),
        (replace(running, findings=(replace(found, is_lapsed=True),)), lapsed, is_open),
        (over, lapsed, is_open),
    ):
        (note,) = notes_of(register, language)
        assert f"; {said}." in note
        assert unsaid not in note


def fined_register() -> Register:
    """Four sets of `spots`: pair B fined 10 and behind, A fined 20 and gone out, both fined, nobody."""
    first, second, third, fourth = spots_register().sets
    fines = (
        (FineEntry(Pair.B, 10, None),),
        (FineEntry(Pair.A, 20, 40),),
        (FineEntry(Pair.A, 10, None), FineEntry(Pair.B, 20, None)),
    )
    made = (replace(entry, fines=fine) for entry, fine in zip((first, second, third), fines, strict=True))
    return register_with((*made, fourth), params=spots())


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            Language.EN,
            "set 1, pair B 10; set 2, pair A 20, for which it counts 40; set 3, pair A 10, pair B 20",
        ),
        (
            Language.RU,
            "раздача 1, пара B 10; раздача 2, пара A 20, за что ей считается 40; раздача 3, пара A 10, пара B 20",
        ),
    ],
)
def test_fines_in_the_points_stand_under_the_table(language: Language, said: str) -> None:
    """Points that are not the difference of the spots are explained where the eye looks, right under the sets."""
    lines = lines_of(fined_register(), language)
    table_end = next(place for place, line in enumerate(lines) if line.startswith("4 "))
    heading = words_of(language).fines.partition(":")[0]
    assert " ".join(lines[table_end + 1 : table_end + 3]).startswith(f"{heading}: {said}")
    assert heading not in " ".join(lines_of(spots_register(), language))


UNDONE = (
    CorrectionEntry(1, CorrectionKind.ATTRIBUTED, 2, Seat.S1, None, "Eva"),
    CorrectionEntry(1, CorrectionKind.CORRECTION_UNDONE, 2, Seat.S1, None, "", undone=CorrectionKind.ATTRIBUTED),
    CorrectionEntry(
        1,
        CorrectionKind.RULING_UNDONE,
        3,
        Seat.S2,
        None,
        "",
        finding=FindingKind.WRONG_PASS,
        decision=Decision.CONFIRM,
    ),
    CorrectionEntry(1, CorrectionKind.WARNING_UNDONE, None, Seat.S3, None, "", reason="talk"),
    CorrectionEntry(1, CorrectionKind.WARNING_UNDONE, None, Seat.S3, None, ""),
)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            Language.EN,
            [
                "act 2 was made by Bob; those skipped passed by voice; by Eva",
                "taken back: act 2 was made by Bob; those skipped passed by voice",
                "a ruling taken back: wrong pass, Cleo, act 3, confirmed",
                "a warning to Dan for talking taken back",
                "a warning to Dan taken back",
            ],
        ),
        (
            Language.RU,
            [
                "действие 2: ходил(а) Bob, пропустившие объявили голосом; судья Eva",
                "отменено: действие 2: ходил(а) Bob, пропустившие объявили голосом",
                "решение отменено: неправильный пропуск, Cleo, действие 3, подтверждено",
                "замечание за разговоры отменено (Dan)",
                "замечание отменено (Dan)",
            ],
        ),
    ],
)
def test_what_was_taken_back_is_named(language: Language, said: list[str]) -> None:
    """A note of something taken back says which correction, ruling or warning it was."""
    assert notes_of(replace(short_register(), corrections=UNDONE), language) == said


@pytest.mark.parametrize("language", Language)
def test_note_that_says_neither_what_nor_who_is_left_out(language: Language) -> None:
    """Of an old register in which nobody kept what was taken back there is no line, and no heading over nothing."""
    kinds = (CorrectionKind.STEP_UNDONE, CorrectionKind.CORRECTION_UNDONE, CorrectionKind.RULING_UNDONE)
    bare = tuple(CorrectionEntry(1, kind, None, None, None, "Eva") for kind in kinds)
    assert notes_of(replace(short_register(), corrections=bare), language) == []
    assert sections(replace(short_register(), corrections=bare), words_of(language)) == ()


# --- the words ---


@pytest.mark.parametrize("words", [ENGLISH, RUSSIAN], ids=["en", "ru"])
def test_every_thing_has_its_word(words: Words) -> None:
    """Every ending, kind, decision, consequence, proof, correction and reason has words in both languages."""
    tables: list[tuple[Mapping[Any, str], type[Enum]]] = [
        (words.endings, Ending),
        (words.kinds, FindingKind),
        (words.decisions, Decision),
        (words.consequences, Consequence),
        (words.proven_by, ProvenBy),
        (words.correction, CorrectionKind),
        (words.rule_sets, RuleSet),
    ]
    for table, kind in tables:
        assert set(table) == set(kind)
    assert set(words.reasons) == set(WARNING_REASONS)


def test_both_languages_say_the_same_things() -> None:
    """A phrase has the same places to fill in in English and in Russian, and the same reasons are named."""
    for field in fields(Words):
        english, russian = getattr(ENGLISH, field.name), getattr(RUSSIAN, field.name)
        if isinstance(english, str) and isinstance(russian, str):
            assert places(english) == places(russian), field.name
        if isinstance(english, dict) and field.name not in ("parameter", "value"):
            assert set(english) == set(russian), field.name


def places(phrase: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(phrase) if name}


def test_every_parameter_has_russian_words() -> None:
    """Whatever the regulations set otherwise, the Russian page can say it in Russian."""
    values = {getattr(getattr(fours(), field.name), "__class__", None) for field in fields(Params)}
    enums = {kind for kind in values if kind is not None and issubclass(kind, Enum)}
    assert len(enums) > 20
    assert {member.value for kind in enums - {RuleSet} for member in kind} <= set(VALUES)
    assert {field.name for field in fields(Params)} - set(IN_RULES_LINE) == set(PARAMETERS)


def test_parameters_are_told_where_they_are_not_the_rule_sets_own() -> None:
    """A game of `spots` by its own text tells no parameter, one with other regulations tells exactly those."""
    register = spots_register()
    assert chosen_parameters(register, ENGLISH) == ()
    chosen = replace(register, params=spots(fines_stack=True))
    assert chosen_parameters(chosen, ENGLISH) == ("fines stack: yes",)
    assert chosen_parameters(chosen, RUSSIAN) == ("штрафы складываются: да",)


def test_time_and_number_of_sets_are_told_once() -> None:
    """They stand in the line of the rules, whatever they are, and not once more among the parameters."""
    register = replace(spots_register(), params=spots(sets_in_game=6, think_seconds=30.0))
    assert chosen_parameters(register, ENGLISH) == ()
    assert "Rules: spots version 1, 6 sets, 30 s a move" in lines_of(register)


# --- the record itself ---


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"set_no": 3}, "without gaps"),
        ({"total": (9.0, 0.0)}, "expected the total of set 2"),
        ({"points": None, "total": None}, "all or none"),
        ({"ending": None, "points": None, "total": None}, "only the last set"),
    ],
)
def test_register_whose_parts_contradict_each_other_is_none(change: dict[str, object], words: str) -> None:
    """Sets out of order, or totals that are not the sums, cannot be a register at all."""
    register = short_register()
    wrong = replace(register.sets[1], **change)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=words):
        replace(register, sets=(register.sets[0], wrong, *register.sets[2:]))


@pytest.mark.parametrize(
    ("domino", "taken_for", "by_voice"),
    [
        (None, None, ()),
        ((5, 1), None, ()),
        (None, (5, 1), (Seat.S1,)),
        ((5, 1), (6, 1), (Seat.S1,)),
    ],
)
def test_misreading_is_of_a_domino_or_of_passes(
    domino: Halves | None, taken_for: Halves | None, by_voice: tuple[Seat, ...]
) -> None:
    """One that is neither, or both, is no misreading."""
    with pytest.raises(ValueError, match="name one of the two"):
        MisreadingEntry(9, domino, taken_for, by_voice)


def test_recorders_are_named_once() -> None:
    """Whoever entered several results is named once (C5.1)."""
    register = short_register()
    sets = tuple(
        replace(entry, recorded_by=name) for entry, name in zip(register.sets, ("Bob", "", "Ann", "Bob"), strict=True)
    )
    assert replace(register, sets=sets).recorders == ("Bob", "Ann")
