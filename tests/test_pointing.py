"""Which rows of a page are shown once more beside a question."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from edge_clm.model.rows import page_text
from edge_clm.paper import Evidence, Extraction, PageKind, Table
from edge_clm.pointing import rows_for
from edge_clm.values.value import Money, Quantity, Text
from tests.test_ground import INVOICE, NOTHING, page, read

TOTAL = read("total", "$100.10", Money(Decimal("100.10"), "USD"), 5)
SUBTOTAL = read("subtotal", "$91.00", Money(Decimal("91.00"), "USD"), 4)
BOUGHT = Extraction(PageKind.INVOICE, "en", (SUBTOTAL, TOTAL))


def test_the_row_of_the_asked_field_is_shown() -> None:
    """The whole row, with what stands before the value, and no other row."""
    assert rows_for("What is the total?", "total", INVOICE, BOUGHT) == ("Total $100.10",)
    assert rows_for("and the subtotal?", "subtotal", INVOICE, BOUGHT) == ("Subtotal $91.00",)


@pytest.mark.parametrize(
    ("question", "asked", "extraction"),
    [
        ("What is the total?", "total", NOTHING),
        ("Who is the buyer?", "buyer", BOUGHT),
        ("Is it signed?", "", BOUGHT),
        ("", "", BOUGHT),
    ],
)
def test_what_the_rules_have_not_read_shows_nothing(
    question: str, asked: str, extraction: Extraction
) -> None:
    """Nor does a question that names no field, and no description."""
    assert rows_for(question, asked, INVOICE, extraction) == ()


def test_a_name_is_shown_without_what_stands_beside_it() -> None:
    """Where seller and buyer stand in one row, the one that is asked for is shown alone."""
    row = page("ACME LTD", "Total 4.20")
    left = row.lines[0]
    by = left.quad[1][0] - left.quad[0][0] + 30
    other = tuple((x + by, y) for x, y in left.quad)
    text = replace(row, lines=(left, replace(left, text="BUYER INC", quad=other), *row.lines[1:]))
    named = read("seller", "ACME LTD", Text("ACME LTD"), 0)
    named = replace(named, best=replace(named.best, evidence=(Evidence("ACME LTD", left.quad),)))
    found = Extraction(PageKind.INVOICE, "en", (named,))
    assert page_text(text.lines).startswith("ACME LTD  BUYER INC")
    assert rows_for("Who is the seller?", "seller", text, found) == ("ACME LTD",)


def test_an_unsure_reading_shows_nothing() -> None:
    """The model is not led where the rules themselves doubt."""
    unsure = read("total", "$100.10", Money(Decimal("100.10"), "USD"), 5, confidence=0.4)
    found = Extraction(PageKind.INVOICE, "en", (unsure,))
    assert rows_for("What is the total?", "total", INVOICE, found) == ()


def test_readings_that_are_as_likely_are_all_shown() -> None:
    """From top to bottom, whichever the rules have put first."""
    both = replace(TOTAL, alternatives=(SUBTOTAL.best,), ambiguous=True)
    found = Extraction(PageKind.INVOICE, "en", (both,))
    shown = rows_for("What is the total?", "total", INVOICE, found)
    assert shown == ("Subtotal $91.00", "Total $100.10")
    likelier = replace(both, ambiguous=False)
    found = Extraction(PageKind.INVOICE, "en", (likelier,))
    assert rows_for("What is the total?", "total", INVOICE, found) == ("Total $100.10",)


def test_an_analytes_own_row_is_shown() -> None:
    """Its cells as printed, each once, and those of no other analyte."""
    lab = page("Potassium 5.4 mmol/L 3.5 - 5.1 H", "Sodium 140 mmol/L 135 - 145")

    def row(at: int, *cells: tuple[str, str]) -> tuple[object, ...]:
        return tuple(read(name, raw, Text(raw), at) for name, raw in cells)

    rows = (
        row(0, ("analyte", "Potassium"), ("value", "5.4"), ("unit", "mmol/L"), ("flag", "H")),
        row(1, ("analyte", "Sodium"), ("value", "140"), ("unit", "mmol/L")),
    )
    found = Extraction(PageKind.LAB_REPORT, "en", (), (Table("analytes", rows),))  # type: ignore[arg-type]
    assert rows_for("Is the potassium high?", "", lab, found) == ("Potassium  5.4  mmol/L  H",)


def test_the_rows_of_what_was_measured_are_shown() -> None:
    """Of every measurement of what the question names, wherever its words stand; of other things none."""
    text = page("There is a 12 mm nodule", "in the left lower lobe.", "A 3 cm cyst of the liver.")
    size = Quantity(Decimal(12), "mm")
    nodule = (
        read("what", "nodule", Text("nodule"), 0),
        read("value", "12 mm", size, 0),
        read("where", "left lower lobe", Text("left lower lobe"), 1),
    )
    cyst = (read("what", "cyst", Text("cyst"), 2), read("value", "3 cm", Text("3 cm"), 2))
    found = Extraction(
        PageKind.RADIOLOGY_REPORT, "en", (), (Table("measurements", (nodule, cyst)),)
    )
    shown = rows_for("How large is the nodule?", "", text, found)
    assert shown == ("There is a 12 mm nodule", "in the left lower lobe.")
    assert rows_for("How large is the mass?", "", text, found) == ()


def test_of_a_long_passage_the_beginning_is_shown() -> None:
    """Whole rows of the page, in its order, and no more than fit."""
    lines = [f"Line {at:02} of the findings, which go on and on" for at in range(60)]
    text = page(*lines)
    every = tuple(place for at in range(60) for place in read("", "", Text(""), at).best.evidence)
    whole = read("findings", "long", Text("long"), 0)
    whole = replace(whole, best=replace(whole.best, evidence=every))
    found = Extraction(PageKind.RADIOLOGY_REPORT, "en", (whole,))
    shown = rows_for("What are the findings?", "findings", text, found)
    assert 10 < len(shown) < 30
    assert page_text(text.lines).startswith("\n".join(shown))
