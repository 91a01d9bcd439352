"""The columns of a table of laboratory results, as its header row names them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from edge_clm.page.fields.labels import Labels, labels_of
from edge_clm.page.fields.layout import Cell, Layout, Span
from edge_clm.page.fields.wording import bare

_MOSTLY = 0.7
# How much nearer a column counts that lies over the cell.
_OVER = 0.5
_BEYOND = float("inf")


@dataclass(frozen=True, slots=True)
class Column:
    """What a column holds, and where its heading stands on the flattened page."""

    role: str
    """A table of lab_columns.toml: analyte, value, unit, range, flag or other."""
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class Panel:
    """One table; a page may have two of them side by side."""

    columns: tuple[Column, ...]
    left: float
    right: float

    def cells(self, row: Iterable[Cell]) -> list[Cell]:
        """Those cells of a row that stand in this panel."""
        return [cell for cell in row if self.left <= cell.middle < self.right]

    def role(self, place: Cell | Span) -> str:
        """Of which column something is: the one whose heading it is flush or centred with."""
        return min(self.columns, key=lambda column: _distance(column, place)).role

    def next_after(self, role: str) -> float:
        """Where the column to the right of one begins; the panel's end if there is none."""
        start = min((c.left for c in self.columns if c.role == role), default=self.left)
        return min((c.left for c in self.columns if c.left > start), default=self.right)


@dataclass(frozen=True, slots=True)
class Header:
    """A header row, or two rows of headings one over the other."""

    first: int
    """The layout's row it starts in."""
    last: int
    panels: tuple[Panel, ...]


def headers_of(layout: Layout) -> list[Header]:
    """Every header row of a page, from top to bottom."""
    labels = labels_of(layout, ("lab_columns",))
    headers: list[Header] = []
    number = 0
    while number < len(layout.rows):
        columns = _headings(layout.rows[number], labels)
        if not _is_header(columns):
            number += 1
            continue
        last, columns = _second_row(layout, labels, number, columns)
        headers.append(Header(number, last, tuple(_panels(layout, columns))))
        number = last + 1
    return headers


def _headings(row: Sequence[Cell], labels: Labels) -> list[Column]:
    """The columns that a row names; none if it says much else."""
    columns = []
    said = named = 0
    for cell in row:
        said += len(bare(cell.text))
        for label in labels.within(cell):
            span = next(span for span in label.spans if span.cell is cell)
            named += len(bare(span.text))
            role = max(label.meanings, key=lambda meaning: meaning.worth).concept
            columns.append(Column(role, span.left, span.right))
    return sorted(columns, key=lambda it: it.left) if named >= _MOSTLY * max(said, 1) else []


def _is_header(columns: Sequence[Column]) -> bool:
    roles = {column.role for column in columns}
    pairs = ({"value", "range"}, {"analyte", "value"}, {"analyte", "range"}, {"value", "unit"})
    return any(pair <= roles for pair in pairs)


def _second_row(
    layout: Layout, labels: Labels, first: int, columns: list[Column]
) -> tuple[int, list[Column]]:
    """Headings that are broken over two rows, or that stand a little lower than the others."""
    if first + 1 >= len(layout.rows):
        return first, columns
    below = layout.rows[first + 1]
    more = _headings(below, labels)
    near = below[0].level - layout.rows[first][0].level < 2 * below[0].height
    if not more or not near or any(map(str.isdigit, "".join(cell.text for cell in below))):
        return first, columns
    new = [column for column in more if not any(_overlap(column, other) for other in columns)]
    return first + 1, sorted((*columns, *new), key=lambda it: it.left)


def _panels(layout: Layout, columns: Sequence[Column]) -> Iterable[Panel]:
    leading = "analyte" if any(column.role == "analyte" for column in columns) else "value"
    starts = [at for at, column in enumerate(columns) if column.role == leading]
    # What stands before the first name, such as a running number, stands before the next as well.
    before = starts[0] if leading == "analyte" else 0
    cuts = [0, *(start - before for start in starts[1:])] if leading == "analyte" else [0]
    for cut, end in zip(cuts, [*cuts[1:], len(columns)], strict=True):
        own = tuple(columns[cut:end])
        if not _is_header(own):
            continue
        left = _edge(columns, cut) if cut else -_BEYOND
        right = _edge(columns, end) if end < len(columns) else _BEYOND
        yield Panel(own if leading == "analyte" else (_unnamed(layout, own), *own), left, right)


def _edge(columns: Sequence[Column], first: int) -> float:
    """Where one panel ends and the next begins: half-way between their headings."""
    return (columns[first - 1].right + columns[first].left) / 2


def _unnamed(layout: Layout, columns: Sequence[Column]) -> Column:
    """The column of names where the header row has no word for it."""
    left = min(cell.left for cell in layout.cells)
    return Column("analyte", left, max(left, (left + columns[0].left) / 2))


def _distance(column: Column, place: Cell | Span) -> float:
    offs = (
        column.left - place.left,
        column.right - place.right,
        (column.left + column.right) / 2 - place.middle,
    )
    over = min(column.right, place.right) > max(column.left, place.left)
    return min(map(abs, offs)) * (_OVER if over else 1.0)


def _overlap(one: Column, other: Column) -> bool:
    return min(one.right, other.right) > max(one.left, other.left)
