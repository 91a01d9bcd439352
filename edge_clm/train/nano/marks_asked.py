"""Questions that only pixels can answer: stamps, signatures, strikes, handwriting, colours."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from edge_clm.model.prompt import NOT_ON_PAGE
from edge_clm.train.nano.turns import Turn
from edge_clm.train.nano.wording import question
from edge_clm.train.pages.page import GeneratedPage, Split

SORTS: Mapping[str, str] = {
    "stamp": "stamp",
    "signature": "signature",
    "struck": "strike",
    "handwritten": "correction",
    "highlighted": "colour",
}
"""What is asked, and the sort of mark that makes it true.

Whether a box is ticked is not asked: a page with boxes has a ticked one, and their labels are text.
"""
_UNSTAMPED = 0.3
"""Share of pages without a stamp that are asked what it says."""


def mark_turns(page: GeneratedPage, rng: Random, split: Split, most: int) -> list[Turn]:
    """At most so many questions about marks, true and false ones alike, where pages have both."""
    there = {mark.sort for mark in page.marks}
    yes = [concept for concept, sort in SORTS.items() if sort in there]
    no = [concept for concept in SORTS if concept not in yes]
    chosen = [*yes, *rng.sample(no, min(len(no), max(1, len(yes))))]
    asked = [whether(page, rng, split, concept) for concept in chosen]
    asked += _stamped(page, rng, split)
    rng.shuffle(asked)
    return asked[:most]


def whether(page: GeneratedPage, rng: Random, split: Split, concept: str) -> Turn:
    """Whether a page has a sort of mark."""
    there = any(mark.sort == SORTS[concept] for mark in page.marks)
    return Turn(concept, question(rng, concept, page.kind, split), _said(there), True)


def coloured(page: GeneratedPage, rng: Random, split: Split) -> Turn | None:
    """In what colour a page is stamped; None where it has no stamp, or several."""
    stamps = [mark for mark in page.marks if mark.sort == "stamp"]
    if len(stamps) != 1:
        return None
    asked = question(rng, "stamp_colour", page.kind, split)
    return Turn("stamp_colour", asked, f"{stamps[0].colour.title()}.", True)


def _said(there: bool) -> str:
    return "Yes." if there else "No."


def _stamped(page: GeneratedPage, rng: Random, split: Split) -> list[Turn]:
    """What the only stamp says, and its colour; now and then of a page without one."""
    stamps = [mark for mark in page.marks if mark.sort == "stamp"]
    if stamps:
        colour = coloured(page, rng, split)
        asked = question(rng, "stamp_word", page.kind, split)
        return [Turn("stamp_word", asked, stamps[0].text, True), colour] if colour else []
    if rng.random() > _UNSTAMPED:
        return []
    concept = rng.choice(("stamp_word", "stamp_colour"))
    return [Turn(concept, question(rng, concept, page.kind, split), NOT_ON_PAGE, False)]
