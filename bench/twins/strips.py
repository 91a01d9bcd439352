"""A line of print cut out of a picture, its letters, and the line put back where it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from edge_clm.page.geometry import crop
from edge_clm.paper import Quad
from edge_clm.types import Pixels

HIGH = 48
"""Pixels of a strip's height at least: letters are parted better on more of them."""
_INK = 0.42
"""Of the way from paper to the darkest print: what is darker is ink."""
_GAP = 0.02
"""Share of the strip's height that parts letters at least."""
_EDGE = 0.08
"""Share of the strip's height that is paper above the letters, and below them."""


@dataclass(frozen=True, slots=True)
class Glyph:
    """One letter of a strip: the columns that its ink spans."""

    char: str
    left: int
    right: int


@dataclass(frozen=True, slots=True, eq=False)
class Strip:
    """A line of print, straightened."""

    text: str
    place: Quad
    """Where it lies on the picture."""
    pixels: Pixels
    glyphs: tuple[Glyph, ...]
    """Letters in order, spaces left out."""

    def cell(self, glyph: Glyph) -> Pixels:
        """A letter as high as the strip."""
        return self.pixels[:, glyph.left : glyph.right]


def strip_of(picture: Pixels, text: str, place: Quad) -> Strip | None:
    """The strip of a line; None where its ink does not part into as many letters as the text has.

    Letters that touch, or consist of parts side by side, cannot be told apart.
    """
    flat = crop(picture, place)
    grown = max(1.0, HIGH / flat.shape[0])
    size = round(flat.shape[1] * grown), round(flat.shape[0] * grown)
    pixels = np.asarray(cv2.resize(flat, size, interpolation=cv2.INTER_CUBIC), np.uint8)
    chars = [char for char in text if not char.isspace()]
    runs = list(_runs(np.asarray(ink(pixels).any(axis=0)), max(1, round(_GAP * size[1]))))
    if not chars or len(runs) != len(chars):
        return None
    glyphs = tuple(
        Glyph(char, left, right) for char, (left, right) in zip(chars, runs, strict=True)
    )
    return Strip(text, place, pixels, glyphs)


def put_back(picture: Pixels, strip: Strip, changed: Pixels) -> Pixels:
    """The picture with a strip where it has changed, and otherwise as it was."""
    height, width = strip.pixels.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    place = np.asarray(strip.place, np.float32)
    # Coordinates name corners of pixels, OpenCV's their centres.
    way = cv2.getPerspectiveTransform(corners - 0.5, place - 0.5)
    size = picture.shape[1], picture.shape[0]
    # What changes is taken over whole: its difference alone would leave the rims of the old letters.
    differs = (changed != strip.pixels).any(axis=2).astype(np.uint8)
    mask = cv2.dilate(differs, np.ones((5, 5), np.uint8)).astype(np.float32)
    share = cv2.warpPerspective(mask, way, size, flags=cv2.INTER_LINEAR)[..., None]
    carried = cv2.warpPerspective(
        changed, way, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(np.rint(picture * (1 - share) + carried * share), np.uint8)


def ink(pixels: Pixels) -> NDArray[np.bool_]:
    """Which pixels are print, dark on light or light on dark."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).astype(np.float32)
    # Light that changes along the line is no print; above and below the letters there is paper.
    edge = max(1, round(_EDGE * grey.shape[0]))
    rows = np.median(np.concatenate([grey[:edge], grey[-edge:]]), axis=0, keepdims=True)
    paper = cv2.GaussianBlur(rows, (0, 0), max(1.0, grey.shape[0] / 2))
    away = np.abs(grey - paper)
    return np.asarray(away > _INK * max(float(np.percentile(away, 99.5)), 12.0))


def _runs(columns: NDArray[np.bool_], gap: int) -> Iterator[tuple[int, int]]:
    """Stretches of true columns, those joined that less than a gap parts."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], columns.astype(np.int8), [0]])))
    found: list[tuple[int, int]] = []
    for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if found and start - found[-1][1] < gap:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    yield from found
