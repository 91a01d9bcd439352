"""The suffix: what makes two questions one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_clm.question.suffix import suffix_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is the total?", "what is the total"),
        ("What  is\tthe total ?", "What is the total?"),
        ("金额是多少？", "金额是多少"),
        ("Ｔotal?", "total?"),  # full-width T
        ("WHO IS THE SELLER", "Who is the seller?"),
        ("Cafe\u0301 name?", "Caf\u00e9 name?"),
    ],
)
def test_the_same_question(one: str, other: str) -> None:
    """Letter case of words, white space, composition, width and closing marks do not matter."""
    assert suffix_of(one) == suffix_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Is it in range?", "Is it not in range?"),
        ("What is the net total?", "What is the gross total?"),
        ("Who is the seller?", "Who is the buyer?"),
        ("Is it over 1.5?", "Is it over 15?"),
        ("Is it -5?", "Is it 5?"),
        ("What is line 1?", "What is line 2?"),
        ("When was it issued?", "When is it due?"),
        ("Is WBC over 10⁹/L?", "Is WBC over 109/L?"),
        ("Is it 1½?", "Is it 11⁄2?"),
        ("How much Mg?", "How much mg?"),
        ("Is it 5 mM?", "Is it 5 mm?"),
        ("What is in m²?", "What is in m2?"),
        ("Is it > 5?", "Is it < 5?"),
    ],
)
def test_another_question(one: str, other: str) -> None:
    """A word, a digit, a sign, a unit or a negation makes another question."""
    assert suffix_of(one) != suffix_of(other)


@given(st.text())
def test_normalising_is_stable(question: str) -> None:
    """A suffix put in as a question gives itself."""
    once = suffix_of(question)
    assert suffix_of(once.text) == once
