from __future__ import annotations

import tomllib
from collections import Counter
from importlib.resources import files

import pytest

from edge_clm.question.field import asked_field, likely_field


@pytest.mark.parametrize(
    ("question", "field"),
    [
        ("What is the total?", "total"),
        ("what's the TOTAL", "total"),
        ("Please tell me the grand total of this invoice.", "total"),
        ("How much do I owe in all?", "total"),
        ("总额多少？", "total"),
        ("What is the subtotal?", "subtotal"),
        ("What is the date on the receipt?", "date"),
        ("When is the payment due?", "due_date"),
        ("Who is the seller?", "seller"),
        ("What is the invoice number?", "number"),
        ("What is the impression?", "impression"),
        ("What is the total including tax?", "total"),
        ("Please tell me what the total is.", "total"),
        ("Gesamtbetrag?", "total"),
        ("Quel est le total ?", "total"),
        ("What is the date of birth?", "birth_date"),
    ],
)
def test_a_clear_wording_names_its_field(question: str, field: str) -> None:
    """The usual ways to ask for a field are understood."""
    assert asked_field(question) == field


@pytest.mark.parametrize(
    "question",
    [
        "",
        "What is the total quantity?",
        "What is the total of the second line?",
        "Is the total more than 100?",
        "What is not the total?",
        "What is the date of delivery?",
        "What is the seller's phone number?",
        "total total",
        "Why is the total so high?",
    ],
)
def test_a_doubtful_wording_names_none(question: str) -> None:
    """A question that asks for something else, or more, is not taken for a field."""
    assert asked_field(question) == ""


@pytest.mark.parametrize(
    ("question", "field"),
    [
        ("What is the total?", "total"),
        ("I would like to know the grand total.", "total"),
        ("Do you see the invoice number? What is it?", "number"),
        ("Please read out the total before tax shown here", "subtotal"),
        ("What does the report say is the date of birth?", "birth_date"),
        ("What is the seller's phone number?", ""),
        ("What is the total quantity?", ""),
        ("What is not the total?", ""),
        ("Is the total more than 100?", ""),
        ("What is the date of delivery?", ""),
        ("What is the document?", ""),
        ("", ""),
    ],
)
def test_a_likely_field_stands_among_words_that_only_ask(question: str, field: str) -> None:
    """By its longest wording; anything else in the question may make another thing of it."""
    assert likely_field(question) == field


def test_no_wording_stands_for_two_fields() -> None:
    """Every wording in the list means one field, and is written as questions are compared."""
    text = files("edge_clm.question").joinpath("fields.toml").read_text(encoding="utf-8")
    wordings = Counter(form for forms in tomllib.loads(text).values() for form in forms)
    assert not [form for form, times in wordings.items() if times > 1 or form != form.casefold()]
