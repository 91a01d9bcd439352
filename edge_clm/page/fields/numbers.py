"""Numbers that name a document: of an invoice, an order, a contract."""

from __future__ import annotations

import re
from collections.abc import Iterator

from edge_clm.page.fields.dates import days_in
from edge_clm.page.fields.guesses import Guess
from edge_clm.page.fields.labels import Labels
from edge_clm.page.fields.layout import Layout, Span
from edge_clm.page.fields.places import places_of
from edge_clm.values.habits import Habits
from edge_clm.values.value import Text

_WORD = re.compile(r"[^\s:,;|]+")
_PREFIX = re.compile(r"(?<!\w)[A-Za-z]{2,6}[-/]$")
# What a number is worth that no label names, behind a '#' and without one, and in which upper part.
_HASHED, _BARE, _UPPER = 0.35, 0.25, 0.75
_ALONE = re.compile(r"[#№]\s?[\w\-/]*\d[\w\-/]*|\d{4,10}")
# Amounts, shares, dates and times of day are other things.
_OTHERWISE = re.compile(
    r"\W?\d+[.,]\d{2}|\d+%|\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}|\d{1,2}:\d{2}(?::\d{2})?"
)


def labelled_numbers(
    layout: Layout, labels: Labels, concept: str, habits: Habits
) -> Iterator[Guess]:
    """Guesses at a number beside labels of a concept."""
    for label, worth in labels.of(concept):
        rows = {span.cell.row for span in label.spans}
        for place in places_of(layout, labels, label):
            found = _number_in(place.span, habits)
            # Under a label, a number with words behind it is the first line of an address.
            shape = _shape(found.text) if found else 0.0
            if found and shape and (place.span.cell.row in rows or found.end == place.span.end):
                strength = worth * place.worth * shape
                yield Guess((found,), Text(found.text), strength)
                break


def unlabelled_numbers(layout: Layout, labels: Labels) -> Iterator[Guess]:
    """Numbers that stand alone in the upper part of an invoice, behind a '#' or not: maybe its own."""
    for cell in layout.cells:
        text = cell.text.strip()
        worth = _HASHED if text[:1] in "#№" else _BARE
        if _ALONE.fullmatch(text) and not labels.within(cell):
            high = 1 - 0.5 * cell.row / max(len(layout.rows), 1)
            if high > _UPPER or worth == _HASHED:
                yield Guess((cell.part(0, len(cell.text)),), Text(text), worth * high)


def _number_in(span: Span, habits: Habits) -> Span | None:
    """The first word with a digit that is no date; words before it may be a prefix of it."""
    dates = {index for day, _ in days_in(span, habits) for index in range(day.start, day.end)}
    words = [
        Span(span.cell, span.start + match.start(), span.start + match.end())
        for match in _WORD.finditer(span.text)
    ]
    for at, word in enumerate(words):
        if word.start in dates:
            continue
        if any(map(str.isdigit, word.text)):
            return span.cell.part(_with_prefix(word), word.end)
        if at >= 1:
            return None
    return None


def _with_prefix(word: Span) -> int:
    """Where a number begins whose prefix was taken for a label: that of INV-4358."""
    before = _PREFIX.search(word.cell.text[: word.start])
    return before.start() if before else word.start


def _shape(text: str) -> float:
    """How much a text looks like a number of a document: of some length, mostly digits."""
    digits = sum(map(str.isdigit, text))
    if _OTHERWISE.fullmatch(text):
        return 0.0
    if digits < 2:
        return 0.35
    return 1.0 if digits >= 3 else 0.75
