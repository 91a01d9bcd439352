"""What names a page, and which characters of its lines say so."""

from __future__ import annotations

from dataclasses import replace

from edge_clm.page.fields.extract import extract
from edge_clm.page.identity import claims_at, identity_of
from edge_clm.paper import Line, PageText


def page(*rows: str) -> PageText:
    """Rows of print one below the other, twenty pixels a letter."""
    lines = tuple(
        Line(
            row,
            ((50, y), (50 + 20 * len(row), y), (50 + 20 * len(row), y + 30), (50, y + 30)),
            0.99,
        )
        for row, y in zip(rows, range(100, 2000, 60), strict=False)
    )
    return PageText(lines, 0, 1200, 1600)


def named(text: PageText) -> tuple[tuple[str, ...], list[str], list[str]]:
    """The fields that name a page, their values, and those of the other identity fields."""
    found = identity_of(text, extract([(1, text)]))
    return (
        found.fields,
        [one.value for one in found.naming],
        [one.value for one in found.others],
    )


def test_a_number_names_an_invoice() -> None:
    """Where a document has a number, that names it; its dates may only not conflict."""
    fields, naming, others = named(
        page("INVOICE", "Invoice No: INV-10428", "Date: 25/12/2018", "Total: 1,204.50")
    )
    assert (fields, naming) == (("number",), ["INV-10428"])
    assert "25/12/2018" in others


def test_a_slip_without_a_number_is_named_by_day_total_and_time() -> None:
    """Two slips of one shop may share day and total: the time of day is asked as well."""
    fields, naming, _ = named(
        page(
            "RECEIPT",
            "Date: 25/12/2018 14:05:11",
            "Item 9.00",
            "Total: 9.00",
            "Cash 10.00",
            "Change 1.00",
        )
    )
    assert fields == ("date", "total", "time")
    assert {"25/12/2018", "9.00", "14:05:11"} <= set(naming)


def test_without_a_time_nothing_names_such_a_slip() -> None:
    """Day and total alone name nothing."""
    fields, naming, _ = named(page("RECEIPT", "Date: 25/12/2018", "Item 9.00", "Total: 9.00"))
    assert (fields, naming) == ((), [])


def test_a_box_claims_the_characters_in_it() -> None:
    """The part of a line that a box covers is claimed, and a box beside all lines claims nothing."""
    text = page("Total: 1,204.50")
    line = text.lines[0]
    (claim,) = claims_at(text, [line.part(7, 15)])
    assert (claim.line, claim.value) == (0, "1,204.50")
    (beside,) = claims_at(text, [((0, 0), (9, 0), (9, 9), (0, 9))])
    assert (beside.line, beside.value) == (-1, "")


def test_the_sign_before_a_number_is_no_part_of_it() -> None:
    """Where # is read before a number it is not asked for again: it is easily taken for a digit."""
    _, naming, _ = named(page("INVOICE", "Invoice No: #738410", "Total: 1,204.50"))
    assert naming == ["738410"]
    text = page("Invoice No: #738410")
    (claim,) = claims_at(text, [text.lines[0].part(12, 19)])
    assert claim.value == "738410"


def test_what_is_garbled_cannot_conflict() -> None:
    """A line that the known picture itself did not show clearly tells no page from another."""
    whole = page("INVOICE", "Invoice No: INV-10428", "Date: 25/12/2018", "Total: 1,204.50")
    lines = tuple(replace(line, confidence=0.8) for line in whole.lines)
    _, naming, others = named(replace(whole, lines=lines))
    assert naming == ["INV-10428"]
    assert others == []
