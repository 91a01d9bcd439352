"""Where a phrase or a typed value stands among the words of a page."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import accumulate

from edge_clm.paper import Evidence, PageText
from edge_clm.values.dates import read_day
from edge_clm.values.equal import equal
from edge_clm.values.find import find_values
from edge_clm.values.habits import habits_of
from edge_clm.values.money import read_money
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
        self._habits = habits_of([text])
        words = [
            (_Word(index, *match.span()), form)
            for index, line in enumerate(text.lines)
            for match in _TOKEN.finditer(line.text)
            if (form := _form(match.group()))
        ]
        self._words = [word for word, _ in words]
        forms = _spaced([form for _, form in words])
        self._joined = "".join(forms)
        self._ends = list(accumulate(map(len, forms)))
        self._starts = [end - len(form) for end, (_, form) in zip(self._ends, words, strict=True)]

    def values(self, text: str) -> list[Value]:
        """The values in a text about this page, read as the page writes its own."""
        return [found.value for found in find_values(text, self._habits)]

    def typed(self, text: str) -> Value:
        """A whole text as the value it is, read likewise."""
        bare = text.strip(" \"'").rstrip(" .")
        if re.fullmatch(r"0\d+|\d{7,}", bare):
            return Text(bare)
        habits, day = self._habits, read_day(bare, self._habits.order)
        quantity = read_quantity(bare, habits.decimal)
        if day or re.fullmatch(r"-?\d+", bare):
            return day or quantity or Text(bare)
        return read_money(bare, habits.currency, habits.decimal) or quantity or Text(bare)

    def phrase(self, text: str) -> tuple[Evidence, ...]:
        """The first place where these very words stand one after the other, maybe over several lines.

        Spaces do not count, for OCR loses and invents them; beginning and end are those of words.
        """
        wanted = "".join(_spaced(tokens(text)))
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
        return tuple(
            self._cut(index, found.start, found.end)
            for index, found in self._found
            if same(found.value, wanted)
        )

    @cached_property
    def _found(self) -> list[tuple[int, Found[Value]]]:
        """Every value of the page, with its line."""
        lines = enumerate(self._lines)
        return [(at, found) for at, line in lines for found in find_values(line.text, self._habits)]

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


def _spaced(forms: Sequence[str]) -> list[str]:
    """Words to be joined. Spaces do not count but for those between digits: 3 5.00 is not 35.00."""
    pairs = zip(["", *forms], forms, strict=False)
    return ["\0" * (before[-1:].isdigit() and form[:1].isdigit()) + form for before, form in pairs]


def same(one: Value, other: Value) -> bool:
    """Typed equality; an amount or quantity whose unit is left out is the bare number too."""
    if equal(one, other):
        return True
    # Two of one kind that are not equal differ in what they tell.
    if type(one) is type(other) or not {type(one), type(other)} & {Money, Quantity}:
        return False
    bare = bare_number(one)
    return bare is not None and bare == bare_number(other)


def bare_number(value: Value) -> Decimal | None:
    """The number of an amount, or of anything that is a number without a unit; else None.

    Digits that begin with a nought are a code and no number.
    """
    match value:
        case Money(amount=number) | Quantity(number=number, unit="", comparison=""):
            return number
        case Text(text=text) if re.fullmatch(r"-?(?:0|[1-9]\d*)(?:[.,]\d+)?", text):
            quantity = read_quantity(text)
            return quantity.number if quantity else None
    return None
