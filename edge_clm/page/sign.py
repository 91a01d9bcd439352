"""Ink before a number where the known look has none: a minus sign is small, and recognisers overlook it."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from edge_clm.types import Pixels

HIGH: Final = 32
"""Pixels of a line's height at which two looks at a number are compared."""
AROUND: Final = 0.15
"""Line heights above and below the number that a look takes in."""
ASIDE: Final = 1.0
"""Line heights at either end."""
_ROWS = (0.3, 0.85)
"""Where across the line a sign stands, in line heights from its top."""
_COLUMNS = (-0.9, 0.15)
"""Where along it, in line heights from the number's first digit, whose own place is only roughly known."""
_SOFT = 0.8
_PAPER, _SMOOTH = 13, 6.0
"""Pixels in which light is found beside print, and over which it is smoothed."""
_DARK = 4.0
"""Grey levels below which a share of light is noise."""
_STROKE = (5, 3)
"""Pixels along and across of what counts as a stroke."""
_STRAY = 2
"""Pixels by which two looks may lie apart."""
_INKED = 92.0
"""Percentile of a number's darkness that is the darkness of its ink."""
_NO_INK = 0.02

_Field = NDArray[np.float32]


def sign(known: Pixels, seen: Pixels) -> float:
    """The most ink before a number that the known look does not explain, as a share of what its print has.

    Both looks are straightened, laid over each other and of one size, (round(HIGH · (1 + 2 · AROUND)), width, 3), with
    `ASIDE` at either end. About 0 where nothing was added; 0.5 for a usual minus sign.
    """
    one, other = _strokes(known), _strokes(seen)
    near = cv2.dilate(one, np.ones((2 * _STRAY + 1, 2 * _STRAY + 1), np.uint8))
    top, left = HIGH * AROUND, HIGH * ASIDE
    rows = slice(*(round(top + HIGH * share) for share in _ROWS))
    columns = slice(*(round(left + HIGH * share) for share in _COLUMNS))
    return float((other - near)[rows, columns].max())


def _strokes(look: Pixels) -> _Field:
    """How dark each place is, (height, width), as a share of the number's own ink."""
    grey = cv2.GaussianBlur(
        cv2.cvtColor(look, cv2.COLOR_RGB2GRAY).astype(np.float32), (0, 0), _SOFT
    )
    paper = cv2.dilate(grey, np.ones((_PAPER, _PAPER), np.uint8))
    light = cv2.GaussianBlur(paper, (0, 0), _SMOOTH)
    dark = 1 - (grey + _DARK) / (light + _DARK)
    top, left = round(HIGH * AROUND), round(HIGH * ASIDE)
    number = dark[top : top + HIGH, left : max(left + 8, look.shape[1] - left)]
    ink = float(np.percentile(number, _INKED)) + _NO_INK
    return np.asarray(cv2.blur(dark / np.float32(ink), _STROKE), np.float32)
