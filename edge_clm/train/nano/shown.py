"""What the text of a page shows of its truth: an answer is what can be read, not what was meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from edge_clm.paper import Line, PageText, Quad
from edge_clm.train.pages.page import Box, GeneratedPage, Truth, around
from edge_clm.types import Pixels

_WRONG = 0.34
"""Share of a value's characters that may be misread before it counts as not to be seen."""
_TOUCHING = 2.0
"""Pixels by which neighbours may overlap."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A generated page with the text that was read off a capture of it."""

    page: GeneratedPage
    text: PageText
    """What an OCR read."""
    places: Mapping[Quad, Quad]
    """Where on the capture each word of the page lies, by its place on the page."""
    seen: Pixels
    """The capture upright, as large as the model takes it."""

    @property
    def lines(self) -> Sequence[Line]:
        """The lines that an OCR read."""
        return self.text.lines

    def cut(self, lines: int) -> Sheet:
        """The same without so many lines at the end."""
        kept = self.text.lines[: len(self.lines) - lines]
        return replace(self, text=replace(self.text, lines=kept))

    def shown(self, truth: Truth) -> str | None:
        """A value as it can be read on the capture; None where it cannot be found there."""
        parts = []
        for box in truth.boxes:
            words = [word for word in self.page.words if _within(word.quad, box)]
            if not words:
                return None
            near = around([self.places[word.quad] for word in words])
            part = self._read(_common(" ".join(word.text for word in words), truth.text), near)
            if part is None:
                return None
            parts.append(part)
        return " ".join(parts)

    def _read(self, printed: str, near: Box) -> str | None:
        """The stretch of one line at a place that is most like what is printed there."""
        found: tuple[int, str] | None = None
        for line in self.lines:
            if _overlap(around([line.quad]), near):
                text = " ".join(line.text.split())
                cost, start, end = nearest(printed, text)
                if found is None or cost < found[0]:
                    found = (cost, _whole(text, start, end))
        if found is None or found[0] > max(1, int(len(printed) * _WRONG)):
            return None
        return found[1].strip() or None


def nearest(wanted: str, text: str) -> tuple[int, int, int]:
    """The stretch of a text with the least edit distance to what is wanted: distance, start and end.

    Of several that are as near, the one whose length is nearest. Sellers' algorithm: P. Sellers, The
    theory and computation of evolutionary distances, 1980.
    """
    costs = list(range(len(wanted) + 1))
    starts = [0] * (len(wanted) + 1)
    found = [(costs[-1], len(wanted), 0, 0)]
    for at, letter in enumerate(text):
        before, origin = costs, starts
        costs, starts = [0], [at + 1]
        for i, other in enumerate(wanted):
            ways = (
                (before[i] + (other != letter), origin[i]),
                (costs[i] + 1, starts[i]),
                (before[i + 1] + 1, origin[i + 1]),
            )
            cost, start = min(ways)
            costs.append(cost)
            starts.append(start)
        length = at + 1 - starts[-1]
        found.append((costs[-1], abs(length - len(wanted)), starts[-1], at + 1))
    cost, _, start, end = min(found)
    return cost, start, end


def _whole(text: str, start: int, end: int) -> str:
    """A stretch with the rest of the numbers that it begins or ends in."""
    while start and text[start - 1].isdigit() and text[start].isdigit():
        start -= 1
    while end < len(text) and text[end - 1].isdigit() and text[end].isdigit():
        end += 1
    return text[start:end]


def _common(words: str, text: str) -> str:
    """The part of whole words that belongs to a value: a label or a comma may be glued to it."""
    match = SequenceMatcher(None, words, text, autojunk=False).find_longest_match()
    return words[match.a : match.a + match.size].strip()


def _within(quad: Quad, box: Quad) -> bool:
    """Whether some of a word lies in a box; a word to which a label is glued does so in part."""
    word, whole = around([quad]), around([box])
    across = min(word[2], whole[2]) - max(word[0], whole[0])
    down = min(word[3], whole[3]) - max(word[1], whole[1])
    return across > _TOUCHING and down > (word[3] - word[1]) / 2


def _overlap(one: Box, other: Box) -> bool:
    """Whether two boxes share a third of the smaller one's height and anything of its width."""
    height = min(one[3], other[3]) - max(one[1], other[1])
    least = min(one[3] - one[1], other[3] - other[1])
    return height > least / 3 and min(one[2], other[2]) > max(one[0], other[0])
