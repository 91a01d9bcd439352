"""Dates on a page: the document's own, the one it is due, the span of a flight."""

from __future__ import annotations

import re
from collections.abc import Iterator

from edge_clm.page.fields.guesses import Guess
from edge_clm.page.fields.labels import Labels
from edge_clm.page.fields.layout import Cell, Layout, Span
from edge_clm.page.fields.places import places_of
from edge_clm.page.fields.readings import same
from edge_clm.values.dates import find_days, read_day
from edge_clm.values.habits import Habits
from edge_clm.values.value import Day

_TIME = re.compile(r"\d{1,2}\s*[:.]\s*\d{2}(?:\s*[:.]\s*\d{2})?\s*(?:[ap]\.?m)?", re.IGNORECASE)
# Dates in digits that other digits may follow at once; one of their strokes may be missing.
_GLUED = re.compile(
    r"(?<![\d/.-])(?:(?:19|20)\d{2}[/.-](?:0\d|1[0-2])[/.-](?:[0-2]\d|3[01])"
    r"|(?:[0-2]?\d|3[01])[/.-](?:[0-2]?\d|3[01])[/.-](?:(?:19|20)\d{2}|\d{2}(?!\d))"
    r"|(?:[0-2]\d|3[01])(?: (?:0\d|1[0-2])[/.-]|[/.-](?:0\d|1[0-2]) )(?:(?:19|20)\d{2}|\d{2})(?!\d))"
)
# What an unlabelled date is worth: alone, and with a time of day beside it.
_PLAIN, _TIMED = 0.55, 0.75
# Labels that take a date away from being the document's, and how surely it must be theirs: what
# stands under a label of no interest is rarely its value.
_ELSEWHERE = {"due_date": 0.5, "flight": 0.5, "terms": 0.5, "other": 0.86}
_CLAIMED = 0.3
_TOLD = 0.7


def days_in(span: Span, habits: Habits) -> list[tuple[Span, Day]]:
    """The dates that stand in a text, from left to right; where there is none, one run into others."""
    cell, start = span.cell, span.start
    found = [
        (cell.part(start + one.start, start + one.end), one.value)
        for one in find_days(span.text, habits.order)
    ]
    return found or list(_run_together(span, habits))


def _run_together(span: Span, habits: Habits) -> Iterator[tuple[Span, Day]]:
    """A date that OCR has glued to a time, or in which it has lost a stroke."""
    for match in _GLUED.finditer(span.text):
        day = read_day(re.sub(r"(?<=\d) (?=\d)", _stroke(match[0]), match[0]), habits.order)
        if day:
            yield span.cell.part(span.start + match.start(), span.start + match.end()), day
            return


def _stroke(text: str) -> str:
    """What stands between the parts of a date."""
    return next((char for char in text if char in "/.-"), "-")


def labelled_dates(layout: Layout, labels: Labels, concept: str, habits: Habits) -> Iterator[Guess]:
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
    claimed = _claimed(layout, labels, habits) - {guess.spans[0].cell.index for guess in own}
    others = list(_unlabelled(layout, habits, claimed))
    if any(guess.strength > _TOLD for guess in own):
        # Where a label tells the date, others only bear it out.
        yield from (it for it in others if any(same(it, guess) for guess in own))
        return
    yield from (it for at, it in enumerate(others) if not any(same(it, o) for o in others[:at]))


def _unlabelled(layout: Layout, habits: Habits, claimed: set[int]) -> Iterator[Guess]:
    """Each date that stands alone in its cell: the higher the likelier, and with a time."""
    for cell in layout.cells:
        days = days_in(cell.whole, habits)
        if len(days) == 1:
            span, day = days[0]
            high = 1 - 0.25 * cell.row / max(len(layout.rows), 1)
            strength = (_TIMED if _has_time(layout, cell, span) else _PLAIN) * high
            yield Guess((span,), day, strength * (_CLAIMED if cell.index in claimed else 1))


def _claimed(layout: Layout, labels: Labels, habits: Habits) -> set[int]:
    """Cells whose date a label says to be something else's."""
    return {
        guess.spans[0].cell.index
        for concept, enough in _ELSEWHERE.items()
        for guess in labelled_dates(layout, labels, concept, habits)
        if guess.strength > enough
    }


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
