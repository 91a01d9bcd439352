"""Which decimal mark the numbers of a page have, and what they mean where that stays open."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from edge_clm.page.fields.language import language_of
from edge_clm.page.fields.layout import Layout
from edge_clm.values.habits import Habits
from edge_clm.values.level import level
from edge_clm.values.quantity import read_quantity
from edge_clm.values.value import Quantity

MARKS = (".", ",")
_NUMBER = re.compile(r"(?<![\w.,])[0-9]+(?:[.,][0-9]+)+(?![.,]?\w)")
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}[.,][0-9]{3}")
# Spanish is written with either: the point in Mexico, the comma in Spain.
_BY_LANGUAGE = {
    **dict.fromkeys(("en", "zh", "ms"), "."),
    **dict.fromkeys(("de", "fr", "it", "nl", "pt", "id"), ","),
}


def decimal_of(layout: Layout, habits: Habits, numbers: Iterable[str] = ()) -> str:
    """The decimal mark of a page, "." or ","; "" where nothing tells it.

    It is the one that most of `numbers` have (the texts of a table's cells), or else the document's
    habit, or else the one of the page's language.
    """
    votes = Counter(mark for text in numbers for mark in _marks(level(text))).most_common(2)
    if votes and (len(votes) == 1 or votes[0][1] > votes[1][1]):
        return votes[0][0]
    return habits.decimal or _BY_LANGUAGE.get(language_of(layout.text), "")


def quantities(text: str, decimal: str) -> tuple[Quantity, ...]:
    """What a whole text is as a quantity: two readings where the mark is open, () where it is none."""
    read = (read_quantity(text, mark) for mark in (decimal or MARKS))
    return tuple(dict.fromkeys(one for one in read if one))


def _marks(plain: str) -> Iterator[str]:
    """The decimal mark of each number that can be read in one way only."""
    for match in _NUMBER.finditer(plain):
        marks = [char for char in match[0] if char in MARKS]
        if len(set(marks)) == 2:
            yield marks[-1]
        elif len(marks) == 1 and not _THOUSANDS.fullmatch(match[0]):
            yield marks[0]
