"""Numbers of documents."""

from __future__ import annotations

import pytest

from tests.page.fields.pages import page
from tests.page.fields.reading import read, slip


@pytest.mark.parametrize(
    ("row", "number"),
    [
        ("Invoice#738410", "738410"),
        ("Invoice No: INV-1042", "INV-1042"),
        ("INVOICE NO: 18314/102/T0422", "18314/102/T0422"),
        ([(40, "Invoice Number:"), (250, "#509715")], "#509715"),
        ([(40, "Invoice ID:"), (250, "INV-4358")], "INV-4358"),
        ([(40, "Document No"), (300, ": TD01167104")], "TD01167104"),
        ("INV No.: 1053110 Cashier: Thandar", "1053110"),
    ],
)
def test_labelled_number(row: str | list[tuple[float, str]], number: str) -> None:
    """A number is found behind its label and beside it."""
    assert read(page(row))["number"].best.raw.lstrip("#") == number.lstrip("#")


def test_number_under_its_label() -> None:
    """A number may stand under its label; the first line of an address does not."""
    assert read(page("Invoice number", "415808"))["number"].best.raw == "415808"
    assert "number" not in read(page("INVOICE", "9782 Soto Key"))


def test_label_in_two_rows() -> None:
    """The number beside a label of two rows."""
    fields = read(page([(40, "Invoice"), (250, "#955133")], "Number:"))
    assert fields["number"].best.raw.lstrip("#") == "955133"


def test_number_with_a_hash_and_no_label() -> None:
    """On an invoice a number behind a '#' is likely its own, but not surely."""
    field = read(page("ACME LTD", [(500, "#853827")]))["number"]
    assert field.best.raw == "#853827"
    assert field.look_again


def test_order_number_is_another() -> None:
    """The number of an order is not the invoice's."""
    fields = slip(page("Receipt No: 77123", "PO Number: 4455"))
    assert fields["number"].best.raw == "77123"
    assert fields["order_number"].best.raw == "4455"


def test_number_alone() -> None:
    """Where no label and no '#' names a number, one that stands alone near the top is a guess."""
    field = read(page("ACME LTD", [(500, "853827")], "", "", "", "", "Thank you"))["number"]
    assert field.best.raw == "853827"
    assert field.best.confidence < 0.3
    assert field.look_again


def test_date_is_no_number() -> None:
    """What looks like a date is no number, even one that cannot be."""
    assert "number" not in read(page([(40, "INVOICE"), (300, "01/36/2011")]))
