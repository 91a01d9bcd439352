"""The sign # before a number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_clm.page.number_sign import with_number_signs

SIGN, DIGITS = 99, range(1, 11)


def read(text: str, sign: float, digit: float) -> str:
    """A text of one step a character, # as likely as `sign` at each; alone, a letter is a digit by `digit`."""
    rows = np.zeros((len(text), 100), np.float32)
    rows[:, SIGN] = sign
    letter = np.zeros((3, 100), np.float32)
    letter[1, 4] = digit
    return with_number_signs(text, range(len(text)), rows, (SIGN, DIGITS), lambda _: letter)


def test_what_is_no_digit_by_itself_is_the_sign() -> None:
    """With the sign in mind a first digit is looked at alone, and stays none."""
    assert read("8473743", 0.02, 0.1) == "#473743"


@pytest.mark.parametrize(("sign", "digit"), [(0.02, 0.9), (0.00005, 0.1)])
def test_a_digit_by_itself_and_an_unlikely_sign_stay(sign: float, digit: float) -> None:
    """A digit that is one alone stays, and so does one where nothing speaks for the sign."""
    assert read("8473743", sign, digit) == "8473743"


def test_a_letter_is_looked_at_only_where_the_sign_is_in_mind() -> None:
    """A second look costs time; most numbers need none."""
    rows = np.zeros((7, 100), np.float32)

    def alone(at: int) -> np.ndarray:
        raise AssertionError(at)

    assert with_number_signs("8473743", range(7), rows, (SIGN, DIGITS), alone) == "8473743"


@pytest.mark.parametrize(
    "text", ["8473.43", "847374", "84737,50", "847374/2", "1238473.99", "2018-08-12", "A8473743"]
)
def test_amounts_dates_and_short_numbers_stay(text: str) -> None:
    """What is an amount, a date or a short number keeps its first digit, whatever the doubt."""
    assert read(text, 0.5, 0.0) == text


@given(st.text("#@1238 .:-/A", min_size=1, max_size=14), st.floats(0, 1), st.floats(0, 1))
def test_only_first_characters_of_numbers_change(text: str, sign: float, digit: float) -> None:
    """Length and everything but one character before six digits stay as they are."""
    changed = read(text, sign, digit)
    assert len(changed) == len(text)
    for at, (old, new) in enumerate(zip(text, changed, strict=True)):
        assert old == new or (new == "#" and text[at + 1 : at + 7].isdigit())
