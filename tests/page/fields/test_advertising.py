"""Contracts and invoices for advertising time."""

from __future__ import annotations

from tests.page.fields.pages import page
from tests.page.fields.reading import read


def test_contract() -> None:
    """Contract number, advertiser, flight and gross amount by their labels."""
    fields = read(
        page(
            [(40, "Contract / Revision"), (400, "Alt Order #")],
            [(40, "1528945"), (400, "WOC12388848")],
            [(40, "Advertiser: Smith for Congress")],
            [(40, "Contract Dates"), (300, "02/19/20 - 03/03/20")],
            [(40, "Gross Amount"), (400, "$31,190.00")],
            [(40, "Net Amount"), (400, "$26,511.50")],
        )
    )
    assert fields["contract_number"].best.raw == "1528945"
    assert fields["advertiser"].best.raw == "Smith for Congress"
    assert fields["flight_from"].best.raw == "02/19/20"
    assert fields["flight_to"].best.raw == "03/03/20"
    assert fields["gross_amount"].best.raw == "$31,190.00"
    assert fields["net_amount"].best.raw == "$26,511.50"


def test_gross_at_the_foot_of_its_column() -> None:
    """Of a table by months the row of totals tells the gross amount."""
    fields = read(
        page(
            [(40, "Advertiser"), (300, "Smith for Congress")],
            [(40, "Month"), (300, "Spots Aired"), (600, "Gross Amount")],
            [(40, "February"), (300, "12"), (600, "$7,495.00")],
            [(40, "March"), (300, "4"), (600, "$2,295.00")],
            [(40, "Totals"), (300, "16"), (600, "$9,790.00")],
        )
    )
    assert fields["gross_amount"].best.raw == "$9,790.00"
    assert not fields["gross_amount"].ambiguous


def test_form_of_two_levels() -> None:
    """Behind a heading and a label of its own the advertiser is still found."""
    fields = read(page([(40, "Advertiser"), (200, "Name:"), (300, "POL / Smith / D")]))
    assert fields["advertiser"].best.raw == "POL / Smith / D"


def test_invoice_stands_for_the_contract() -> None:
    """An invoice that names an advertiser and no contract names the buy by its own number."""
    fields = read(page("Advertiser: AB PAC", "Invoice # 2006527-1"))
    assert fields["contract_number"].best.raw == "2006527-1"
    assert fields["contract_number"].best.confidence < 0.7


def test_no_advertising() -> None:
    """An ordinary invoice has none of these fields."""
    fields = read(page("Smith Ltd", "Invoice No: 77123", "Total: 9.00"))
    assert not fields.keys() & {"advertiser", "contract_number", "gross_amount", "flight_from"}
