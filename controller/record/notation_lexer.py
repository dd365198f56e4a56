"""The characters of a written record and its words, quoted texts and notes; what the words mean is told elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NoReturn, TypeVar

Choice = TypeVar("Choice")

TEXT_WIDTH = 70
"""Columns of a text before it goes on in the next line, so that with what stands around it a line keeps to 120."""
SHOWN = 24
"""Characters of an unexpected word that a message repeats."""

_CONTROL = "\x00-\x1f\x7f-\x9f\u2028\u2029"
_SURROGATE = "\ud800-\udfff"
_HIDDEN = "\u00a0\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\uffff"
"""Characters that no eye tells apart from none, or from a blank: written as `\\u....`, read either way."""
_ESCAPED = re.compile(rf'[{_CONTROL}{_HIDDEN}"{{}}\\]')
_SHORT = {"\n": "\\n", "\t": "\\t", '"': '\\"', "{": "\\{", "}": "\\}", "\\": "\\\\"}
_LONG = {written[1]: char for char, written in _SHORT.items()}

_PLAIN = re.compile(rf'[^"{{}}\\ {_CONTROL}{_SURROGATE}]+')
_CURLY = re.compile(r"“([^“”\"\\\r\n]*)”|„([^„“”\"\\\r\n]*)[“”]|«([^«»\"\\\r\n]*)»")
"""The quotes that a telephone makes of straight ones."""
_CYRILLIC = re.compile("[\u0400-\u04ff]")
"""A Р looks like a P and is none."""
_BLANKS = re.compile("[ \t]+")
_FOLD = re.compile("[ \t]*[\r\n][ \t\r\n]*")
_JOIN = re.compile(r"\\(?:\r\n|\r|\n)[ \t]*")
_SHORT_ESCAPE = re.compile(r'\\(["{}\\nt])')
_UNICODE = re.compile(r"\\u([0-9a-fA-F]{4})")

_SINGLE_BLANK = re.compile("(?<=[^ ]) (?=[^ ])")

_BLANK = re.compile("[ \t\r\n]+")
_TIME = re.compile("[@/][0-9.]*")
_WORD = re.compile(r'[^ \t\r\n\[\]()|="{}@/]+')


class NotationError(ValueError):
    """A record that does not keep to the notation, with the place of the first mistake."""

    def __init__(self, line: int, column: int, expected: str, got: str) -> None:
        super().__init__(f"line {line}, column {column}: expected {expected}, got {got}")
        self.line = line
        """From 1."""
        self.column = column
        """From 1, in characters."""


class Kind(Enum):
    """What a token is."""

    WORD = "a word"
    TEXT = "a quoted text"
    NOTE = "a note"
    TIME = "a time"
    SIGN = "a sign"
    END = "the end of the record"


@dataclass(frozen=True, slots=True)
class Token:
    """A word, text, note, time or sign and where it begins."""

    kind: Kind
    text: str
    """As it is meant: without its quotes, braces and backslashes."""
    offset: int
    """Characters before it."""


class Tokens:
    """The tokens of a record one after another, with one to look ahead; NotationError where there can be none."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._left = _tokens(text)
        self.next = next(self._left)
        """The token to come; at the end for ever the END."""

    def take(self) -> Token:
        """The token to come, and on to the next."""
        token = self.next
        if token.kind is not Kind.END:
            self.next = next(self._left)
        return token

    def skip(self, characters: int) -> None:
        """Pass over the first characters of the word to come."""
        if characters == len(self.next.text):
            self.take()
        else:
            self.next = Token(self.next.kind, self.next.text[characters:], self.next.offset + characters)

    def is_next(self, kind: Kind, *texts: str) -> bool:
        """Whether a token of this kind comes, and one of these texts if any are given."""
        return self.next.kind is kind and (not texts or self.next.text in texts)

    def has(self, kind: Kind, text: str) -> bool:
        """Take the token to come if it is this one; whether it was."""
        is_there = self.is_next(kind, text)
        if is_there:
            self.take()
        return is_there

    def want(self, kind: Kind, expected: str, text: str | None = None) -> Token:
        """Take the token to come; NotationError "expected ..." if it is of another kind, or not `text`."""
        if self.next.kind is not kind or (text is not None and self.next.text != text):
            self.fail(expected)
        return self.take()

    def match(self, pattern: re.Pattern[str], expected: str) -> re.Match[str]:
        """Take a word that is wholly of this form; NotationError "expected ..." if it is not."""
        found = pattern.fullmatch(self.next.text) if self.next.kind is Kind.WORD else None
        if found is None:
            self.fail(expected)
        self.take()
        return found

    def choose(self, choices: Mapping[str, Choice]) -> Choice:
        """Take one of these words, and what it stands for; NotationError "expected one of ..." if none comes."""
        if self.next.kind is not Kind.WORD or self.next.text not in choices:
            self.fail(f"one of {' '.join(choices)}")
        return choices[self.take().text]

    def fail(self, expected: str, token: Token | None = None) -> NoReturn:
        """Raise NotationError at a token, the one to come unless another is given."""
        token = token or self.next
        got = token.kind.value
        if token.kind is not Kind.END:
            got = shown(token.text) if token.kind in (Kind.WORD, Kind.TIME, Kind.SIGN) else f"{got} {shown(token.text)}"
        if token.kind is Kind.WORD and _CYRILLIC.search(token.text):
            got += ", which is Cyrillic"
        raise self.error(token, expected, got)

    def error(self, token: Token, expected: str, got: str) -> NotationError:
        """The error for a mistake at a token."""
        return error_at(self._text, token.offset, expected, got)


def shown(text: str) -> str:
    """A text as a message repeats it: short, and printable whatever it is."""
    return repr(clipped(text))


def clipped(text: str) -> str:
    """A text, or its beginning where it is long."""
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


def error_at(text: str, offset: int, expected: str, got: str) -> NotationError:
    """The error for a mistake at a place of the text."""
    lines = re.split("\r\n|\r|\n", text[:offset])
    return NotationError(len(lines), len(lines[-1]) + 1, expected, got)


def _tokens(text: str) -> Iterator[Token]:
    """The tokens of the text up to and with its END."""
    at = 1 if text.startswith("\ufeff") else 0
    while True:
        if blank := _BLANK.match(text, at):
            at = blank.end()
        if at == len(text):
            break
        begin = at
        char = text[at]
        if curly := _CURLY.match(text, at):
            at = curly.end()
            yield Token(Kind.TEXT, next(found for found in curly.groups() if found is not None), begin)
        elif char in '"{':
            meant, at = _closed(text, at)
            yield Token(Kind.TEXT if char == '"' else Kind.NOTE, meant, begin)
        elif found := _TIME.match(text, at) or _WORD.match(text, at):
            at = found.end()
            yield Token(Kind.TIME if char in "@/" else Kind.WORD, found[0], begin)
        else:
            at += 1
            yield Token(Kind.SIGN, char, begin)
    yield Token(Kind.END, "", at)


def _closed(text: str, begin: int) -> tuple[str, int]:
    """What stands between the quotes or braces that open at `begin`, and where it goes on after them."""
    is_note = text[begin] == "{"
    close = "}" if is_note else '"'
    parts: list[str] = []
    at = begin + 1
    if is_note and (blanks := _BLANK.match(text, at)):
        at = blanks.end()
    while at < len(text):
        char = text[at]
        if char == close:
            return "".join(parts), at + 1
        if found := _PLAIN.match(text, at):
            parts.append(found[0])
        elif char == "\\":
            part, found = _escape(text, at)
            parts.append(part)
        elif is_note and (found := _FOLD.match(text, at) or _BLANKS.match(text, at)):
            is_last = text.startswith(close, found.end())
            parts.append("" if is_last else " " if _FOLD.fullmatch(found[0]) else found[0])
        elif char == " " or (is_note and char == '"') or (not is_note and char in "{}"):
            parts.append(char)
            at += 1
            continue
        else:
            wanted = f"a closing {close}" if char in "\r\n{" else "a character that can be seen, or \\uXXXX for it"
            raise error_at(text, at, wanted, shown(char))
        at = found.end()
    raise error_at(text, begin, f"a closing {close} for this one", "the end of the record")


def _escape(text: str, at: int) -> tuple[str, re.Match[str]]:
    """What a backslash stands for, and the match that ends where it does."""
    if joined := _JOIN.match(text, at):
        return "", joined
    if code := _UNICODE.match(text, at):
        if 0xD800 <= int(code[1], 16) <= 0xDFFF:
            raise error_at(text, at, "a whole character", shown(code[0]))
        return chr(int(code[1], 16)), code
    short = _SHORT_ESCAPE.match(text, at)
    if short is None:
        raise error_at(text, at, 'one of \\" \\\\ \\{ \\} \\n \\t \\uXXXX', shown(text[at : at + 2]))
    return _LONG[short[1]], short


def quoted(text: str) -> str:
    """The text in quotes; a long one goes on after a backslash in the next line."""
    lines, line = [], '"'
    for char in text:
        unit = _unit(char)
        if len(line) + len(unit) > TEXT_WIDTH:
            lines.append(line + "\\")
            line = ""
            unit = "\\u0020" if char == " " else unit
        line += unit
    return "\n".join([*lines, line + '"'])


def braced(text: str) -> str:
    """The text as a note; a long one goes on in the next line, after a blank where it has one."""
    lines, line = [], "{"
    for place, word in enumerate(_SINGLE_BLANK.split(text)):
        units = ["\\u0020" if char == " " else _unit(char) for char in word]
        if place and len(line) + sum(map(len, units)) >= TEXT_WIDTH:
            lines.append(line)
            line = ""
        elif place:
            line += " "
        for unit in units:
            if len(line) + len(unit) > TEXT_WIDTH:
                lines.append(line + "\\")
                line = ""
            line += unit
    return "\n".join([*lines, line + "}"])


def _unit(char: str) -> str:
    """A character as it is written between quotes or braces."""
    if not _ESCAPED.match(char):
        return char
    return _SHORT.get(char) or f"\\u{ord(char):04x}"
