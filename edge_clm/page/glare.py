"""Reflections that hide print."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from edge_clm.page.geometry import Quads, sides
from edge_clm.types import Pixels

Mask = NDArray[np.uint8]

# Every channel of a burnt-out pixel is at least this.
_BURNT = 250
# Paper that is white itself shows no reflection, and a scanner makes none.
_WHITE = 239
# The least area of a reflection, in squares of a line's height.
_LARGE = 4.0
# How wide its rim is at least, in pixels and in line heights: light fades out, a white box ends.
_RIM, _RIM_HEIGHTS = 2.5, 0.15
# A patch with this share of the print that the rest of the text area has hides none.
_LEGIBLE = 0.5


def has_glare(picture: Pixels, quads: Quads) -> bool:
    """Whether a burnt-out patch with a soft rim lies among the lines, and no print is read in it.

    `picture` is RGB, best of some 1000 pixels a side, `quads` are its lines in its coordinates.
    """
    import cv2

    height = max(2.0, float(np.median(sides(quads)[:, 1])))
    shape = picture.shape[:2]
    boxes = _filled(shape, list(quads))
    area = _filled(shape, [np.asarray(cv2.convexHull(quads.reshape(-1, 2)))])
    level = np.minimum(np.minimum(picture[:, :, 0], picture[:, :, 1]), picture[:, :, 2])
    paper = float(np.percentile(picture[boxes > 0].mean(axis=1), 75)) if boxes.any() else 255.0
    if paper >= _WHITE:
        return False
    burnt = ((level >= _BURNT) & (area > 0)).astype(np.uint8)
    solid = cv2.morphologyEx(burnt, cv2.MORPH_OPEN, _disc(height))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(solid)
    usual = _LEGIBLE * float(boxes.sum()) / max(float(area.sum()), 1.0)
    return any(
        _is_soft(labels == at, level, paper, height) and _share(boxes, labels == at, height) < usual
        for at in range(1, count)
        if stats[at, cv2.CC_STAT_AREA] >= _LARGE * height**2
    )


def _is_soft(patch: NDArray[np.bool_], level: Pixels, paper: float, height: float) -> bool:
    """Whether light fades out around a patch, rather than end at a line."""
    import cv2

    mask = patch.astype(np.uint8)
    around = cv2.dilate(mask, _disc(4 * height)) > mask
    rim = around & (level < _BURNT) & (level > paper + 0.3 * (255 - paper))
    outline = cv2.morphologyEx(mask, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    length = max(float(outline.sum()) / 2, 1.0)
    return float(rim.sum()) / length >= max(_RIM, _RIM_HEIGHTS * height)


def _share(boxes: Mask, patch: NDArray[np.bool_], height: float) -> float:
    """The share of a patch, print among it included, that boxes of lines cover."""
    import cv2

    whole = cv2.morphologyEx(patch.astype(np.uint8), cv2.MORPH_CLOSE, _disc(2 * height))
    return float(boxes[whole > 0].mean())


def _filled(shape: tuple[int, ...], outlines: list[NDArray[np.float32]]) -> Mask:
    import cv2

    mask = np.zeros(shape, np.uint8)
    for outline in outlines:
        cv2.fillConvexPoly(mask, np.rint(outline).astype(np.int32), 1)
    return mask


def _disc(size: float) -> Mask:
    import cv2

    side = max(3, round(size)) | 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8)
