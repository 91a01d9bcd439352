"""A line of print laid over the same line of another capture."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw

from edge_clm.page.align import settled
from edge_clm.train.pages.fonts import face, families
from edge_clm.types import Pixels


@pytest.fixture(scope="module")
def known() -> Pixels:
    """A line of print with its surroundings."""
    picture = Image.new("RGB", (220, 84), (235, 235, 230))
    font = face(families("train", "sans")[0], bold=False, size=30)
    ImageDraw.Draw(picture).text((16, 38), "138.57 RM", fill=(30, 30, 40), font=font)
    return np.asarray(picture)


def tilted(picture: Pixels, degrees: float, scale: float, shear: float) -> Pixels:
    """The picture as registration leaves it where paper bends."""
    height, width = picture.shape[:2]
    way = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, scale)
    way[0, 1] += shear
    return np.asarray(
        cv2.warpAffine(picture, way, (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def off(one: Pixels, other: Pixels) -> float:
    """How far two pictures differ where there is print."""
    return float(np.abs(one.astype(int) - other)[20:70, 20:200].mean())


@pytest.mark.parametrize(
    ("degrees", "scale", "shear"), [(4, 1, 0), (-3, 0.93, 0.05), (0, 1.06, -0.1)]
)
def test_a_stretch_is_laid_over_the_known_one(
    known: Pixels, degrees: float, scale: float, shear: float
) -> None:
    """Turned, sheared or scaled, print comes to lie over itself, in the known stretch's size."""
    seen = tilted(known, degrees, scale, shear)
    found = settled(known, seen)
    assert found.shape == known.shape
    assert off(known, found) < 0.4 * off(known, seen)


def test_a_stroke_of_the_pen_stays_where_it_is(known: Pixels) -> None:
    """Laying print over print does not take away what was drawn through it."""
    struck = known.copy()
    cv2.line(struck, (14, 56), (160, 52), (40, 40, 90), 3)
    found = settled(known, tilted(struck, 3, 1, 0))
    ink = np.abs(found.astype(int) - known).max(axis=2) > 80
    assert ink[45:62, 14:160].any(axis=0).mean() > 0.7


def test_what_is_like_nothing_stays(known: Pixels) -> None:
    """Grey paper is laid over nothing, and is as it was."""
    grey = np.full_like(known, 128)
    assert (settled(known, grey) == grey).all()
    assert (settled(grey, known) == known).all()
