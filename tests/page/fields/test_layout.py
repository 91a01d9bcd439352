"""Rows and neighbours on the flattened page."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_clm.page.fields.layout import Layout, layout_of
from edge_clm.paper import Line, PageText, Point
from tests.page.fields.pages import page

TABLE = page(
    [(40, "Item"), (400, "Qty"), (600, "Price")],
    [(40, "Blue pen of steel"), (400, "2"), (600, "3.50")],
    [(40, "Red pen of brass"), (400, "1"), (600, "2.00")],
    [(40, "Ruler made of wood"), (400, "5"), (600, "1.10")],
    "",
    [(400, "Total"), (600, "14.50")],
)


def said(layout: Layout) -> list[list[str]]:
    return [[cell.text for cell in row] for row in layout.rows]


def curled(text: PageText, depth: float) -> PageText:
    """The page with its middle sunk by `depth` pixels, as paper that curls."""

    def sink(point: Point) -> Point:
        x, y = point
        return x, y + depth * math.sin(math.pi * x / text.width)

    lines = []
    for line in text.lines:
        a, b, c, d = map(sink, line.quad)
        lines.append(replace(line, quad=(a, b, c, d)))
    return replace(text, lines=tuple(lines))


@pytest.mark.parametrize("tilt", [-6.0, 0.0, 3.0, 8.0])
def test_rows_of_a_tilted_page(tilt: float) -> None:
    """Cells of one row stay together however the page is tilted."""
    tilted = page(
        [(40, "Item"), (400, "Qty"), (600, "Price")],
        [(40, "Blue pen of steel"), (400, "2"), (600, "3.50")],
        [(40, "Red pen of brass"), (400, "1"), (600, "2.00")],
        tilt=tilt,
    )
    assert said(layout_of(tilted))[1:] == [
        ["Blue pen of steel", "2", "3.50"],
        ["Red pen of brass", "1", "2.00"],
    ]


@pytest.mark.parametrize("depth", [-40.0, 25.0, 40.0])
def test_rows_of_a_curled_page(depth: float) -> None:
    """Cells of one row stay together on paper that curls by more than a row."""
    assert said(layout_of(curled(TABLE, depth))) == said(layout_of(TABLE))


def test_neighbours() -> None:
    """A cell has neighbours in its row, and below it those that it covers."""
    layout = layout_of(TABLE)
    quantity = next(cell for cell in layout.cells if cell.text == "Qty")
    assert [cell.text for cell in layout.right_of(quantity)] == ["Price"]
    assert [cell.text for cell in layout.left_of(quantity)] == ["Item"]
    assert [cell.text for cell in layout.below(quantity)] == ["2", "1", "5"]
    assert [cell.text for cell in layout.above(layout.rows[3][1], rows=2)] == ["1", "2"]


def test_part_of_a_cell() -> None:
    """A part of a cell is cut from its box in proportion to characters."""
    layout = layout_of(page("Total: 9.00"))
    span = layout.cells[0].part(6, 11)
    box = layout.evidence(span)
    assert box.text == span.text == "9.00"
    (left, _), (right, _), _, _ = box.quad
    assert left == pytest.approx(40 + 70)
    assert right == pytest.approx(40 + 110)


def test_blank_page() -> None:
    """A blank page has no rows."""
    assert layout_of(PageText((), 0, 10, 10)).rows == ()


points = st.tuples(st.floats(-50, 4000), st.floats(-50, 4000))
quads = st.tuples(points, points, points, points)
lines = st.builds(Line, st.text(max_size=20), quads, st.floats(0, 1))


@given(st.lists(lines, max_size=12))
def test_every_line_is_in_one_row(found: list[Line]) -> None:
    """Whatever the boxes, each line stands in exactly one row."""
    layout = layout_of(PageText(tuple(found), 0, 4000, 4000))
    assert sorted(cell.index for row in layout.rows for cell in row) == list(range(len(found)))
    assert all(cell.row == place for place, row in enumerate(layout.rows) for cell in row)
