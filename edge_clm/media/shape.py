"""Whether a page of a given size is accepted, asked before any of its pixels are unpacked."""

from __future__ import annotations

from edge_clm.config import Limits
from edge_clm.errors import ImageShapeUnusable, ImageTooManyPixels


def check_shape(width: int, height: int, limits: Limits) -> None:
    """Checks a page's size in pixels against the limits.

    Raises ImageTooManyPixels, or ImageShapeUnusable for a page too small or too narrow.
    """
    if width * height > limits.max_pixels:
        raise ImageTooManyPixels(
            f"the picture has {width} x {height} pixels; at most {limits.max_pixels} are accepted"
        )
    short, long = sorted((width, height))
    if short < limits.min_side:
        raise ImageShapeUnusable(
            f"the picture has {width} x {height} pixels; a side needs {limits.min_side}"
        )
    if long > short * limits.max_ratio:
        raise ImageShapeUnusable(
            f"the picture has {width} x {height} pixels; one side may be at most "
            f"{limits.max_ratio} times the other"
        )
