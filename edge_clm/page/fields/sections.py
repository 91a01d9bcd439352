"""Parts of a page that are tables of their own: the heads of columns, and summaries of tax."""

from __future__ import annotations

import re
from dataclasses import dataclass

from edge_clm.page.fields.labels import Labels
from edge_clm.page.fields.layout import Cell, Layout, Span

COLUMNS = ("description", "quantity", "unit_price", "amount")
_AMOUNT = re.compile(r"\d[.,]\s?\d{2}(?!\d)")
_DIGIT = re.compile(r"\d")
# A summary of tax has so many rows at most.
_SUMMARY = 8


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a table: what its columns are."""

    rows: tuple[int, ...]
    columns: dict[str, Span]
    """Column to the label over it."""
    others: tuple[Span, ...] = ()
    """Labels over columns of no interest, such as the number of an article."""


@dataclass(frozen=True, slots=True)
class Sections:
    """Which rows of a page are what."""

    heads: tuple[Head, ...]
    """Heads of tables of goods, from top to bottom."""
    summary: frozenset[int]
    """Rows of summaries of tax."""

    @property
    def aside(self) -> frozenset[int]:
        """Rows in which a label of a sum does not mean the page's own."""
        return self.summary | {row for head in self.heads for row in head.rows}


def sections_of(layout: Layout, labels: Labels) -> Sections:
    """Finds the heads of tables and the summaries of tax."""
    summary = frozenset(_summary_rows(layout, labels))
    heads: list[Head] = []
    for row in range(len(layout.rows)):
        if row not in summary and not any(row in head.rows for head in heads):
            head = _head_at(layout, labels, row)
            heads += [head] if head else []
    return Sections(tuple(heads), summary)


def _head_at(layout: Layout, labels: Labels, row: int) -> Head | None:
    cells = layout.rows[row]
    columns = _columns(labels, cells)
    if _has_amount(cells) or len(columns) < 2:
        return None
    rows: tuple[int, ...] = (row,)
    for other in (row - 1, row + 1):
        # Heads of two rows: the words of one column stand over each other, or on either row.
        if 0 <= other < len(layout.rows) and not _DIGIT.search(_said(layout.rows[other])):
            further = _columns(labels, layout.rows[other])
            if further:
                rows, columns = (*rows, other), {**further, **columns}
    known = {id(span) for span in columns.values()}
    others = [
        label.last
        for place in rows
        for cell in layout.rows[place]
        for label in labels.within_surely(cell)
        if id(label.last) not in known
    ]
    return Head(tuple(sorted(rows)), columns, tuple(others))


def _columns(labels: Labels, cells: tuple[Cell, ...]) -> dict[str, Span]:
    found: dict[str, tuple[float, Span]] = {}
    for cell in cells:
        for label in labels.within(cell):
            for concept in (*COLUMNS, "total"):
                worth = label.worth(concept)
                name = "amount" if concept == "total" else concept
                if worth > 0.4 and worth > found.get(name, (0.0, None))[0]:
                    found[name] = (worth, label.last)
    return {name: span for name, (_, span) in found.items()}


def _summary_rows(layout: Layout, labels: Labels) -> set[int]:
    rows: set[int] = set()
    for row, cells in enumerate(layout.rows):
        if row not in rows and _opens_summary(labels, cells):
            rows.add(row)
            started = False
            for below in range(row + 1, min(row + 1 + _SUMMARY, len(layout.rows))):
                amounts = _has_amount(layout.rows[below])
                if (started and not amounts) or _pays(labels, layout.rows[below]):
                    break
                rows.add(below)
                started = started or amounts
    return rows


def _opens_summary(labels: Labels, cells: tuple[Cell, ...]) -> bool:
    found = [label for cell in cells for label in labels.within(cell)]
    if any(label.worth("summary") > 0.5 for label in found):
        return True
    named = {
        c for label in found for c in ("tax", "tax_rate", "amount", "total") if label.worth(c) > 0.5
    }
    goods = any(
        label.worth(c) for label in found for c in ("description", "quantity", "unit_price")
    )
    return "tax" in named and len(named) > 1 and not goods and not _has_amount(cells)


def _pays(labels: Labels, cells: tuple[Cell, ...]) -> bool:
    found = (label for cell in cells for label in labels.within(cell))
    return any(
        label.worth(concept) > 0.8 for label in found for concept in ("paid", "change", "rounding")
    )


def _has_amount(cells: tuple[Cell, ...]) -> bool:
    return _AMOUNT.search(_said(cells)) is not None


def _said(cells: tuple[Cell, ...]) -> str:
    return " ".join(cell.text for cell in cells)
