"""What an answer rests on besides its evidence."""

from __future__ import annotations

from decimal import Decimal

import pytest

from edge_clm.context import in_context
from edge_clm.paper import (
    Candidate,
    Evidence,
    Extraction,
    Field,
    Grounded,
    Grounding,
    PageKind,
    Table,
)
from edge_clm.values.value import Money, Quantity, Text, Truth, Value
from tests.test_ground import NOTHING, page

INVOICE = page(
    "Smith & Sons Ltd",
    "Invoice No. 738410",
    "Item Price",
    "2 x Blue Tea Pot 45.50 91.00",
    "1 x Influenza A kit 250.00",
    "Total $341.00",
)
SAID = Grounding(Grounded.YES, Text("45.50"))


def told(question: str, grounding: Grounding = SAID, asked: str = "") -> Grounding:
    return in_context(grounding, question, INVOICE, NOTHING, asked)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What is the price of the Blue Tea Pot?", ["Blue", "Tea", "Pot", "Price"]),
        ("blue pot: cost?", ["Blue", "Pot"]),
        ("What does the Influenza A kit cost?", ["Influenza", "A", "kit"]),
        ("Is there a tax on item 738410?", ["738410", "Item"]),
        ("the $250 kit", ["250.00", "kit"]),
    ],
)
def test_what_a_question_names_must_read_the_same(question: str, named: list[str]) -> None:
    """Each of its things, whole, a number in whatever writing; and the column, where there is one."""
    found = told(question)
    assert [item.text for item in found.named] == named
    assert not found.whole
    assert found.grounded is Grounded.YES


@pytest.mark.parametrize(
    "question",
    [
        "What is the price of the kettle?",
        "What is the price of the tea pots?",
        "What is the price of the red tea pot?",
        "What is the price?",
        "What does item 7 cost?",
        "What is the third item?",
        "the price on the bottom line",
        "Which tea pot is the most expensive?",
        "Which item costs 250?",
        "How many tea pots are there?",
        "What comes after the tea pot?",
        "Who made the tea pot?",
        "What is the 2nd tea pot?",
        "Tea Pot 多少钱？",
        "",
    ],
)
def test_else_the_answer_rests_on_the_whole_page(question: str) -> None:
    """What is not there, what order, number or a condition decides, and what nobody can parse."""
    assert told(question).whole


def test_what_stands_all_over_the_page_names_nothing() -> None:
    """Nor does an answer that does rest on few places."""
    text = page("tea 1", "tea 2", "tea 3", "tea 4", "cup 5")
    assert in_context(SAID, "the price of the tea", text, NOTHING, "").whole
    assert not in_context(SAID, "the price of the cup", text, NOTHING, "").whole
    quad = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))
    strewn = Grounding(Grounded.YES, Text("1"), tuple(Evidence(str(at), quad) for at in range(9)))
    assert in_context(strewn, "the price of the cup", text, NOTHING, "").whole


def _field(name: str, raw: str, value: Value, confidence: float = 0.9) -> Field:
    quad = ((0.0, 0.0), (50.0, 0.0), (50.0, 15.0), (0.0, 15.0))
    return Field(name, Candidate(raw, value, (Evidence(raw, quad),), confidence))


def test_a_field_that_was_read_needs_nothing_else() -> None:
    """Its own form names it; one that was not read surely is named by the question's words."""
    total = Money(Decimal("341.00"), "USD")
    for confidence, named in ((0.9, []), (0.2, ["Total"])):
        read = Extraction(PageKind.INVOICE, "en", (_field("total", "$341.00", total, confidence),))
        found = in_context(SAID, "What is the total?", INVOICE, read, "total")
        assert [item.text for item in found.named] == named
        assert not found.whole


def lab(analyte: str) -> Extraction:
    row = (
        _field("analyte", analyte, Text(analyte)),
        _field("value", "5.9", Quantity(Decimal("5.9"))),
    )
    return Extraction(PageKind.LAB_REPORT, "en", (), (Table("analytes", (row,)),))


@pytest.mark.parametrize(
    ("question", "analyte", "whole"),
    [
        ("What is the potassium?", "Potassium", False),
        ("What is the platelet count?", "Platelet Count", False),
        ("What is the influenza A result?", "Influenza A", False),
        ("Which potassium is higher?", "Potassium", True),
    ],
)
def test_a_cell_is_named_by_its_analyte(question: str, analyte: str, whole: bool) -> None:
    """With all of its name, whatever words that has."""
    found = in_context(SAID, question, page(f"{analyte} 5.9"), lab(analyte), "")
    assert analyte in [item.text for item in found.named]
    assert found.whole is whole


def test_what_is_worked_out_from_its_operands_rests_on_these() -> None:
    """And on the analyte's name."""
    yes = Grounding(Grounded.YES, Truth(True))
    found = in_context(
        yes, "Is the potassium above the range?", page("Potassium 5.9"), lab("Potassium"), ""
    )
    assert not found.whole
    assert "Potassium" in [item.text for item in found.named]
