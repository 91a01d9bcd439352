"""The strongest points of a picture, by which pages are recalled.

D. Lowe, Distinctive Image Features from Scale-Invariant Keypoints, 2004, on a small picture; of each descriptor
only which of its numbers are above their median is kept, 128 bits, which tell pages of print apart as well
as the numbers do and take an eighth of them.
"""

from __future__ import annotations

import cv2
import numpy as np

from edge_clm.features import CODE, FULL, Points
from edge_clm.page.geometry import shrunk
from edge_clm.types import Pixels

RECIPE = 1
"""Another number for other points or codes: those of one recipe can be compared."""
SIDE = 640
"""Pixels of the longest side that points are looked for on."""
MOST = 400
_TILES = 8
_CLIP = 2.0
_CONTRAST = 0.02


def points_of(pixels: Pixels) -> Points:
    """The points of a picture as it was captured, any way up, at most `MOST`; a blank one has none."""
    small, _ = shrunk(pixels, SIDE)
    grey = cv2.cvtColor(small, cv2.COLOR_RGB2GRAY)
    # Shadow and glare change the light over a page by more than print does.
    even = cv2.createCLAHE(_CLIP, (_TILES, _TILES)).apply(grey)
    found, descriptors = cv2.SIFT.create(MOST, contrastThreshold=_CONTRAST).detectAndCompute(
        even, None
    )
    if descriptors is None:
        return Points(np.zeros((0, CODE), np.uint8), np.zeros((0, 2), np.uint16))
    order = np.argsort([-one.response for one in found], kind="stable")[:MOST]
    rows = descriptors[order]
    codes = np.packbits(rows > np.median(rows, axis=1, keepdims=True), axis=1)
    # OpenCV counts from the middle of the first pixel.
    places = (np.array([found[at].pt for at in order]) + 0.5) / max(grey.shape) * FULL
    return Points(np.ascontiguousarray(codes), np.clip(places, 0, FULL).astype(np.uint16))
