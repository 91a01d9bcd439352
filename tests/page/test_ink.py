"""The print of a picture, without the light that fell on it."""

from __future__ import annotations

import numpy as np
import pytest

from edge_clm.page.ink import SIDE, ink_of
from edge_clm.types import Pixels
from tests.train.capture.sheets import printed


def lit(pixels: Pixels, colour: tuple[float, float, float], falling: float) -> Pixels:
    """The picture in coloured light that falls off from left to right by that share."""
    across = np.linspace(1, 1 - falling, pixels.shape[1])[None, :, None]
    return np.asarray(pixels * across * np.array(colour), np.uint8)


@pytest.mark.parametrize("colour", [(1.0, 0.3, 1.0), (0.25, 0.25, 0.25), (0.2, 0.9, 0.3)])
def test_light_leaves_no_trace(colour: tuple[float, float, float]) -> None:
    """In coloured light, and where it falls off to less than half, the ink is what it was."""
    sheet = printed()
    plain, other = ink_of(sheet).astype(int), ink_of(lit(sheet, colour, 0.6)).astype(int)
    assert np.corrcoef(plain.ravel(), other.ravel())[0, 1] > 0.98
    assert np.abs(plain - other).mean() < 8


def test_paper_has_no_ink_and_print_has() -> None:
    """Blank places are 0 and strokes dark, whatever the paper's tone."""
    sheet = np.full((400, 300, 3), 170, np.uint8)
    sheet[100:110, 50:250] = 40
    ink = ink_of(sheet)
    assert ink[104, 60:240].min() > 240
    assert ink[200:].max() == 0


def test_size_and_blank_pictures() -> None:
    """Large pictures are made smaller and keep their shape; a blank or black one has no ink."""
    assert ink_of(printed((1240, 1754))).shape == (SIDE, round(SIDE * 1240 / 1754))
    for level in (0, 255):
        assert not ink_of(np.full((90, 70, 3), level, np.uint8)).any()
    assert ink_of(np.full((1, 1, 3), 9, np.uint8)).shape == (1, 1)
