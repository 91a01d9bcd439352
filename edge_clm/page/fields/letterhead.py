"""The house that issued a page: named by a label, or in the letterhead."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from statistics import median

from edge_clm.page.fields.guesses import Guess
from edge_clm.page.fields.labels import Label, Labels
from edge_clm.page.fields.layout import Cell, Layout
from edge_clm.page.fields.places import places_of
from edge_clm.page.fields.wording import Phrase, Words, bare, word_list
from edge_clm.values.value import Text

# Beside a label; a name of the usual kind in the letterhead; the largest print there.
_LABELLED, _NAMED, _LARGEST = 0.85, 0.8, 0.4
_LETTERHEAD = 8
# Print so many times as high as the page's usual is a name in the letterhead.
_LARGE = 1.3
_SHORT, _LONG = 4, 70


def houses(layout: Layout, labels: Labels, concept: str) -> Iterator[Guess]:
    """Guesses at the laboratory, clinic or hospital that a page comes from."""
    for label, worth in labels.of(concept):
        if label.alone and _leads(label):
            for place in places_of(layout, labels, label):
                if _is_name(place.span.text):
                    strength = _LABELLED * worth * place.worth
                    yield Guess((place.span,), Text(place.span.text), strength)
                    break
    head = [cell for row in _letterhead(layout, labels) for cell in row if _may_be(cell, labels)]
    for cell in head:
        if _names_a_house(cell.text):
            high = 1 - 0.3 * cell.row / _LETTERHEAD
            yield Guess((cell.whole,), Text(cell.text.strip()), _NAMED * high)
    if head:
        largest = max(head, key=lambda cell: (cell.height, -cell.index))
    if head and largest.height > _LARGE * median(cell.height for cell in layout.cells):
        yield Guess((largest.whole,), Text(largest.text.strip()), _LARGEST)


def _leads(label: Label) -> bool:
    """Whether something is said behind a label, and not with it: "Laboratory report" names none."""
    return label.last.cell.text[label.last.end :].lstrip()[:1] in ("", ":", "：")


def _letterhead(layout: Layout, labels: Labels) -> tuple[tuple[Cell, ...], ...]:
    """The first rows, down to where the second one begins that gives a label's value."""
    given = [row[0].row for row in layout.rows[:_LETTERHEAD] if any(map(labels.opens, row))]
    return layout.rows[: given[1] if len(given) > 1 else _LETTERHEAD]


def _may_be(cell: Cell, labels: Labels) -> bool:
    """Whether a cell of the letterhead could be a name: no title of the page, no label with a value."""
    beside = any(label.last.end < len(cell.text.rstrip(" :")) for label in labels.within(cell))
    opens = beside and labels.opens(cell) and ":" in cell.text
    return _is_name(cell.text) and not opens and bare(cell.text) not in _no_names()


@cache
def _no_names() -> frozenset[str]:
    """Titles of pages and headings of columns."""
    titles = {bare(t) for lists in word_list("kind").values() for t in lists["title"]}
    grades = (grade for lists in word_list("lab_columns").values() for grade in lists.values())
    return frozenset(titles | {bare(phrase) for phrases in grades for phrase in phrases})


def _is_name(text: str) -> bool:
    letters = sum(map(str.isalpha, text))
    return _SHORT <= len(bare(text)) <= _LONG and letters > len(bare(text)) / 2


def _names_a_house(text: str) -> bool:
    words = Words.of([text])
    return any(map(words.has, _house_words()))


@cache
def _house_words() -> tuple[Phrase, ...]:
    return tuple(map(Phrase.of, word_list("lab_words")["houses"]["names"]))
