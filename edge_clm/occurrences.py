"""Where a phrase or a typed value stands among the words of a page."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from edge_clm.paper import Evidence, PageText
from edge_clm.values.equal import equal
from edge_clm.values.find import find_values
from edge_clm.values.quantity import read_quantity
from edge_clm.values.value import Found, Money, Quantity, Text, Value

_TOKEN = re.compile(r"\S+")
_OUTER = re.compile(r"^\W+|\W+$")
_INNER = re.compile(r"[\W_]+")


def tokens(text: str) -> list[str]:
    """The words of a text as they are compared: casefolded, without marks around them.

    Marks inside stay where a word has a digit: 9.00 is not 900.
    """
    return [form for word in _TOKEN.findall(text) if (form := _form(word))]


def _form(word: str) -> str:
    if any(map(str.isdigit, word)):
        return _OUTER.sub("", word.casefold())
    return _INNER.sub("", word.casefold())


@dataclass(frozen=True, slots=True)
class _Word:
    line: int
    start: int
    end: int


class Occurrences:
    """The words and values of one page, to look things up in."""

    def __init__(self, text: PageText) -> None:
        self._lines = text.lines
        self._words: list[_Word] = []
        self._starts: list[int] = []
        joined = []
        at = 0
        for index, line in enumerate(text.lines):
            for match in _TOKEN.finditer(line.text):
                if form := _form(match.group()):
                    self._words.append(_Word(index, *match.span()))
                    self._starts.append(at)
                    joined.append(form)
                    at += len(form)
        self._joined = "".join(joined)
        self._ends = [*self._starts[1:], at]
        self._values: list[tuple[int, Found[Value]]] | None = None

    def phrase(self, text: str) -> tuple[Evidence, ...]:
        """The first place where these very words stand one after the other, maybe over several lines.

        Spaces do not count, for OCR loses and invents them; beginning and end are those of words.
        """
        wanted = "".join(tokens(text))
        at = self._joined.find(wanted) if wanted else -1
        while at >= 0:
            first, last = bisect_left(self._starts, at), bisect_left(self._ends, at + len(wanted))
            whole = first < len(self._starts) and self._starts[first] == at
            if whole and last < len(self._ends) and self._ends[last] == at + len(wanted):
                return self._evidence(self._words[first : last + 1])
            at = self._joined.find(wanted, at + 1)
        return ()

    def value(self, wanted: Value) -> tuple[Evidence, ...]:
        """Every place where this value stands, by typed equality."""
        if self._values is None:
            self._values = [
                (index, found)
                for index, line in enumerate(self._lines)
                for found in find_values(line.text)
            ]
        places = [place for place in self._values if same(place[1].value, wanted)]
        return tuple(self._cut(index, found.start, found.end) for index, found in places)

    def _evidence(self, words: Iterable[_Word]) -> tuple[Evidence, ...]:
        """One box a line, from the first word in it to the last."""
        spans: dict[int, tuple[int, int]] = {}
        for word in words:
            start, _ = spans.get(word.line, (word.start, 0))
            spans[word.line] = (start, word.end)
        return tuple(self._cut(index, *span) for index, span in spans.items())

    def _cut(self, index: int, start: int, end: int) -> Evidence:
        line = self._lines[index]
        return Evidence(line.text[start:end], line.part(start, end))


def same(one: Value, other: Value) -> bool:
    """Typed equality; an amount or quantity whose unit is left out is the bare number too."""
    if equal(one, other):
        return True
    if not any(isinstance(value, Money | Quantity) for value in (one, other)):
        return False
    bare = bare_number(one)
    return bare is not None and bare == bare_number(other)


def bare_number(value: Value) -> Decimal | None:
    """The number of an amount, or of anything that is a number without a unit; else None."""
    match value:
        case Money(amount=number) | Quantity(number=number, unit="", comparison=""):
            return number
        case Text(text=text) if quantity := read_quantity(text):
            return bare_number(quantity)
    return None
