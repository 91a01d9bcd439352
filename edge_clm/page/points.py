"""The strongest points of a picture, by which pages are recalled.

D. Lowe, Distinctive Image Features from Scale-Invariant Keypoints, 2004, on a small picture; of each descriptor
only which of its numbers are above their median is kept, 128 bits, which tell pages of print apart as well
as the numbers do and take an eighth of them.
"""

from __future__ import annotations

import numpy as np

from edge_clm.features import FULL, Points
from edge_clm.page.keypoints import strongest
from edge_clm.types import Pixels

RECIPE = 1
"""Another number for other points or codes: those of one recipe can be compared."""
SIDE = 640
"""Pixels of the longest side that points are looked for on."""
MOST = 400


def points_of(pixels: Pixels) -> Points:
    """The points of a picture as it was captured, any way up, at most `MOST`; a blank one has none."""
    points, descriptors = strongest(pixels, SIDE, MOST)
    codes = np.packbits(descriptors > np.median(descriptors, axis=1, keepdims=True), axis=1)
    places = points / max(pixels.shape[:2]) * FULL
    return Points(codes, np.clip(places, 0, FULL).astype(np.uint16))
