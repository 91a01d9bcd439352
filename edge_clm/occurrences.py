"""Where a phrase or a typed value stands among the words of a page."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import accumulate

from edge_clm.negation import denied, denies
from edge_clm.paper import Evidence, PageKind, PageText
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
_CARDINAL = re.compile(r"0|[1-9][0-9]*")
_CLINIC = (PageKind.LAB_REPORT, PageKind.RADIOLOGY_REPORT)


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
    """The words and values of one page, to look things up in.

    On a report of a clinic what the page denies is not there: "no 12 mm mass" has no mass.
    """

    def __init__(self, text: PageText, kind: PageKind) -> None:
        self._lines = text.lines
        self._kind = kind
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
        return [found.value for found in self.found(text)]

    def found(self, text: str) -> list[Found[Value]]:
        """The same with their places in the text."""
        return find_values(text, self._habits, money=self._kind not in _CLINIC)

    def typed(self, text: str) -> Value:
        """A whole text as the value it is, read likewise."""
        bare = text.strip(" \"'").rstrip(" .")
        if re.fullmatch(r"0\d+|\d{7,}", bare):
            return Text(bare)
        habits, day = self._habits, read_day(bare, self._habits.order)
        quantity = read_quantity(bare, habits.decimal)
        if day or self._kind in _CLINIC or re.fullmatch(r"-?\d+", bare):
            return day or quantity or Text(bare)
        return read_money(bare, habits.currency, habits.decimal) or quantity or Text(bare)

    def phrase(self, text: str) -> tuple[Evidence, ...]:
        """Every place where these very words stand one after the other, maybe over several lines.

        Spaces do not count, for OCR loses and invents them; beginning and end are those of words.
        """
        wanted = "".join(_spaced(tokens(text)))
        at = self._joined.find(wanted) if wanted else -1
        places: list[Evidence] = []
        while at >= 0:
            first, last = bisect_left(self._starts, at), bisect_left(self._ends, at + len(wanted))
            whole = first < len(self._starts) and self._starts[first] == at
            if whole and last < len(self._ends) and self._ends[last] == at + len(wanted):
                words = self._words[first : last + 1]
                if denies(text) or not self._denied(words[0], words[-1]):
                    places += self._evidence(words)
            at = self._joined.find(wanted, at + 1)
        return tuple(places)

    def value(self, wanted: Value, *, denied: bool = False) -> tuple[Evidence, ...]:
        """Every place where this value stands, by typed equality; with `denied`, where it is denied too."""
        places = [
            _Word(index, found.start, found.end)
            for index, found in self._found
            if same(found.value, wanted)
        ]
        return tuple(
            self._cut(place.line, place.start, place.end)
            for place in places
            if denied or not self._denied(place, place)
        )

    @cached_property
    def _found(self) -> list[tuple[int, Found[Value]]]:
        """Every value of the page, with its line."""
        lines = enumerate(self._lines)
        return [(at, found) for at, line in lines for found in self.found(line.text)]

    def _denied(self, first: _Word, last: _Word) -> bool:
        """Whether the page denies what stands there; sentences of a radiology report run over lines."""
        if self._kind not in _CLINIC:
            return False
        before = self._lines[first.line].text[: first.start]
        after = self._lines[last.line].text[last.end :]
        if self._kind is PageKind.RADIOLOGY_REPORT:
            earlier = self._lines[max(first.line - 2, 0) : first.line]
            later = self._lines[last.line + 1 : last.line + 2]
            before = " ".join([*(line.text for line in earlier), before])
            after = " ".join([after, *(line.text for line in later)])
        return denied(before, after)

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
    """Typed equality, where a number without a unit may be any of a kind that has one."""
    if equal(one, other):
        return True
    kinds = {type(one), type(other)}
    if len(kinds) == 1 or not kinds <= {Money, Quantity, Text}:
        return False
    left, right = _quantity(one), _quantity(other)
    if left is None or right is None:
        return False
    if Money in kinds and (left.unit or right.unit):
        return False
    return equal(left, right)


def bare_number(value: Value) -> Decimal | None:
    """The number of an amount, or of anything that is a number without a unit; else None."""
    quantity = _quantity(value)
    return None if quantity is None or quantity.unit or quantity.comparison else quantity.number


def _quantity(value: Value) -> Quantity | None:
    """A value as a number, where it is one; digits that begin with a nought are a code and none."""
    match value:
        case Quantity():
            return value
        case Money(amount=number):
            return Quantity(number)
        case Text(text=text) if _CARDINAL.fullmatch(text):
            return Quantity(Decimal(text))
    return None
