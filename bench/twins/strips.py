"""A line of print cut out of a picture, its letters, and the line put back where it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from edge_clm.page.geometry import crop
from edge_clm.paper import Point, Quad
from edge_clm.types import Pixels, Reading

Recognise = Callable[[Sequence[Pixels]], list[Reading]]

HIGH = 48
"""Pixels of a strip's height at least: letters are parted better on more of them."""
_INK = 0.42
"""Of the way from paper to the darkest print: what is darker is ink."""
_EDGE = 0.08
"""Share of the strip's height that is paper above the letters, and below them."""
_STEP = 8 / 48
"""How far one of the recogniser's steps reaches along a line, in heights of the line."""
_BESIDE = 0.6
"""Heights of the line that a strip reaches beyond it on either side, so that there is room for a letter."""
_APART = 0.1
"""Share of the strip's height by which parts of one letter may lie apart."""
_SURE = 0.7
"""Probability of a reading that is taken for what is printed."""
_WHOLE = 0.9
"""Share of a digit's ink that hangs together."""
_SPECK = 0.06
"""Share of a letter's ink that is no part of it where it hangs together with nothing else."""
_TOUCH = 0.06
"""Share of the strip's height that two letters may touch each other over and still be parted."""


@dataclass(frozen=True, slots=True)
class Peak:
    """A letter as the recogniser has it."""

    char: str
    at: float
    """Column of the strip."""
    sure: float
    """0…1."""


@dataclass(frozen=True, slots=True)
class Glyph:
    """One letter of a strip: the columns that its ink spans."""

    char: str
    left: int
    right: int
    alone: bool
    """False where it is not sure what ink is its own."""

    @property
    def wide(self) -> int:
        """Columns of its ink."""
        return self.right - self.left


@dataclass(frozen=True, eq=False)
class Strip:
    """A line of print, straightened."""

    text: str
    place: Quad
    """Where it lies on the picture."""
    pixels: Pixels
    glyphs: tuple[Glyph, ...]
    """Letters in order, spaces left out."""

    def at(self, x: float, y: float) -> Point:
        """Where a point of the strip lies on the picture."""
        high, wide = self.pixels.shape[:2]
        a, b, c, d = self.place
        return _between(_between(a, b, x / wide), _between(d, c, x / wide), y / high)

    @cached_property
    def light(self) -> NDArray[np.float32]:
        """How much of the paper's light its print leaves, by channel: 1 where there is none.

        More than 1 where print is lighter than the paper.
        """
        return np.where(_rimmed(ink(self.pixels))[..., None], self._left, 1).astype(np.float32)

    @cached_property
    def bright(self) -> bool:
        """Whether its print is lighter than the paper."""
        print_ = ink(self.pixels)
        return bool(print_.any() and self.light[print_].mean() > 1)

    def cell(self, glyph: Glyph) -> NDArray[np.float32]:
        """What a letter leaves of the light, as high as the strip; its neighbours and specks are left out."""
        own = ink(self.pixels)
        own[:, : glyph.left] = own[:, glyph.right :] = False
        _, parts, stats, _ = cv2.connectedComponentsWithStats(own.astype(np.uint8))
        specks = np.flatnonzero(stats[:, cv2.CC_STAT_AREA] < _SPECK * max(int(own.sum()), 1))
        own[np.isin(parts, specks)] = False
        cell = slice(max(0, glyph.left - 2), glyph.right + 2)
        print_ = _rimmed(own)[:, cell, None]
        return np.where(print_, self._left[:, cell], 1).astype(np.float32)

    def remaining(self, glyph: Glyph, after: Pixels) -> float:
        """How much of a letter's contrast is left on another picture of the strip, 0…1 and more."""
        own = ink(self.pixels)
        own[:, : glyph.left] = own[:, glyph.right :] = False
        return float(_away(after)[own].max() / max(float(_away(self.pixels)[own].max()), 1.0))

    @cached_property
    def _left(self) -> NDArray[np.float32]:
        """Each pixel as a share of the paper's brightness there."""
        whole = self.pixels.astype(np.float32)
        return np.asarray(whole / np.maximum(_paper(whole), 1), np.float32)


def strips_of(
    picture: Pixels, places: Sequence[Quad], recognise: Recognise, alphabet: Sequence[str]
) -> list[Strip]:
    """The strips of lines of print; those are left out that cannot be taken apart.

    Where its letters lie is asked of the recogniser, step by step, and where they end of their ink.
    """
    readings = recognise([crop(picture, place) for place in places])
    found = [
        _strip(picture, place, reading, alphabet)
        for place, reading in zip(places, readings, strict=True)
    ]
    return [strip for strip in found if strip]


def _strip(picture: Pixels, place: Quad, reading: Reading, alphabet: Sequence[str]) -> Strip | None:
    wider = _wider(place)
    flat = crop(picture, wider)
    grown = max(1.0, HIGH / flat.shape[0])
    size = round(flat.shape[1] * grown), round(flat.shape[0] * grown)
    beside = _BESIDE * size[1]
    pixels = np.asarray(cv2.resize(flat, size, interpolation=cv2.INTER_CUBIC), np.uint8)
    letters = list(_letters(reading.probabilities, alphabet))
    # The reader may have mended the text, and then it is not known which letter stands where.
    if "".join(char for char, _, _ in letters) != reading.text:
        return None
    peaks = [
        Peak(char, beside + at * _STEP * size[1], sure)
        for char, at, sure in letters
        if not char.isspace()
    ]
    glyphs = tuple(_glyphs(ink(pixels), peaks))
    return Strip(reading.text.strip(), wider, pixels, glyphs) if glyphs else None


def _letters(
    probabilities: NDArray[np.float32], alphabet: Sequence[str]
) -> Iterator[tuple[str, float, float]]:
    """What the recogniser spells, about which step, and how surely."""
    best = probabilities.argmax(axis=1)
    edges = np.flatnonzero(np.diff(best)) + 1
    for steps in np.split(np.arange(len(best)), edges):
        if label := best[steps[0]]:
            sure = float(probabilities[steps, label].max())
            yield alphabet[label - 1], float(steps.mean()) + 0.5, sure


def _glyphs(print_: NDArray[np.bool_], peaks: Sequence[Peak]) -> Iterator[Glyph]:
    """Each letter's ink: `print_` says where there is any."""
    high, wide = print_.shape
    columns = print_.sum(axis=0)
    middles = [min(max(round(peak.at), 0), wide - 1) for peak in peaks]
    cuts = [_cut(columns, left, right) for left, right in pairwise(middles)]
    edges = [0, *cuts, wide]
    touching = [0, *(int(columns[cut]) for cut in cuts), 0]
    for at, peak in enumerate(peaks):
        left, right = _around(columns, edges[at], edges[at + 1], middles[at], _APART * high)
        parted = left < right and max(touching[at], touching[at + 1]) <= _TOUCH * high
        alone = parted and peak.sure >= _SURE and _is_shaped(peak.char, print_[:, left:right])
        yield Glyph(peak.char, left, right, alone)


def _is_shaped(char: str, print_: NDArray[np.bool_]) -> bool:
    """Whether ink can be that of a letter: creases and rules are not, and some readings are wrong."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(print_.astype(np.uint8))
    parts = stats[1:, cv2.CC_STAT_AREA]
    rows = np.flatnonzero(print_.any(axis=1))
    tall = float(rows[-1] - rows[0] + 1) / len(print_)
    if char.isdigit():
        return bool(parts.max() >= _WHOLE * parts.sum() and 0.35 <= tall < 1)
    if char.isalpha():
        return 0.25 <= tall < 1
    if char in "-−.,":
        low = tall < 0.25 if char in "-−" else tall < 0.4
        return bool(low and parts.max() >= _WHOLE * parts.sum())
    return True


def _cut(columns: NDArray[np.int64], left: int, right: int) -> int:
    """The column that parts two letters: the middle of the widest one of those with least ink."""
    between = columns[left : right + 1]
    if not len(between):
        return left
    runs = list(_runs(between == between.min()))
    start, end = max(runs, key=lambda run: run[1] - run[0])
    return left + (start + end) // 2


def _around(
    columns: NDArray[np.int64], start: int, end: int, middle: int, apart: float
) -> tuple[int, int]:
    """The ink about a column, with parts that lie within `apart` of it; nothing where there is none."""
    runs = [(start + left, start + right) for left, right in _runs(columns[start:end] > 0)]
    if not runs:
        return middle, middle
    first = min(runs, key=lambda run: max(run[0] - middle, middle - run[1], 0))
    left, right = first
    for one in sorted(runs, key=lambda run: abs(run[0] - middle)):
        if one[0] - right <= apart and left - one[1] <= apart:
            left, right = min(left, one[0]), max(right, one[1])
    return left, right


def put_back(picture: Pixels, strip: Strip, changed: Pixels) -> Pixels:
    """The picture with a strip where it has changed, and otherwise as it was."""
    height, width = strip.pixels.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    place = np.asarray(strip.place, np.float32)
    low = np.maximum(np.floor(place.min(axis=0)).astype(int) - 2, 0)
    high = np.minimum(np.ceil(place.max(axis=0)).astype(int) + 2, picture.shape[1::-1])
    if (low >= high).any():
        return picture
    size = int(high[0] - low[0]), int(high[1] - low[1])
    # Coordinates name corners of pixels, OpenCV's their centres.
    way = cv2.getPerspectiveTransform(corners - 0.5, place - low.astype(np.float32) - 0.5)
    # What changes is taken over whole: its difference alone would leave the rims of the old letters.
    differs = (changed != strip.pixels).any(axis=2).astype(np.uint8)
    mask = cv2.dilate(differs, np.ones((5, 5), np.uint8)).astype(np.float32)
    share = cv2.warpPerspective(mask, way, size, flags=cv2.INTER_LINEAR)[..., None]
    carried = cv2.warpPerspective(
        changed, way, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    result = picture.copy()
    window = result[low[1] : high[1], low[0] : high[0]]
    window[:] = np.rint(window * (1 - share) + carried * share).astype(np.uint8)
    return result


def _rimmed(print_: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Print with the rims of its letters, which are half paper."""
    return np.asarray(cv2.dilate(print_.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0)


def ink(pixels: Pixels) -> NDArray[np.bool_]:
    """Which pixels are print, dark on light or light on dark."""
    away = _away(pixels)
    return np.asarray(away > _INK * max(float(np.percentile(away, 99.5)), 12.0))


def contrast(pixels: Pixels) -> float:
    """Levels of 255 between the paper of a strip and its boldest print."""
    return float(np.percentile(_away(pixels), 99.5))


def _away(pixels: Pixels) -> NDArray[np.float32]:
    """How far each pixel is from the paper in the channel that tells most, levels of 255."""
    whole = pixels.astype(np.float32)
    return np.asarray(np.abs(whole - _paper(whole)).max(axis=2), np.float32)


def _paper(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    """How bright the paper is along a line: (1, width, …)."""
    # Light that changes along the line is no print; above and below the letters there is paper.
    edge = max(1, round(_EDGE * pixels.shape[0]))
    rows = np.median(np.concatenate([pixels[:edge], pixels[-edge:]]), axis=0, keepdims=True)
    even = cv2.GaussianBlur(rows, (0, 0), max(1.0, pixels.shape[0] / 2))
    return np.asarray(even, np.float32).reshape(rows.shape)


def _wider(place: Quad) -> Quad:
    """A line's place with room at its beginning and at its end."""
    a, b, c, d = place
    share = _BESIDE * float(np.hypot(d[0] - a[0], d[1] - a[1]) / np.hypot(b[0] - a[0], b[1] - a[1]))
    return (
        *(_between(a, b, -share), _between(a, b, 1 + share)),
        *(_between(d, c, 1 + share), _between(d, c, -share)),
    )


def _between(one: Point, other: Point, share: float) -> Point:
    return one[0] + (other[0] - one[0]) * share, one[1] + (other[1] - one[1]) * share


def _runs(columns: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Stretches of true columns."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], columns.astype(np.int8), [0]])))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
