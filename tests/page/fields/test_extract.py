"""Whole documents, and what holds for any page."""

from __future__ import annotations

import math
from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from edge_clm.page.fields.extract import extract
from edge_clm.paper import Candidate, Extraction, Field, Line, PageKind, PageText
from edge_clm.values.value import Day
from tests.page.fields.pages import page

FIRST = page(
    [(300, "ACME TRADING SDN BHD")],
    [(300, "12, Jalan Satu,")],
    [(300, "43200 Cheras, Selangor")],
    "",
    [(40, "Invoice No: INV-1042"), (600, "Date: 25/12/2018")],
    [(40, "Bill to: Smith & Co")],
    "",
    [(40, "Description"), (400, "Qty"), (560, "Unit Price"), (760, "Amount")],
    [(40, "Blue pen"), (400, "2"), (560, "3.50"), (760, "7.00")],
    [(40, "Page subtotal carried over")],
)
SECOND = page(
    [(40, "Invoice No: INV-1042"), (600, "Date: 25/12/2018")],
    [(40, "Description"), (400, "Qty"), (560, "Unit Price"), (760, "Amount")],
    [(40, "Red pen"), (400, "1"), (560, "2.00"), (760, "2.00")],
    "",
    [(560, "Subtotal"), (760, "9.00")],
    [(560, "GST 6%"), (760, "0.54")],
    [(560, "Total"), (760, "RM9.54")],
)


def test_document_of_two_pages() -> None:
    """Fields come from the page that has them, rows from both, and the sums are checked over all."""
    found = extract([(1, FIRST), (2, SECOND)])
    fields = {field.name: field for field in found.fields}
    assert found.kind is PageKind.INVOICE
    assert found.language == "en"
    assert fields["number"].best.raw == "INV-1042"
    assert {box.page for box in fields["number"].best.evidence} == {1, 2}
    assert fields["total"].best.evidence[0].page == 2
    assert fields["currency"].best.raw == "RM"
    assert [len(table.rows) for table in found.tables if table.name == "lines"] == [2]
    assert {check.name for check in found.checks} == {
        "quantity_price_amount",
        "lines_subtotal",
        "subtotal_tax_total",
    }
    assert all(check.holds for check in found.checks)


def test_badly_read_field_asks_for_a_look() -> None:
    """A field that OCR was unsure of is one to look at again."""
    dim = page(
        "Tax Invoice", "Invoice No: 77123", "Bill to: Smith & Co", "Total due: 9.54", confidence=0.4
    )
    fields = {field.name: field for field in extract([(1, dim)]).fields}
    assert fields["number"].look_again
    assert fields["number"].best.confidence < 0.5


def test_nothing() -> None:
    """No pages, or blank ones, tell nothing."""
    assert extract([]) == Extraction(PageKind.OTHER, "")
    assert extract([(1, PageText((), 0, 10, 10))]) == Extraction(PageKind.OTHER, "")


def test_letter() -> None:
    """A page of no known kind tells only what a label names."""
    found = extract(
        [(1, page("Dear Sir,", "we met on 12 March 2020 in Berlin.", "Yours, A. Smith"))]
    )
    assert found.kind is PageKind.OTHER
    assert found.tables == ()
    assert not {field.name for field in found.fields} & {"seller", "buyer", "total"}


WORDS = [
    "Total",
    "Subtotal",
    "Tax",
    "GST",
    "6%",
    "Invoice",
    "No",
    "#",
    "Date",
    "Due",
    "Bill",
    "to:",
    "Seller:",
    "Cash",
    "Change",
    "9.00",
    "1.234,56",
    "RM",
    "12",
    "x",
    "3.50",
    "2",
    "25/12/2018",
    "01/02/20",
    "Qty",
    "Amount",
    "Description",
    "Price",
    "Rounding",
    "Advertiser",
    "Flight",
    "Gross",
    "SDN",
    "BHD",
    "Jalan",
    "43200",
    "合计",
    "价",
    "–",
    ":",
    "#",
]
texts = st.one_of(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), st.text(max_size=24))
places = st.tuples(st.integers(0, 12), st.integers(0, 25))


@st.composite
def pages(draw: st.DrawFn) -> PageText:
    """Pages of words of invoices, and others, strewn over rows with some tilt."""
    slope = draw(st.floats(-0.1, 0.1))
    lines = []
    for text, (column, row) in draw(st.lists(st.tuples(texts, places), max_size=30)):
        left, top = column * 80.0, row * 34 + column * 80 * slope + 100
        right, end = left + 10 * max(len(text), 1), top + 10 * len(text) * slope
        quad = ((left, top), (right, end), (right, end + 20), (left, top + 20))
        lines.append(Line(text, quad, draw(st.floats(0, 1))))
    return PageText(tuple(lines), 0, 1400, 1200)


def candidates(found: Extraction) -> list[Candidate]:
    """Every candidate of an extraction."""
    fields: list[Field] = [*found.fields, *(f for t in found.tables for r in t.rows for f in r)]
    return [candidate for field in fields for candidate in (field.best, *field.alternatives)]


@settings(max_examples=60, deadline=None)
@given(pages())
def test_any_page(text: PageText) -> None:
    """Whatever stands on a page is read without failing, and rests on words of the page in their place."""
    printed = [line.text for line in text.lines]
    for candidate in candidates(extract([(1, text)])):
        assert 0 <= candidate.confidence <= 1
        assert candidate.evidence
        for box in candidate.evidence:
            assert any(box.text in line for line in printed)
            assert all(_inside(x, y, text) for x, y in box.quad)


def _inside(x: float, y: float, text: PageText) -> bool:
    return any(
        min(a for a, _ in line.quad) - 1e-6 <= x <= max(a for a, _ in line.quad) + 1e-6
        and min(b for _, b in line.quad) - 1e-6 <= y <= max(b for _, b in line.quad) + 1e-6
        for line in text.lines
    ) and math.isfinite(x + y)


@settings(max_examples=40, deadline=None)
@given(pages())
def test_raw_is_what_the_evidence_says(text: PageText) -> None:
    """What a candidate says is what its boxes say; of values on several pages, what each of them says."""
    for candidate in candidates(extract([(1, text)])):
        said = [box.text for box in candidate.evidence]
        assert candidate.raw in (" ".join(said), said[0]) or candidate.raw in said


def test_dates_are_settled_by_language_or_currency() -> None:
    """Where days come first by custom 03.04.2024 is a day in April; a page in dollars leaves it open."""
    german = page(
        "Rechnung",
        "Rechnungsnummer: 4711",
        "Rechnungsdatum: 03.04.2024",
        "Wir danken für Ihren Auftrag und bitten um Zahlung bis",
        "Gesamtbetrag 119,00 EUR",
    )
    english = page("INVOICE", "Invoice date: 03.04.2024", "Total $119.00")
    british = page("INVOICE", "Invoice date: 03.04.2024", "Total £119.00")
    days = [
        next(field.best.value for field in extract([(1, text)]).fields if field.name == "date")
        for text in (german, british, english)
    ]
    assert days == [
        Day((date(2024, 4, 3),)),
        Day((date(2024, 4, 3),)),
        Day((date(2024, 4, 3), date(2024, 3, 4))),
    ]


def test_short_year_may_lead() -> None:
    """Three short numbers with dashes stay open on a page that does not tell their order."""
    text = page("INVOICE", "Invoice date: 24-03-04", "Due date: 24-04-03", "Total 119.00")
    fields = {field.name: field.best.value for field in extract([(1, text)]).fields}
    assert fields["date"] == Day((date(2004, 3, 24), date(2024, 3, 4)))
    assert fields["due_date"] == Day((date(2003, 4, 24), date(2024, 4, 3)))
