"""Ink that is added to paper, and print that goes."""

from __future__ import annotations

from random import Random

import cv2
import numpy as np
import pytest

from edge_clm.train.look.changes import Paper, Place, bare, change, dyed

WORD = (40.0, 42.0, 150.0, 66.0)
PLACE = Place(WORD, 32.0, "train")


def paper() -> Paper:
    """A word on white paper."""
    pixels = np.full((83, 192, 3), 240, np.uint8)
    cv2.putText(pixels, "1234.50", (42, 64), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (20, 20, 20), 2)
    return pixels.astype(np.float32)


@pytest.mark.parametrize("sort", ["pen", "hand", "stamp", "print", "sign"])
def test_ink_only_darkens(sort: str) -> None:
    """Whatever is drawn over paper makes no pixel of it lighter, and some darker."""
    for seed in range(10):
        before = paper()
        after = change(before, PLACE, Random(seed), sort)[1]
        assert (after <= before + 1e-3).all()
    drawn = [change(paper(), PLACE, Random(seed), sort)[1] for seed in range(10)]
    assert sum(bool((paper() - one > 30).any()) for one in drawn) >= 5


def test_print_goes_and_paper_stays() -> None:
    """Where a word was there is paper as light as that around it, and nothing else has changed."""
    before = paper()
    after = bare(before, WORD)
    assert (before[44:64, 44:146].min(axis=(0, 1)) < 60).all()
    assert (after[44:64, 44:146] > 220).all()
    assert (after[:30] == before[:30]).all()


def test_ink_lets_its_own_colour_through() -> None:
    """Red ink on white paper is red, and half of it is halfway."""
    white = np.full((2, 2, 3), 255, np.float32)
    half = np.array([[1, 0.5], [0, 0]], np.float32)
    found = dyed(white, half, (200, 0, 0))
    assert found[0, 0].tolist() == [200, 0, 0]
    assert found[0, 1].tolist() == [227.5, 127.5, 127.5]
    assert (found[1] == 255).all()
