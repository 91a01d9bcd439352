"""Where the value of a label may stand: behind it, to its right, or below it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from edge_clm.page.fields.labels import Label, Labels
from edge_clm.page.fields.layout import Cell, Layout, Span
from edge_clm.values.currencies import mark_after
from edge_clm.values.level import level

# How far below its label a value may stand, in heights of the label.
_DEEP = 4.0
# A row's gap of so many heights makes it half as likely that both sides belong together.
_GAP = 60.0
_LEAD = re.compile(r"[\s:：;=.\-–—−_#*)\]>]*")
# The end of what leads to a number and is its own: a minus, a decimal point. Glued to the label or to
# others of its kind it only leads there.
_SIGN = re.compile(r"(?<![^\s:：=])(?:[-–—−]\.?|\.)$")
_CENTS = re.compile(r"\d\d(?!\d)")
_NUMBER = re.compile(r" ?\d")


class Place(NamedTuple):
    """Some text that may be or hold a label's value."""

    span: Span
    worth: float
    """0…1: how usual it is for a value to stand there."""


def places_of(layout: Layout, labels: Labels, label: Label) -> Iterator[Place]:
    """The places of a label's value, those behind it and to its right first."""
    behind = _behind(labels, label)
    if behind:
        yield Place(behind, 1.0)
    for span in label.spans:
        yield from _right(layout, labels, span.cell)
    if not labels_follow(labels, label):
        yield from _below(layout, labels, label)


def labels_follow(labels: Labels, label: Label) -> bool:
    """Whether another label stands behind this one in its cell."""
    last = label.last
    return any(other.last.start > last.start for other in labels.within_surely(last.cell))


def trimmed(span: Span) -> Span:
    """The span without the colon, dots or dashes that lead to a value; a number keeps its minus."""
    lead = _LEAD.match(span.text)
    start = span.start + (lead.end() if lead else 0)
    sign = _SIGN.search(span.cell.text, span.start, start)
    if sign and _is_signed(level(span.cell.text), sign[0], start):
        start = sign.start()
    return span.cell.part(start, max(span.end, start))


def _is_signed(plain: str, sign: str, at: int) -> bool:
    """Whether a number that the sign is of begins at once; behind a decimal point only cents do."""
    if sign.endswith("."):
        return _CENTS.match(plain, at) is not None
    marked = mark_after(plain, at)
    return plain[at : at + 1].isdigit() or (
        marked > at and _NUMBER.match(plain, marked) is not None
    )


def _behind(labels: Labels, label: Label) -> Span | None:
    last = label.last
    ends = [
        s.start
        for other in labels.within_surely(last.cell)
        for s in other.spans
        if s.cell is last.cell
    ]
    end = min((end for end in ends if end >= last.end), default=len(last.cell.text))
    # A '#' that leads to a number is kept with it; the rest of what leads there is not.
    found = trimmed(Span(last.cell, last.end, end))
    return found if found.text.strip(" #$%()") else None


def _right(layout: Layout, labels: Labels, cell: Cell) -> Iterator[Place]:
    edge = cell.right
    for at, other in enumerate(layout.right_of(cell)):
        free = labels.free(other)
        gap = max(other.left - edge, 0.0) / cell.height
        if free.text.strip():
            yield Place(trimmed(free), (0.97 - 0.04 * at) / (1 + gap / _GAP))
        if labels.within_surely(other):
            return


def _below(layout: Layout, labels: Labels, label: Label) -> Iterator[Place]:
    cell = label.last.cell
    for at, other in enumerate(layout.below(cell)):
        if other.level - cell.level > _DEEP * cell.height or labels.opens(other):
            return
        aside = 0.85 if _aligned(cell, other) else 0.6
        yield Place(trimmed(labels.free(other)), aside * 0.7**at)


def _aligned(cell: Cell, other: Cell) -> bool:
    offs = (cell.left - other.left, cell.right - other.right, cell.middle - other.middle)
    return min(map(abs, offs)) < 1.5 * cell.height
