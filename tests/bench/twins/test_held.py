"""Values found on a known page's own text."""

from __future__ import annotations

import pytest

from bench.twins.held import held, upright
from bench.twins.labels import Asked, Printed
from edge_clm.paper import Line, PageText, Quad
from edge_clm.train.pages.page import box

TEXT = PageText(
    (
        Line("Total RM 1,360.45", box(0, 0, 170, 20), 1.0),
        Line("Cash 1,360.45", box(0, 40, 130, 60), 1.0),
        Line("Pens 23", box(0, 80, 70, 100), 1.0),
        Line("Ink 23", box(0, 120, 60, 140), 1.0),
        Line("25/12/2018 8:13", box(0, 160, 150, 180), 1.0),
    ),
    0,
    400,
    200,
)


def quads(field: str, printed: Printed, place: Quad | None = None) -> tuple[Quad, ...] | None:
    """The evidence for a value of one part."""
    return held(Asked(field, (printed,)), TEXT, {printed: place} if place else {})


def test_evidence_is_every_print_of_a_value() -> None:
    """A total that stands twice rests on both, and on its own letters alone."""
    found = quads("total", Printed("1,360.45"))
    assert found == (TEXT.lines[0].part(9, 17), TEXT.lines[1].part(5, 13))


def test_a_short_value_is_found_by_its_place() -> None:
    """Two digits elsewhere are no print of it, and without its place none is preferred."""
    assert quads("lines.1.quantity", Printed("23"), box(40, 122, 58, 138)) == (
        TEXT.lines[3].part(4, 6),
    )
    assert quads("lines.1.quantity", Printed("23"), box(200, 0, 220, 20)) is None


def test_a_date_that_is_written_otherwise_is_found_on_its_line() -> None:
    """What is typed equal counts, with the whole line as its evidence."""
    assert quads("date", Printed("25-12-2018")) == (TEXT.lines[4].quad,)


@pytest.mark.parametrize("text", ["360.45", "1,360.4", "1,360.46", "99"])
def test_what_was_misread_is_not_asked(text: str) -> None:
    """A part of a longer number is not it."""
    assert quads("total", Printed(text)) is None


@pytest.mark.parametrize(
    ("turn", "size", "wanted"),
    [(0, (100, 50), (10, 20)), (90, (50, 100), (30, 10)), (180, (100, 50), (90, 30))],
)
def test_places_turn_with_the_page(
    turn: int, size: tuple[int, int], wanted: tuple[float, float]
) -> None:
    """A point of the picture as it lies, 100 wide and 50 high, is where the upright one has it."""
    text = PageText((), turn, *size)
    assert upright(((10, 20), (0, 0), (0, 0), (0, 0)), text)[0] == wanted
