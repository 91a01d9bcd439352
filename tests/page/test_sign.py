"""Ink before a number."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_clm.page.sign import AROUND, ASIDE, HIGH, sign
from edge_clm.types import Pixels

TALL = round(HIGH * (1 + 2 * AROUND))
BASE = round(HIGH * (AROUND + 0.8))
START = round(HIGH * ASIDE)


def look(text: str, light: tuple[int, int, int] = (240, 240, 240), right: int = 0) -> Pixels:
    """A straightened number on paper in some light, as wide as it is, with room on either side."""
    digits = text.lstrip("-")
    (wide, _), _ = cv2.getTextSize(digits, cv2.FONT_HERSHEY_SIMPLEX, 0.8, 2)
    paper = np.full((TALL, 2 * START + wide, 3), 255, np.uint8)
    cv2.putText(paper, digits, (START + right, BASE), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (30,) * 3, 2)
    if text != digits:
        y = round(HIGH * (AROUND + 0.55))
        cv2.line(paper, (START + right - 13, y), (START + right - 5, y), (30,) * 3, 2)
    lit = paper.astype(np.float32) * np.array(light, np.float32) / 255
    return np.asarray(cv2.GaussianBlur(lit, (0, 0), 0.8), np.uint8)


@pytest.mark.parametrize("text", ["138.57", "1", "42", "7,10", "0.05"])
def test_a_sign_is_told_from_none(text: str) -> None:
    """A minus before any number is plain ink, the number alone none, also in other light."""
    known = look(text)
    assert sign(known, look(f"-{text}", (90, 60, 120))) > 0.4
    assert sign(known, look(text, (90, 60, 120))) < 0.1


def test_a_sign_that_was_there_before_is_no_news() -> None:
    """What both looks have is explained; that one was lost is for the recogniser."""
    assert sign(look("-19.90"), look("-19.90", (120, 130, 90))) < 0.1


@settings(max_examples=30, deadline=None)
@given(right=st.integers(-2, 2), value=st.integers(1, 9999), level=st.integers(60, 250))
def test_small_moves_and_light_are_no_sign(right: int, value: int, level: int) -> None:
    """A number seen a little beside its place has nothing before it."""
    known = look(str(value))
    assert sign(known, look(str(value), (level,) * 3, right)) < 0.2
