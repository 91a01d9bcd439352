"""Dates on a page: the document's own, the one it is due, the span of a flight."""

from __future__ import annotations

import re
from collections.abc import Iterator

from edge_clm.page.fields.guesses import Guess
from edge_clm.page.fields.habits import Habits
from edge_clm.page.fields.labels import Labels
from edge_clm.page.fields.layout import Cell, Layout, Span
from edge_clm.page.fields.places import places_of
from edge_clm.values.dates import find_days
from edge_clm.values.value import Day

_TIME = re.compile(r"\d{1,2}\s*[:.]\s*\d{2}(?:\s*[:.]\s*\d{2})?\s*(?:[ap]\.?m)?", re.IGNORECASE)
# What an unlabelled date is worth: alone, and with a time of day beside it.
_PLAIN, _TIMED = 0.4, 0.6
# Labels that take a date away from being the document's.
_ELSEWHERE = ("due_date", "other", "flight", "terms")


def days_in(span: Span, habits: Habits) -> list[tuple[Span, Day]]:
    """The dates that stand in a text, from left to right."""
    found = find_days(span.text, habits.order)
    cell, start = span.cell, span.start
    return [(cell.part(start + one.start, start + one.end), one.value) for one in found]


def labelled_dates(
    layout: Layout, labels: Labels, concept: str, habits: Habits
) -> Iterator[Guess]:
    """Guesses at a date beside labels of a concept: the first in each place."""
    for label, worth in labels.of(concept):
        for place in places_of(layout, labels, label):
            days = days_in(place.span, habits)
            if days:
                span, day = days[0]
                yield Guess((span,), day, worth * place.worth)
                break


def document_dates(layout: Layout, labels: Labels, habits: Habits) -> Iterator[Guess]:
    """Guesses at the day the document is of: labelled ones, and any other that no label claims."""
    own = list(labelled_dates(layout, labels, "date", habits))
    yield from own
    taken = {
        guess.spans[0].cell.index
        for concept in _ELSEWHERE
        for guess in labelled_dates(layout, labels, concept, habits)
        if guess.strength > 0.5
    } - {guess.spans[0].cell.index for guess in own}
    for cell in layout.cells:
        days = days_in(cell.whole, habits)
        if len(days) == 1 and cell.index not in taken:
            span, day = days[0]
            high = 1 - 0.25 * cell.row / max(len(layout.rows), 1)
            strength = (_TIMED if _has_time(layout, cell, span) else _PLAIN) * high
            yield Guess((span,), day, strength)


def flight(layout: Layout, labels: Labels, habits: Habits) -> Iterator[tuple[Guess, Guess]]:
    """Guesses at the first and the last day of a flight, from places that name both."""
    for label, worth in labels.of("flight"):
        for place in places_of(layout, labels, label):
            days = days_in(place.span, habits)
            if len(days) == 2:
                first, last = (Guess((span,), day, worth * place.worth) for span, day in days)
                yield first, last
                break


def _has_time(layout: Layout, cell: Cell, day: Span) -> bool:
    rest = cell.text[: day.start] + " " + cell.text[day.end :]
    beside = [other.text for other in layout.row_of(cell) if other is not cell]
    return any(_TIME.search(text) for text in (rest, *beside))
