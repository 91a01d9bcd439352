"""How print looks where lines of text were found: how sharp, and how dark on its paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edge_clm.page.geometry import crop, sides
from edge_clm.paper import Line, Quad
from edge_clm.types import Pixels

# How many lines are looked at, how much of each in line heights, and how tall each is at most.
_LINES = 20
_REACH = 8
_TALL = 48
# What noise there is in single pixels is no sharpness.
_CALM = 0.7


@dataclass(frozen=True, slots=True)
class Print:
    """The middle one of the lines, in each respect."""

    sharpness: float
    """Slope of edges in the direction in which they are softest, so that a smear shows as well.

    Root mean square over the line, of its standard deviation in grey levels, per line height.
    """
    contrast: float
    """Grey levels between paper and ink."""


def print_of(pixels: Pixels, lines: Sequence[Line]) -> Print:
    """Looks at lines spread over the page, longer ones than two characters where there are any."""
    telling = [line for line in lines if len(line.text) > 2] or list(lines)
    chosen = np.unique(np.linspace(0, len(telling) - 1, _LINES).astype(int))
    looks = [_look(_grey(pixels, telling[index].quad)) for index in chosen]
    sharpness, contrast = np.median(looks, axis=0)
    return Print(float(sharpness), float(contrast))


def _grey(pixels: Pixels, quad: Quad) -> NDArray[np.float32]:
    """The beginning of a line, straightened; float32, (height, width), 0…255."""
    import cv2

    cut = crop(pixels, _beginning(quad))
    grey = cv2.cvtColor(cut, cv2.COLOR_RGB2GRAY)
    height, width = grey.shape
    if height > _TALL:
        size = (max(2, round(width * _TALL / height)), _TALL)
        grey = cv2.resize(grey, size, interpolation=cv2.INTER_AREA)
    whole = np.pad(grey, [(0, max(0, 2 - side)) for side in grey.shape], mode="edge")
    return np.asarray(whole, np.float32)


def _beginning(quad: Quad) -> Quad:
    width, height = (float(side[0]) for side in sides(np.array([quad], np.float32)).T)
    share = min(1.0, _REACH * height / max(width, 1.0))
    a, b, c, d = quad
    along = (a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share)
    below = (d[0] + (c[0] - d[0]) * share, d[1] + (c[1] - d[1]) * share)
    return a, along, below, d


def _look(grey: NDArray[np.float32]) -> tuple[float, float]:
    import cv2

    low, high = np.percentile(grey, (5, 95))
    calm = np.asarray(cv2.GaussianBlur(grey, (0, 0), _CALM), np.float32)
    across, down = calm[1:, 1:] - calm[1:, :-1], calm[1:, 1:] - calm[:-1, 1:]
    mixed = float((across * down).mean())
    slopes = [[float((across**2).mean()), mixed], [mixed, float((down**2).mean())]]
    softest = max(0.0, float(np.linalg.eigvalsh(slopes)[0]))
    return grey.shape[0] * float(np.sqrt(softest / max(float(calm.var()), 1.0))), float(high - low)
