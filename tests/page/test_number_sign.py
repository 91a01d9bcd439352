"""The sign # before a number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_clm.page.number_sign import with_number_signs

SIGN = 99


def read(text: str, sure: float, sign: float) -> str:
    """A text of one step a character, its first one as `sure`, the sign there having `sign`."""
    rows = np.zeros((len(text), 100), np.float32)
    rows[:, 1] = 0.99
    rows[0, 1] = sure
    rows[0, SIGN] = sign
    return with_number_signs(text, range(len(text)), rows, SIGN)


def test_an_unsure_first_digit_where_the_sign_is_likely_is_the_sign() -> None:
    """A recogniser in doubt about a first digit, with the sign in mind, has seen the sign."""
    assert read("8473743", 0.6, 0.02) == "#473743"


@pytest.mark.parametrize(("sure", "sign"), [(0.95, 0.02), (0.6, 0.0005)])
def test_a_sure_digit_and_an_unlikely_sign_stay(sure: float, sign: float) -> None:
    """A digit that is surely read stays, and so does one that is in doubt for another reason."""
    assert read("8473743", sure, sign) == "8473743"


@pytest.mark.parametrize(
    "text", ["8473.43", "8473", "84737,50", "847374/2", "1238473.99", "2018-08-12", "A8473743"]
)
def test_amounts_dates_and_short_numbers_stay(text: str) -> None:
    """What is an amount, a date or a short number keeps its first digit, whatever the doubt."""
    assert read(text, 0.5, 0.4) == text


@given(st.text("#@1238 .:-/A", min_size=1, max_size=14), st.floats(0, 1), st.floats(0, 1))
def test_only_first_characters_of_numbers_change(text: str, sure: float, sign: float) -> None:
    """Length and everything but one character before five digits stay as they are."""
    changed = read(text, sure, sign)
    assert len(changed) == len(text)
    for at, (old, new) in enumerate(zip(text, changed, strict=True)):
        assert old == new or (new == "#" and text[at + 1 : at + 6].isdigit())
