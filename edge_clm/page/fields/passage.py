"""Running text put together from pieces of several lines, from which the pieces can be found again."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from edge_clm.page.fields.layout import Layout, Span
from edge_clm.paper import Evidence

_IDEOGRAPH = r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff，。；：、]"
_RUNS_ON = re.compile(rf"[a-zà-ÿ]-\n[a-zà-ÿ]|{_IDEOGRAPH}\n|\n{_IDEOGRAPH}")


@dataclass(frozen=True, slots=True)
class Passage:
    """Spans in reading order and the text they make."""

    text: str
    spans: tuple[Span, ...]
    starts: tuple[int, ...]
    """Where each span begins in the text."""

    def cut(self, start: int, end: int) -> list[Span]:
        """What of each span lies between two indices of the text."""
        first = max(bisect_right(self.starts, start) - 1, 0)
        found = []
        for span, at in zip(self.spans[first:], self.starts[first:], strict=True):
            if at >= end:
                break
            low = span.start + max(start - at, 0)
            high = min(span.start + end - at, span.end)
            part = span.cell.part(low, high)
            if low < high and part.text:
                found.append(part)
        return found

    def evidence(self, layout: Layout, start: int, end: int) -> tuple[Evidence, ...]:
        """The boxes of what lies between two indices of the text."""
        return tuple(layout.evidence(span) for span in self.cut(start, end))

    def confidence(self, start: int, end: int) -> float:
        """0…1: that of the worst read of the lines between two indices; 0 where there is none."""
        return min((span.cell.confidence for span in self.cut(start, end)), default=0.0)


def passage_of(spans: Iterable[Span], between: str = " ") -> Passage:
    """Joins spans by `between`; a space is left out where Chinese or a word with a hyphen runs on."""
    kept: Sequence[Span] = [span for span in spans if span.text]
    text, starts = "", []
    for span in kept:
        runs_on = between == " " and _RUNS_ON.search(text[-2:] + "\n" + span.text[0])
        text += between if text and not runs_on else ""
        starts.append(len(text))
        text += span.text
    return Passage(text, tuple(kept), tuple(starts))
