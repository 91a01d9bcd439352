"""Where a picture is darker than the paper around it: what is left of print when light is taken away."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from edge_clm.page.geometry import shrunk
from edge_clm.types import Pixels

RECIPE = 1
"""Another number for another way of making and levelling it: a model has learnt from one."""
SIDE = 448
"""Pixels of the longest side, at most."""
_STROKE = 21
"""Pixels; what is narrower than this is print, what is wider is paper, table or shadow."""
_FAINT = 0.08
"""Darker than paper by less than this, print is left as faint as it is: it may be noise."""

Ink = NDArray[np.uint8]
"""uint8, (height, width), C-contiguous; 0 is paper, 255 the darkest print of the picture."""


def ink_of(pixels: Pixels) -> Ink:
    """The print of a picture as light and colour of its light leave it, made smaller."""
    small, _ = shrunk(pixels, SIDE)
    grey = cv2.cvtColor(small, cv2.COLOR_RGB2GRAY)
    kernel = np.ones((_STROKE, _STROKE), np.uint8)
    paper = cv2.GaussianBlur(cv2.morphologyEx(grey, cv2.MORPH_CLOSE, kernel), (0, 0), _STROKE / 3)
    light = paper.astype(np.float32)
    darker = (light - grey) / np.maximum(light, 1)
    darkest = max(float(np.percentile(darker, 97)), _FAINT)
    return np.ascontiguousarray(np.clip(darker / darkest, 0, 1) * 255, np.uint8)
