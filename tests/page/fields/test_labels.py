"""Labels found in print, misread or run together."""

from __future__ import annotations

import pytest

from edge_clm.page.fields.labels import labels_of
from edge_clm.page.fields.layout import layout_of
from tests.page.fields.pages import page


def meant(*rows: str) -> list[str]:
    """The likeliest meaning of each label on a page that is at least somewhat sure."""
    found = labels_of(layout_of(page(*rows))).all
    return [
        max(label.meanings, key=lambda m: m.worth).concept for label in found if label.surest > 0.5
    ]


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("Invoice No: 42", "number"),
        ("lnvoice N0 42", "number"),
        ("Invoice#738410", "number"),
        ("T0TAL", "total"),
        ("Tofal", "total"),
        ("TotalSales(InclusiveGST)", "total"),
        ("GRAND TOTAI", "total"),
        ("Total Qty 9", "other"),
        ("Total GST", "tax"),
        ("Total Excluding GST", "subtotal"),
        ("You Saved", "other"),
        ("Rounding Adj", "rounding"),
        ("Rechnungsnummer 77", "number"),
        ("Net à payer", "total"),
        ("Fecha de vencimiento", "due_date"),
        ("合计：35.00", "total"),
    ],
)
def test_one_label(text: str, concept: str) -> None:
    """The longest label is taken, in any of the languages, with a letter misread or spaces lost."""
    assert meant(text) == [concept]


def test_words_of_a_sentence_are_no_labels() -> None:
    """The words of labels occur in sentences, where they label nothing."""
    assert meant("Please keep the invoice for the date of any exchange") == []
    assert meant("Advertiser and its agents agree to pay all of the costs") == []


def test_small_words_head_an_address_only_alone() -> None:
    """ "To" and "for" are labels where nothing else stands in their cell."""
    assert meant("TO:") == ["buyer"]
    assert meant("Welcome to Malaysia") == []
    assert meant("Smith for Congress") == []


def test_label_in_two_rows() -> None:
    """A label broken over two rows is one."""
    assert meant("Invoice", "Number:") == ["number"]
    assert meant("Expiry", "Date:") == ["due_date"]


def test_start_of_a_value_is_no_label() -> None:
    """The prefix of a number is a part of it."""
    labels = labels_of(layout_of(page("Invoice No: INV-1042")))
    assert [label.last.text for label in labels.all] == ["Invoice No"]


def test_line_of_nothing_but_labels() -> None:
    """A line without end is read to its sixteenth label."""
    assert len(labels_of(layout_of(page("total " * 500))).all) == 16
