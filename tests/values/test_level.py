"""Levelled text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from edge_clm.values.level import level


def test_habits() -> None:
    """Width, spaces, dashes, apostrophes and foreign digits are made plain; superscripts stay."""
    assert level("１２，５０\u00a0–\u2009’٣") == "12,50 - '3"
    assert level("10³ ① ½ ㎎") == "10³ ① ½ ㎎"


@given(st.text())
def test_positions(text: str) -> None:
    """Every text stays as long as it is, and levelling again changes nothing."""
    assert len(level(text)) == len(text)
    assert level(level(text)) == level(text)
