"""Sheets turned until their lines are level."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from edge_clm.page.ink import Ink, ink_of
from edge_clm.page.level import levelled
from edge_clm.train.capture.grid import Size
from edge_clm.types import Pixels
from tests.train.capture.sheets import printed


def laid(sheet: Pixels, degrees: float) -> Pixels:
    """The sheet on a grey table, turned counter-clockwise, the picture framed around it."""
    height, width = sheet.shape[:2]
    cos, sin = abs(np.cos(np.radians(degrees))), abs(np.sin(np.radians(degrees)))
    size: Size = (round(width * cos + height * sin), round(width * sin + height * cos))
    way = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1)
    way[:, 2] += ((size[0] - width) / 2, (size[1] - height) / 2)
    return cv2.warpAffine(sheet, way, size, borderValue=(120, 120, 120)).astype(np.uint8)


def alike(one: Ink, other: Ink) -> float:
    """How alike two inks are, made small and soft; 1 where they are the same."""
    first, second = (
        cv2.GaussianBlur(cv2.resize(ink, (60, 85)).astype(np.float32), (0, 0), 1.5)[8:-8, 8:-8]
        for ink in (one, other)
    )
    return float(np.corrcoef(first.ravel(), second.ravel())[0, 1])


@pytest.mark.parametrize("degrees", [-30, -17, -4, 3, 12, 25, 32])
def test_a_turned_sheet_comes_out_level(degrees: float) -> None:
    """However it was turned, its print lies where that of the sheet itself does."""
    sheet = printed()
    straight = levelled(ink_of(sheet))
    found = levelled(ink_of(laid(sheet, degrees)))
    assert alike(straight, found) > 0.5
    assert alike(straight, found) > alike(straight, ink_of(laid(sheet, degrees))) + 0.25


@pytest.mark.parametrize("degrees", [90, 75, -100])
def test_a_sheet_on_its_side_stands_up_again(degrees: float) -> None:
    """Its lines are level again; head and foot may be exchanged."""
    sheet = printed()
    straight = levelled(ink_of(sheet))
    found = levelled(ink_of(laid(sheet, degrees)))
    assert max(alike(straight, found), alike(straight, found[::-1, ::-1])) > 0.6


def test_what_has_no_direction_stays_as_it_is() -> None:
    """A blank picture stays blank, and one of a pixel stays one."""
    assert not levelled(np.zeros((300, 200), np.uint8)).any()
    assert levelled(np.zeros((300, 200), np.uint8)).shape == (300, 200)
    assert levelled(np.full((1, 1), 7, np.uint8)).shape == (1, 1)
