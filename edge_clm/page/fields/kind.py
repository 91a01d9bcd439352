"""What kind of document a page is, told by its words and by the shape of its print."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from statistics import median
from typing import NamedTuple

import numpy as np

from edge_clm.page.fields.wording import Phrase, Words, bare, fold, is_ideographic, word_list
from edge_clm.page.geometry import sides
from edge_clm.paper import Line, PageKind, PageText

_WEIGHTS = {"title": 3.0, "strong": 2.0, "plain": 1.0, "weak": 0.4}
# What a phrase of `title` counts where it is all that its line says.
_HEADLINE = 6.0
# Less than this, and the page is none of the kinds.
_ENOUGH = 5.0
# A till roll takes 24 to 48 characters a row; print on it is at most this many line heights wide.
_SLIP = 26.0
_SLIP_WEIGHT = 10.0
_MEASURED = 6
# What a row with an amount of money counts; other pages have numbers with two decimals, too.
_AN_AMOUNT = 0.4
# A concentration, activity or count, as only laboratories print them.
_MEASURE = re.compile(
    r"\b[mµμunpf]?(?:mol|g|eq|[ik]?u)\s?/\s?[mdµμu]?l\b|10\W{0,3}\d{1,2}\s?/\s?[uµμ]?l\b"
    r"|\b(?:fl|mm/h|mosm/kg|ml/min)\b"
)
_AMOUNT = re.compile(r"(?<![\d.,])\d{1,3}(?:[.,' ]?\d{3}){0,4}[.,]\d{2}(?![\d.,]*\d)")


class _Cues(NamedTuple):
    headlines: frozenset[str]
    phrases: tuple[tuple[Phrase, float], ...]


def kind_of(text: PageText) -> PageKind:
    """The kind of document that most of the page's words are usual on; OTHER if there are few."""
    if not text.lines:
        return PageKind.OTHER
    rows = [line.text for line in text.lines]
    words, said = Words.of(rows), [bare(row) for row in rows]
    scores = {kind: _told_by_words(cues, words, said) for kind, cues in _cues().items()}
    scores[PageKind.LAB_REPORT] += _measures(rows)
    amounts = sum(1 for row in rows if _AMOUNT.search(row))
    for paid in (PageKind.INVOICE, PageKind.RECEIPT):
        # Without an amount there is nothing to pay; a title alone may still say what the page is.
        scores[paid] = (
            scores[paid] + _AN_AMOUNT * min(amounts, _MEASURED) if amounts else scores[paid] / 2
        )
    if amounts and _is_slip(text.lines):
        scores[PageKind.RECEIPT] += _SLIP_WEIGHT
    kind = max(scores, key=lambda it: scores[it])
    return kind if scores[kind] >= _ENOUGH else PageKind.OTHER


@cache
def _cues() -> dict[PageKind, _Cues]:
    return {PageKind(kind): _ready(lists) for kind, lists in word_list("kind").items()}


def _ready(lists: dict[str, list[str]]) -> _Cues:
    weights = {Phrase.of(text): weight for name, weight in _WEIGHTS.items() for text in lists[name]}
    return _Cues(frozenset(map(bare, lists["title"])), tuple(weights.items()))


def _told_by_words(cues: _Cues, words: Words, rows: Sequence[str]) -> float:
    found = [(phrase, weight) for phrase, weight in cues.phrases if words.has(phrase)]
    score = sum(weight for phrase, weight in found if not _is_inside(phrase, found))
    return score + (_HEADLINE if any(_is_headline(cues, row) for row in rows) else 0.0)


def _is_inside(phrase: Phrase, found: Sequence[tuple[Phrase, float]]) -> bool:
    """Whether a longer phrase that was found as well has it: "invoice" in "tax invoice"."""
    return any(phrase != other and phrase.inside(other) for other, _ in found)


def _is_headline(cues: _Cues, row: str) -> bool:
    """Whether a row is a title and nothing else; Chinese ones have the house's name before them."""
    if row in cues.headlines:
        return True
    return is_ideographic(row) and any(
        row.endswith(title) for title in cues.headlines if len(title) >= 4
    )


def _measures(rows: Sequence[str]) -> float:
    return float(min(sum(1 for row in rows if _MEASURE.search(fold(row))), _MEASURED))


def _is_slip(lines: Sequence[Line]) -> bool:
    quads = np.array([line.quad for line in lines], np.float32)
    height = max(median(float(side) for side in sides(quads)[:, 1]), 1.0)
    return float(np.ptp(quads[:, :, 0])) / height <= _SLIP
