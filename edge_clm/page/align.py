"""A line of print laid exactly over the same line of another capture."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from edge_clm.page.geometry import Ribbon, lengthened, unrolled, widened
from edge_clm.types import Pixels

_HIGH = 20
"""Pixels of a line's height at which lines are compared."""
_SOFT = 2.0
"""Pixels by which print is blurred before it is laid over other print: so it is drawn from farther away."""
_STEPS, _STILL = 60, 1e-4
_MOST = 0.35
"""By how much a stretch may be turned, sheared or scaled: what needs more was not found."""
_UP, _ALONG = 0.6, 1.0
"""Line heights by which a line may lie off across and along: less than the way to the next line."""


def aligned(known: Pixels, capture: Pixels, ribbon: Ribbon) -> tuple[Ribbon, float]:
    """The ribbon moved to where the known line is seen best, and how alike they are there, -1…1.

    `known`: the line as cut from the page, straightened. A line of even grey is alike to nothing, and
    stays where it is.
    """
    wide = max(4, round(known.shape[1] * _HIGH / known.shape[0]))
    line = _even(cv2.resize(known, (wide, _HIGH), interpolation=cv2.INTER_AREA))
    along = _ALONG * _HIGH / wide
    around = unrolled(capture, widened(lengthened(ribbon, _ALONG), _UP, _UP))
    size = (round(wide * (1 + 2 * along)), round(_HIGH * (1 + 2 * _UP)))
    field = _even(cv2.resize(around, size, interpolation=cv2.INTER_AREA))
    if line.std() < 1 or field.std() < 1:
        return ribbon, 0.0
    alike = cv2.matchTemplate(field, line, cv2.TM_CCOEFF_NORMED)
    row, column = np.unravel_index(int(alike.argmax()), alike.shape)
    right = column / wide - along
    down = row / _HIGH - _UP
    moved = _along(widened(ribbon, -down, down), right)
    return moved, float(alike[row, column])


def settled(known: Pixels, seen: Pixels) -> Pixels:
    """The seen stretch turned, sheared and scaled so that it lies over the known one, of the same size.

    What only one of the two bears moves nothing that counts: six numbers cannot follow a pen. A stretch
    that is like the known one in nothing stays as it is. After G. Evangelidis and E. Psarakis, Parametric
    Image Alignment Using Enhanced Correlation Coefficient Maximization, 2008.
    """
    one, other = (cv2.GaussianBlur(_even(each), (0, 0), _SOFT) for each in (known, seen))
    enough = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, _STEPS, _STILL)
    start = np.eye(2, 3, dtype=np.float32)
    try:
        _, found = cv2.findTransformECC(one, other, start, cv2.MOTION_AFFINE, enough, None, 1)
    except cv2.error:
        # How OpenCV says that it went astray.
        return seen
    if np.abs(found[:, :2] - np.eye(2)).max() > _MOST:
        return seen
    moved = cv2.warpAffine(
        seen,
        found,
        known.shape[1::-1],
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(moved, np.uint8)


def _even(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Grey, without what light does over more than a line's height."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).astype(np.float32)
    return np.asarray(grey - cv2.GaussianBlur(grey, (0, 0), _HIGH / 2), np.float32)


def _along(ribbon: Ribbon, share: float) -> Ribbon:
    """The ribbon moved along itself by a share of its length."""
    way = (ribbon[-1] - ribbon[0]).mean(axis=0) * np.float32(share)
    return np.asarray(ribbon + way, np.float32)
