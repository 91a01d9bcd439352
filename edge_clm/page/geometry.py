"""Lines of text as quadrangles: turning them, scaling them, cutting them out of a picture."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from edge_clm.paper import Quad
from edge_clm.types import Pixels

_Real = TypeVar("_Real", np.float32, np.float64)

Quads = NDArray[np.float32]
"""float32, (lines, 4, 2): corners as (x, y), clockwise from the top left of the text.

In pixels, counted from the picture's top left corner: its first pixel spans 0…1.
"""

Ribbon = NDArray[np.float32]
"""float32, (steps, 2, 2): a line of text that is bent, as points of its upper and its lower edge."""

_LONGEST = 32_000
"""Pixels of a straightened line; OpenCV makes none of more than 32 767."""
_LARGEST = 16_000_000
"""Pixels of it along times across."""

# A box this much taller than wide holds text that runs down the page, as PP-OCR has it.
TALL = 1.5


def crop(pixels: Pixels, quad: Quad) -> Pixels:
    """Cuts one line out of a picture and straightens it, so that its text reads left to right.

    The quad says where the text starts, so text that runs down the page comes out upright too.
    The result has the quad's own size in pixels, at least 1 × 1; beyond the picture's edge its edge
    is repeated.
    """
    import cv2

    points = np.asarray(quad, np.float32)
    width, height = (max(1, round(float(side))) for side in sides(points[None])[0])
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    window, corner = _window(pixels, points)
    # Coordinates name corners of pixels, OpenCV's their centres.
    matrix = cv2.getPerspectiveTransform(points - corner - 0.5, target - 0.5)
    flat = cv2.warpPerspective(
        window, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return np.ascontiguousarray(flat, np.uint8)


def unrolled(pixels: Pixels, ribbon: Ribbon) -> Pixels:
    """Cuts a bent line out of a picture and straightens it; otherwise as `crop`.

    Of no more pixels than any line has: what is laid over a picture wrongly may be of any size.
    """
    import cv2

    lengths = np.linalg.norm(np.diff(ribbon, axis=0), axis=2)
    high = np.linalg.norm(ribbon[:, 1] - ribbon[:, 0], axis=1)
    width = min(max(1, round(float(lengths.sum(axis=0).max()))), _LONGEST)
    height = min(max(1, round(float(high.mean()))), _LARGEST // width)
    points = ribbon.reshape(-1, 2)
    window, corner = _window(pixels, points)
    # Where each pixel's centre lies: along the line, whose steps need not be of one length, and across it.
    ends = np.concatenate([[0.0], np.cumsum(lengths.mean(axis=1))])
    along = (np.arange(width) + 0.5) / width * ends[-1]
    at = np.interp(along, ends, np.arange(len(ribbon)))
    step = np.minimum(at.astype(np.int64), len(ribbon) - 2)
    share = (at - step).astype(np.float32)[:, None, None]
    columns = ribbon[step] * (1 - share) + ribbon[step + 1] * share
    down = ((np.arange(height, dtype=np.float32) + 0.5) / height)[:, None, None]
    places = columns[None, :, 0] * (1 - down) + columns[None, :, 1] * down
    places = (places - corner - 0.5).astype(np.float32)
    flat = cv2.remap(
        window,
        places[..., 0],
        places[..., 1],
        interpolation=cv2.INTER_CUBIC,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.ascontiguousarray(flat, np.uint8)


def ribbon_of(quad: Quad) -> Ribbon:
    """A line that is straight."""
    a, b, c, d = quad
    return np.asarray([[a, d], [b, c]], np.float32)


def widened(ribbon: Ribbon, above: float, below: float) -> Ribbon:
    """A line with its edges moved outward by shares of its height; negative ones inward."""
    down = ribbon[:, 1] - ribbon[:, 0]
    edges = [ribbon[:, 0] - np.float32(above) * down, ribbon[:, 1] + np.float32(below) * down]
    return np.stack(edges, axis=1)


def lengthened(ribbon: Ribbon, aside: float) -> Ribbon:
    """A line made longer at either end, straight on, by so many of its heights."""
    high = float(np.linalg.norm(ribbon[:, 1] - ribbon[:, 0], axis=1).mean())
    first, last = ribbon[0] - ribbon[1], ribbon[-1] - ribbon[-2]
    steps = [np.linalg.norm(step, axis=1).mean() for step in (first, last)]
    before, after = (
        step * np.float32(aside * high / max(float(length), 1e-6))
        for step, length in zip((first, last), steps, strict=True)
    )
    return np.concatenate([(ribbon[0] + before)[None], ribbon, (ribbon[-1] + after)[None]])


def sides(quads: Quads) -> NDArray[np.float32]:
    """Width and height of each quad along its text: float32, (lines, 2), pixels."""
    edges = np.linalg.norm(np.roll(quads, -1, axis=1) - quads, axis=2)
    longest: NDArray[np.float32] = np.maximum(edges[:, :2], edges[:, 2:])
    return longest


def along_text(quads: Quads) -> Quads:
    """Lets the quads that text runs down start at the text's top left, not the picture's.

    A lone character is taller than wide as well, and stands upright all the same: a box no taller
    than one and a half lines of the page is left as it is.
    """
    if not len(quads):
        return quads
    width, height = sides(quads).T
    thickness = float(np.median(np.minimum(width, height)))
    down = (height >= TALL * width) & (height > 1.5 * thickness)
    return np.where(down[:, None, None], np.roll(quads, -1, axis=1), quads)


def turned(pixels: Pixels, turn: int) -> Pixels:
    """The picture turned clockwise by 0, 90, 180 or 270 degrees; C-contiguous."""
    return np.ascontiguousarray(np.rot90(pixels, -turn // 90))


def turned_points(points: NDArray[_Real], turn: int, width: float, height: float) -> NDArray[_Real]:
    """Where points, (points, 2), of a picture of that size lie once it was `turned`; negative turns it back."""
    x, y = points.T
    ways = {
        0: (x, y),
        90: (height - y, x),
        180: (width - x, height - y),
        270: (y, width - x),
    }
    return np.stack(ways[turn % 360], axis=-1)


def turned_quad(quad: Quad, turn: int, width: float, height: float) -> Quad:
    """Where a quad of a picture of that size lies once it was `turned`; its corners keep their order."""
    a, b, c, d = turned_points(np.array(quad, np.float64), turn, width, height).tolist()
    return (a[0], a[1]), (b[0], b[1]), (c[0], c[1]), (d[0], d[1])


def bgr(pixels: Pixels) -> Pixels:
    """The picture as OpenCV has it, blue first; C-contiguous."""
    return np.ascontiguousarray(pixels[:, :, ::-1])


def shrunk(pixels: Pixels, side: int) -> tuple[Pixels, float]:
    """The picture with its longest side at most `side`, and how many of its old pixels one holds."""
    import cv2

    height, width = pixels.shape[:2]
    scale = max(height, width) / side
    if scale <= 1:
        return pixels, 1.0
    size = (max(1, round(width / scale)), max(1, round(height / scale)))
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8), scale


def as_quad(points: NDArray[np.float32]) -> Quad:
    """One row of `Quads` as plain numbers."""
    a, b, c, d = ((float(x), float(y)) for x, y in points)
    return a, b, c, d


def _window(pixels: Pixels, points: NDArray[np.float32]) -> tuple[Pixels, NDArray[np.float32]]:
    """The part of the picture around a quad: OpenCV warps none of more than 32 767 pixels a side."""
    height, width = pixels.shape[:2]
    low = np.floor(points.min(axis=0)) - 2
    high = np.ceil(points.max(axis=0)) + 3
    left, top = (int(value) for value in np.clip(low, 0, [width - 1, height - 1]))
    right, bottom = (int(value) for value in np.clip(high, [left + 1, top + 1], [width, height]))
    return pixels[top:bottom, left:right], np.array([left, top], np.float32)
