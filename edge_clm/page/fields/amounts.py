"""Amounts of money on a page, and those that a label speaks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from edge_clm.page.fields.guesses import Guess
from edge_clm.page.fields.habits import Habits
from edge_clm.page.fields.labels import Label, Labels
from edge_clm.page.fields.layout import Layout, Span
from edge_clm.page.fields.places import places_of
from edge_clm.values.money import find_money
from edge_clm.values.value import Money

_CENTS = re.compile(r"[.,]\d{2}(?!\d)")
# What an amount is worth as such that is printed without cents and without a currency.
_BARE = 0.45
_LETTERS_AROUND = 12


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
    for place in places_of(layout, labels, label):
        below = place.span.cell.row > max(span.cell.row for span in label.spans)
        if below and found_in_row:
            return
        for amount in amounts_in(place.span, habits):
            found_in_row = found_in_row or not below
            spoken = sum(map(str.isalpha, place.span.text)) - sum(map(str.isalpha, amount.span.text))
            plain = 1.0 if spoken < _LETTERS_AROUND else 0.4
            strength = worth * place.worth * amount.worth * plain * (0.7 if below else 1.0)
            yield Guess((amount.span,), amount.money, strength)
