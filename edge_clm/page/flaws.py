"""What is wrong with a picture of a page, told by its print and not by the picture as a whole.

A sharp table top beneath a blurred page is no sharp page, and white paper is no glare: what counts is
how edges, light and size look where lines of text were found, in terms of their own height.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from edge_clm.page.geometry import Quads, shrunk, sides
from edge_clm.page.glare import has_glare
from edge_clm.page.print import Print, print_of
from edge_clm.paper import Flaw, Line
from edge_clm.types import Pixels

# Sharp print has edges of 7 and more, see `Print.sharpness`; below this the recogniser loses words.
_SOFT = 5.9
# The worse print is read, the less soft it must be to be called blurred: up to this, and how fast.
_SOFTISH, _SURE, _DOUBT = 8.0, 0.96, 20.0
# Grey levels between paper and ink below which words are lost to the camera's noise.
_PALE = 15.0
# A line's height in pixels below which the recogniser errs often.
_SMALL = 12.5
# As many lines with ink at one edge of the picture were cut there.
_CUT_LINES = 2
_UNLIT = 60
"""Grey level that the brightest parts of a picture stay below where there was no light to speak of."""
_LOOK = 1000
"""Longest side at which a whole picture is looked at."""
# A picture that shows something, by grey levels in all and in its details, and its steepest edges'
# share of them all: pictures of blank sheets have 0.18 and more, blurred pages less.
_SOMETHING, _DETAIL, _STEEP = 40.0, 8.0, 0.17


def flaws_of(pixels: Pixels, lines: Sequence[Line]) -> tuple[Flaw, ...]:
    """What is wrong with a picture, in the order of `Flaw`; empty where nothing is.

    `pixels` are the upright ones, uint8 (height, width, 3), RGB, and `lines` what was found on them.
    Costs some 30 ms whatever the picture's size.
    """
    if not lines:
        return _without_print(pixels)
    quads = np.array([line.quad for line in lines], np.float32)
    heights = sides(quads)[:, 1]
    found = print_of(pixels, lines)
    small = float(np.median(heights)) < _SMALL
    told = {
        # Print that is too small is soft as well, and focus is not to blame.
        Flaw.BLURRED: not small and _is_soft(found, lines),
        Flaw.GLARE: has_glare(*_reduced(pixels, quads)),
        Flaw.DARK: found.contrast < _PALE,
        Flaw.CUT_OFF: _is_cut(pixels, quads, heights, found.contrast),
        Flaw.TOO_SMALL: small,
    }
    return tuple(flaw for flaw in Flaw if told[flaw])


def _is_soft(found: Print, lines: Sequence[Line]) -> bool:
    sure = float(np.mean([line.confidence for line in lines]))
    return found.sharpness < min(_SOFT + _DOUBT * max(0.0, _SURE - sure), _SOFTISH)


def _reduced(pixels: Pixels, quads: Quads) -> tuple[Pixels, Quads]:
    """Every n-th pixel is enough to find patches, and costs nothing."""
    step = -(-max(pixels.shape) // _LOOK)
    return np.ascontiguousarray(pixels[::step, ::step]), quads / np.float32(step)


def _is_cut(pixels: Pixels, quads: Quads, heights: NDArray[np.float32], contrast: float) -> bool:
    """Whether several lines run with ink into one and the same edge of the picture.

    Tightly cropped scans have lines that come near an edge; ink that touches it was cut.
    """
    return any(
        sum(
            _has_ink(side, quad, height, contrast)
            for quad, height in zip(ends, heights, strict=True)
            if quad[:, 0].min() <= 0.2 * height
        )
        >= _CUT_LINES
        for side, ends in _sides(pixels, quads)
    )


def _sides(pixels: Pixels, quads: Quads) -> list[tuple[Pixels, Quads]]:
    """The picture and its lines four times over, so that each edge is the left one once."""
    height, width = pixels.shape[:2]
    across, down = quads, quads[:, :, ::-1]
    flipped = np.array([-1, 1], np.float32)
    turned = pixels.transpose(1, 0, 2)
    return [
        (pixels, across),
        (pixels[:, ::-1], across * flipped + np.array([width, 0], np.float32)),
        (turned, down),
        (turned[:, ::-1], down * flipped + np.array([height, 0], np.float32)),
    ]


def _has_ink(pixels: Pixels, quad: NDArray[np.float32], height: float, contrast: float) -> bool:
    """Whether a line's ink stands in the outermost tenth of its height at the left edge."""
    reach = max(2, round(0.1 * height))
    corners = quad[quad[:, 0] <= quad[:, 0].min() + 0.5 * height, 1]
    top, bottom = (int(np.clip(edge, 0, len(pixels))) for edge in (corners.min(), corners.max()))
    strip = pixels[top:bottom, :reach]
    if not strip.size:
        return False
    return float(np.ptp(np.percentile(strip.mean(axis=2), (2, 98)))) > 0.6 * contrast


def _without_print(pixels: Pixels) -> tuple[Flaw, ...]:
    """A page without a line is blank, or it cannot be read: what is dark or soft can be told."""
    import cv2

    picture, _ = shrunk(pixels, _LOOK)
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), np.float32)
    low, bright, high = np.percentile(grey, (0.5, 95, 99.5))
    if bright < _UNLIT:
        return (Flaw.DARK,)
    calm = np.asarray(cv2.GaussianBlur(grey, (0, 0), 0.7), np.float32)
    across, down = cv2.Sobel(calm, cv2.CV_32F, 1, 0) / 8, cv2.Sobel(calm, cv2.CV_32F, 0, 1) / 8
    steepest = float(np.percentile(np.hypot(across, down), 99.5))
    detail = float(np.percentile(np.abs(grey - cv2.GaussianBlur(grey, (0, 0), 4.0)), 99))
    shows = high - low >= _SOMETHING and detail >= _DETAIL
    return (Flaw.BLURRED,) if shows and steepest < _STEEP * (high - low) else ()
