"""Amounts of money on a page, and those that a label speaks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from edge_clm.page.fields.guesses import Guess
from edge_clm.page.fields.labels import Label, Labels
from edge_clm.page.fields.layout import Layout, Span
from edge_clm.page.fields.places import places_of
from edge_clm.page.fields.wording import fold
from edge_clm.values.habits import Habits
from edge_clm.values.money import find_money, read_money
from edge_clm.values.value import Money

_CENTS = re.compile(r"[.,]\d{2}(?!\d)")
# What an amount is worth as such that is printed without cents and without a currency.
_BARE = 0.45
_LETTERS_AROUND = 12
# Labels of less worth say nothing about what stands under them.
_ENOUGH_BELOW = 0.7
_NUMBER = re.compile(
    r"\s*(?:[^\W\d]\s?(?=.*[.,]\d\d))?([-–—−]?(?:\d[\d,. ]{0,11}|[^\w\s.,]?[.,]\d\d))\s*"
)
# Words behind a label that do not make it one of something else.
_VAGUE = re.compile(
    r"\b(?:inclusive|including|incl|inc|included|excl|excluding|of|the|all|taxes|tax|gst|vat|sst|amount|amt|payable"
    r"|rm|myr|usd|eur|gbp|sgd|chf|rounded|only|due|adj|adjustment|sales|sale|on|in|and)\b"
)


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount where it stands."""

    span: Span
    money: Money
    worth: float
    """0…1: how surely it is an amount of money and no other number."""


def amounts_in(span: Span, habits: Habits) -> list[Amount]:
    """The amounts that stand in a text, from left to right; percentages and dates are none."""
    found = []
    for one in find_money(span.text, habits.currency, habits.decimal):
        part = span.cell.part(span.start + one.start, span.start + one.end)
        follows = span.cell.text[part.end : part.end + 2].lstrip()
        if follows.startswith("%"):
            continue
        marked = _CENTS.search(part.text) or not part.text.strip("-() ")[:1].isdigit()
        found.append(Amount(part, one.value, 1.0 if marked else _BARE))
    return found


def labelled(
    layout: Layout, labels: Labels, concept: str, habits: Habits, skip: frozenset[int] = frozenset()
) -> Iterator[Guess]:
    """Guesses at amounts beside labels of a concept; `skip` names rows that are none of the page's sums."""
    for label, worth in labels.of(concept):
        if label.last.cell.row not in skip:
            yield from beside(layout, labels, label, worth, habits)


def beside(
    layout: Layout, labels: Labels, label: Label, worth: float, habits: Habits
) -> Iterator[Guess]:
    """Guesses at the amount of one label: those in its row, or else those below it."""
    found_in_row = False
    rows = {span.cell.row for span in label.spans}
    worth *= _narrowed(label)
    for place in places_of(layout, labels, label):
        below = place.span.cell.row not in rows
        if below and (found_in_row or worth < _ENOUGH_BELOW):
            return
        for amount in amounts_in(place.span, habits) or _plain_number(place.span, habits):
            found_in_row = found_in_row or not below
            spoken = _letters(place.span.text) - _letters(amount.span.text)
            plain = 1.0 if spoken < _LETTERS_AROUND else 0.4
            strength = worth * place.worth * amount.worth * plain * (0.7 if below else 1.0)
            yield Guess((amount.span,), amount.money, strength)


def _plain_number(span: Span, habits: Habits) -> list[Amount]:
    """A text that is a number and nothing else may be an amount where a label says so.

    A letter at its front is a misread currency sign: "S240.73". Below one, the zero may not be printed:
    ".54".
    """
    match = _NUMBER.fullmatch(span.text)
    money = read_money(match[1], habits.currency, habits.decimal) if match else None
    if not match or not money:
        return []
    part = span.cell.part(span.start + match.start(1), span.start + match.end(1))
    return [Amount(part, money, 1.0 if _CENTS.search(part.text) else _BARE)]


def _narrowed(label: Label) -> float:
    """How much other words in its cell make a label one of a part: "total 6 % supplies"."""
    cell, first, last = label.last.cell, label.spans[0], label.last
    behind = _VAGUE.sub(" ", fold(cell.text[last.end :]))
    before = cell.text[: first.start] if first.cell is cell else ""
    worth = 1.0 if _letters(behind) < 4 else 0.6
    return worth if _letters(before) < 3 else worth * 0.8


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))
