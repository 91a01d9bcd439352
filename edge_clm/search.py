"""Which page of a document to ask first, and which of its pages has answered."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from edge_clm.paper import Grounded, PageText
from edge_clm.types import Answer, Outcome

_WORD = re.compile(r"[^\W_]+")
_IDEOGRAPH = re.compile(r"[\u3400-\u9fff]")
_ROW_WEIGHT = 2.0
"""How much more the words of one line count than those of the whole page."""


def likeliest(question: str, pages: Sequence[tuple[int, PageText]]) -> list[int]:
    """Page numbers, the likeliest to answer first.

    A page counts by the question's words that it has, each the more the fewer pages have it (inverse
    document frequency), and once more by those that one line has together with a digit. Equal pages
    keep their order.
    """
    asked = _words(question)
    words = [_words(" ".join(line.text for line in text.lines)) for _, text in pages]
    known = Counter(word for page in words for word in page & asked)
    weight = {word: math.log(1 + len(pages) / count) for word, count in known.items()}
    scores = {
        number: sum(weight[word] for word in found & asked) + _ROW_WEIGHT * _best_line(text, weight)
        for (number, text), found in zip(pages, words, strict=True)
    }
    return sorted(scores, key=lambda number: (-scores[number], number))


def best(answers: Sequence[Answer]) -> Answer:
    """The answer that stands for the document: a grounded one, else the first that says anything."""
    return min(answers, key=_rank)


def _rank(answer: Answer) -> int:
    """Lower is better; `min` keeps the earlier of equals."""
    if answer.outcome is Outcome.ANSWERED:
        order = (Grounded.YES, Grounded.UNEXAMINED, Grounded.NO)
        return order.index(answer.grounding.grounded)
    # One page that cannot be read may be the one that answers.
    return 3 if answer.outcome is Outcome.UNREADABLE else 4


def _best_line(text: PageText, weight: dict[str, float]) -> float:
    """The most that any one line with a digit has of the question's words."""
    lines = (line.text for line in text.lines if any(map(str.isdigit, line.text)))
    return max((sum(weight.get(word, 0.0) for word in _words(line)) for line in lines), default=0.0)


def _words(text: str) -> set[str]:
    """Words, casefolded; text without spaces between words counts by its single characters."""
    found = {word for word in _WORD.findall(text.casefold()) if not _IDEOGRAPH.search(word)}
    return found | set(_IDEOGRAPH.findall(text))
