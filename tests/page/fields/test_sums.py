"""Which amount is the total."""

from __future__ import annotations

from decimal import Decimal

import pytest

from edge_clm.page.fields.extract import extract
from edge_clm.paper import Field, PageText
from edge_clm.values.value import Money
from tests.page.fields.pages import page
from tests.page.fields.reading import amount, read, slip

LEFT, RIGHT = 40, 400


def row(label: str, value: str) -> list[tuple[float, str]]:
    return [(LEFT, label), (RIGHT, value)]


@pytest.mark.parametrize(
    "label",
    [
        "Total",
        "TOTAL RM",
        "Total Sales (Inclusive GST) RM",
        "Total Amount Payable",
        "T0TAL",
        "Net à payer",
        "Gesamtbetrag",
    ],
)
def test_total_by_its_label(label: str) -> None:
    """The amount beside a label of totals is the total."""
    fields = slip(page("SHOP", row(label, "9.90"), row("CASH", "10.00")))
    assert fields["total"].best.raw == "9.90"


def test_numbers_that_are_no_total() -> None:
    """Totals of pieces, tax and savings are other totals."""
    fields = slip(
        page(
            row("Total Qty", "3.00"),
            row("Total Saving", "1.20"),
            row("Total GST", "0.54"),
            row("Total", "9.54"),
        )
    )
    assert fields["total"].best.raw == "9.54"
    assert not fields["total"].ambiguous
    assert fields["tax"].best.raw == "0.54"


def test_total_after_rounding() -> None:
    """Of totals before and after rounding the one that coins can pay is the total."""
    fields = slip(page(row("Total", "60.31"), row("Rounding Adj", "-0.01"), row("Total", "60.30")))
    assert fields["total"].best.raw == "60.30"
    assert not fields["total"].ambiguous


def test_cash_proves_the_total() -> None:
    """What was paid less the change tells a total that no label does."""
    fields = slip(page([(RIGHT, "29.80")], row("CASH", "50.00"), row("CHANGE", "20.20")))
    assert fields["total"].best.raw == "29.80"


def test_two_totals() -> None:
    """Two totals between which nothing decides are ambiguous."""
    fields = read(page(row("Total", "40.10"), row("Total", "93.70")))
    assert fields["total"].ambiguous
    assert fields["total"].look_again
    assert {c.raw for c in (fields["total"].best, *fields["total"].alternatives)} == {
        "40.10",
        "93.70",
    }


def test_sums_decide_between_totals() -> None:
    """The total to which subtotal and tax come is taken."""
    fields = read(
        page(
            row("Subtotal", "90.00"),
            row("Tax", "5.40"),
            row("Total", "95.40"),
            row("Total", "99.99"),
        )
    )
    assert fields["total"].best.raw == "95.40"
    assert not fields["total"].ambiguous


def test_total_of_a_part() -> None:
    """A total of some goods only is less than the total of all."""
    fields = slip(
        page(
            row("Total 6% supplies", "38.41"),
            row("Total 0% supplies", "35.14"),
            row("Total Payable", "73.55"),
        )
    )
    assert fields["total"].best.raw == "73.55"


def test_summary_of_tax_is_aside() -> None:
    """The total of the summary of tax is not the page's."""
    fields = slip(
        page(
            row("Total Incl GST", "9.54"),
            [(LEFT, "GST Summary"), (250, "Amount"), (RIGHT, "Tax")],
            [(LEFT, "SR 6%"), (250, "9.00"), (RIGHT, "0.54")],
            [(LEFT, "Total"), (250, "9.00"), (RIGHT, "0.54")],
        )
    )
    assert fields["total"].best.raw == "9.54"
    assert not fields["total"].alternatives


def test_head_of_a_column_is_no_label() -> None:
    """ "Total" over a column of goods labels no total."""
    fields = read(
        page(
            [(40, "Description"), (400, "Qty"), (600, "Total")],
            [(40, "Blue pen"), (400, "2"), (600, "7.00")],
            "",
            [(400, "Amount due"), (600, "7.42")],
        )
    )
    assert fields["total"].best.raw == "7.42"


def test_decimal_comma() -> None:
    """On a page with decimal commas amounts are read so."""
    fields = read(
        page(row("Netto", "1.000,00"), row("MwSt 19%", "190,00"), row("Gesamtbetrag", "1.190,00 €"))
    )
    assert amount(fields["total"]) == Decimal("1190.00")
    assert fields["tax_rate"].best.raw == "19%"


PENS = (row("Blue pen", "3.90"), row("Red pen", "1.79"))


@pytest.mark.parametrize("printed", [("5.69", "0.27", "$596"), ("569", "0.27", "596")])
def test_lost_decimal_point(printed: tuple[str, str, str]) -> None:
    """Amounts far above all others have lost their point where the sums say so; what is printed stays."""
    labels = ("Subtotal", "Tax", "Total")
    fields = read(page(*PENS, row("Box", "2.10"), *map(row, labels, printed)))
    assert [fields[name].best.raw for name in ("subtotal", "tax", "total")] == list(printed)
    assert [amount(fields[name]) for name in ("subtotal", "total")] == [
        Decimal("5.69"),
        Decimal("5.96"),
    ]
    assert not any(fields[name].ambiguous for name in ("subtotal", "total"))


def test_amount_that_may_have_lost_its_point() -> None:
    """Without a sum that decides, both readings of an amount without cents stand."""
    fields = read(page(*PENS, row("Shelf", "2.10"), row("Total", "$596")))
    assert fields["total"].ambiguous
    assert fields["total"].look_again
    readings = (fields["total"].best, *fields["total"].alternatives)
    assert [one.raw for one in readings] == ["$596", "$596"]
    assert [str(one.value.amount) for one in readings if isinstance(one.value, Money)] == [
        "596",
        "5.96",
    ]


def test_large_amount_that_has_lost_no_point() -> None:
    """Where the sums bear the printed amount out it is taken as printed."""
    fields = read(
        page(
            *PENS,
            row("Box", "2.10"),
            row("Subtotal", "590.27"),
            row("Tax", "5.73"),
            row("Total", "$596"),
        )
    )
    assert amount(fields["total"]) == Decimal("596")
    assert not fields["total"].ambiguous


def test_round_amount_has_lost_no_point() -> None:
    """A round amount may well be printed without cents."""
    fields = slip(
        page(row("Cup", "3.90"), row("Pot", "1.79"), row("Pan", "5.69"), row("Total", "$500"))
    )
    assert amount(fields["total"]) == Decimal("500")


def test_misread_currency_sign() -> None:
    """A letter glued to an amount beside its label is the currency sign, misread."""
    fields = read(page(row("Subtotal", "9.00"), row("Total", "S240.73")))
    assert fields["total"].best.raw == "240.73"


def read_all(text: PageText) -> tuple[dict[str, Field], dict[str, bool]]:
    """The fields by their names, and the checks with whether they hold."""
    found = extract([(1, text)])
    return {f.name: f for f in found.fields}, {c.name: c.holds for c in found.checks}


def test_amounts_of_a_credit_note_keep_their_minus() -> None:
    """What is credited is negative, in a cell of its own or behind its label, whatever the dash."""
    fields, checks = read_all(
        page(
            "CREDIT NOTE",
            row("Subtotal", "-118.00"),
            row("VAT 20%", "\u2212\u00a323.60"),
            "Total: -141.60",
        )
    )
    amounts = {name: amount(fields[name]) for name in ("subtotal", "tax", "total")}
    assert amounts == {
        "subtotal": Decimal("-118.00"),
        "tax": Decimal("-23.60"),
        "total": Decimal("-141.60"),
    }
    assert fields["total"].best.raw == "-141.60"
    assert checks == {"subtotal_tax_total": True}


def test_what_is_taken_off_keeps_its_minus() -> None:
    """A slip with a discount and a rounding down comes out; cash printed as taken off does, too."""
    fields, checks = read_all(
        page(
            "CORNER SHOP",
            row("Subtotal", "5.00"),
            row("Discount", "-1.00"),
            row("Rounding", "-0.02"),
            row("Total", "3.98"),
            row("Cash", "-5.00"),
            row("Change", "1.02"),
        )
    )
    assert amount(fields["discount"]) == Decimal("-1.00")
    assert amount(fields["rounding"]) == Decimal("-0.02")
    assert checks == {"subtotal_tax_total": True, "paid_change_total": True}
    assert not fields["total"].look_again


@pytest.mark.parametrize("led", ["Total - 5.54", "Total--5.54", "Total....5.54", "Total-5.54"])
def test_dashes_that_lead_to_an_amount_are_no_minus(led: str) -> None:
    """A dash glued to the label, to others or apart from the number only leads to it."""
    assert amount(slip(page("SHOP", led))["total"]) == Decimal("5.54")


@pytest.mark.parametrize("labelled", ["{} {}", "{}: {}", "{}|{}"])
def test_amounts_below_one_without_their_zero(labelled: str) -> None:
    """ ".54" is no 54, beside its label as behind it, and the sums come out."""
    printed = [("Subtotal", ".50"), ("Tax", ".04"), ("Total", ".54"), ("Cash", "1.00")]
    printed.append(("Change", ".46"))
    rows = [row(*pair) if "|" in labelled else labelled.format(*pair) for pair in printed]
    fields, checks = read_all(page("CORNER SHOP", *rows))
    assert amount(fields["total"]) == Decimal("0.54")
    assert fields["total"].best.raw == ".54"
    assert amount(fields["change"]) == Decimal("0.46")
    assert checks == {"subtotal_tax_total": True, "paid_change_total": True}


@pytest.mark.parametrize("beside", [False, True])
def test_two_invoices_on_a_page(beside: bool) -> None:
    """Parts that could be either invoice's prove neither total."""
    labels = ("Subtotal", "Tax", "Total")
    one, other = (list(map(row, labels, sums)) for sums in (FIRST, SECOND))
    if beside:
        right = [[(x + 500, text) for x, text in cells] for cells in other]
        rows = [[*cells, *more] for cells, more in zip(one, right, strict=True)]
    else:
        rows = [*one, [(LEFT, "")], *other]
    fields = read(page("INVOICE", *rows))
    assert fields["total"].ambiguous
    assert fields["total"].look_again


FIRST, SECOND = ("100.00", "10.00", "110.00"), ("200.00", "20.00", "220.00")


@pytest.mark.parametrize("label", ["Net Total", "Gross Amount", "Net", "Total Sales", "S/Total"])
def test_a_subtotal_that_only_the_sums_tell(label: str) -> None:
    """What may be called a total as well is the subtotal where the tax leads from it to the total."""
    fields = slip(
        page("SHOP", row(label, "44.60"), row("GST 9%", "4.01"), row("Total Amount", "48.61"))
    )
    assert fields["total"].best.raw == "48.61"
    assert not fields["total"].ambiguous
    assert fields["subtotal"].best.raw == "44.60"


def test_a_group_with_a_tax_of_its_own_is_not_the_whole() -> None:
    """Goods with and without tax are summed apart; neither sum is the total."""
    fields = slip(
        page(
            row("Total 6% supplies (excl. GST)", "24.00"),
            row("GST", "1.44"),
            row("Total 6% supplies (Inc. GST)", "25.44"),
            row("Total 0% supplies", "7.61"),
            row("Total Payable", "33.05"),
        )
    )
    assert fields["total"].best.raw == "33.05"
    assert not fields["total"].ambiguous


def test_a_change_that_only_the_sums_tell() -> None:
    """What is left of the cash is the change, whatever it is called."""
    fields = slip(page("SHOP", row("Total", "182.00"), row("CASH", "190.00"), row("BAL", "8.00")))
    assert fields["change"].best.raw == "8.00"
