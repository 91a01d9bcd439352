"""Letters of a line of print as pixels: where each stands, and another of the same page in its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from edge_clm.types import Pixels

_INK = 0.35
"""Of the way from paper to the darkest print: what is darker is ink."""
_ALIKE = 0.08
"""Share by which heights of lines may differ for their letters to be exchanged."""
_WIDER = 1.35
"""Times the width of the letter that goes which the one that comes may have."""
_PAD = 1

Box = tuple[int, int, int, int]
"""Left, top, right, bottom; pixels."""


@dataclass(frozen=True, slots=True)
class Glyph:
    """One letter on a page."""

    char: str
    box: Box
    """As wide as its ink, as high as its line."""


@dataclass(frozen=True, slots=True)
class Print:
    """A word on a page, and its letters."""

    text: str
    box: Box
    glyphs: tuple[Glyph, ...]


def print_of(page: Pixels, text: str, box: Box) -> Print | None:
    """The letters of a word of an upright page; None where its ink does not part into them.

    A letter that consists of several parts side by side, or two that touch, cannot be told apart.
    """
    left, top, right, bottom = box
    ink = _ink(page[top:bottom, left:right])
    runs = list(_runs(np.asarray(ink.any(axis=0))))
    chars = [char for char in text if not char.isspace()]
    if not chars or len(runs) != len(chars):
        return None
    glyphs = tuple(
        Glyph(char, (left + start, top, left + end, bottom))
        for char, (start, end) in zip(chars, runs, strict=True)
    )
    return Print(text, box, glyphs)


def donors(words: Sequence[Print]) -> Mapping[str, tuple[Glyph, ...]]:
    """All letters of a page, by what they are."""
    found: dict[str, list[Glyph]] = {}
    for word in words:
        for glyph in word.glyphs:
            found.setdefault(glyph.char, []).append(glyph)
    return {char: tuple(glyphs) for char, glyphs in found.items()}


def fitting(glyph: Glyph, others: Sequence[Glyph]) -> Glyph | None:
    """The letter of a line of the same height that is nearest on the page and not too wide."""
    width, height = glyph.box[2] - glyph.box[0], glyph.box[3] - glyph.box[1]
    near = [
        other
        for other in others
        if abs((other.box[3] - other.box[1]) / height - 1) <= _ALIKE
        and other.box[2] - other.box[0] <= _WIDER * width
    ]
    if not near:
        return None
    return min(near, key=lambda it: abs(it.box[1] - glyph.box[1]) + abs(it.box[0] - glyph.box[0]))


def replaced(page: Pixels, glyph: Glyph, donor: Glyph) -> Pixels:
    """The page with a letter of its own in another's place."""
    bare = erased(page, glyph.box)
    left, top, right, bottom = glyph.box
    source = page[donor.box[1] : donor.box[3], donor.box[0] : donor.box[2]]
    stamp = _opacity(source)
    high = bottom - top
    wide = max(1, round(stamp.shape[1] * high / stamp.shape[0]))
    stamp = cv2.resize(stamp, (wide, high), interpolation=cv2.INTER_AREA)
    start = (left + right) // 2 - wide // 2
    place = bare[top:bottom, start : start + wide]
    stamp = stamp[:, : place.shape[1]]
    bare[top:bottom, start : start + wide] = np.clip(place * stamp, 0, 255).astype(np.uint8)
    return bare


def erased(page: Pixels, box: Box) -> Pixels:
    """The page with the print in a box gone: what lies around it grows over it."""
    left, top, right, bottom = box
    mask = np.zeros(page.shape[:2], np.uint8)
    ink = _ink(page[top:bottom, left:right]).astype(np.uint8)
    mask[top:bottom, left:right] = cv2.dilate(ink, np.ones((3, 3), np.uint8), iterations=2)
    pad = 3 * (bottom - top)
    y0, y1 = max(0, top - pad), min(page.shape[0], bottom + pad)
    x0, x1 = max(0, left - pad), min(page.shape[1], right + pad)
    bare = page.copy()
    bare[y0:y1, x0:x1] = cv2.inpaint(page[y0:y1, x0:x1], mask[y0:y1, x0:x1], 3, cv2.INPAINT_TELEA)
    return bare


def _opacity(crop: Pixels) -> NDArray[np.float32]:
    """How much of the paper's light each pixel leaves, by channel: 1 where there is no ink."""
    paper = np.percentile(crop.reshape(-1, crop.shape[-1]), 90, axis=0).astype(np.float32)
    light = crop.astype(np.float32) / np.maximum(paper, 1)
    return np.asarray(np.minimum(light, 1.0), np.float32)


def _ink(crop: Pixels) -> NDArray[np.bool_]:
    """Which pixels are print, dark on light or light on dark."""
    grey = cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY).astype(np.float32)
    edge = np.concatenate([grey[:_PAD].ravel(), grey[-_PAD:].ravel()])
    paper = float(np.median(edge))
    away = np.abs(grey - paper)
    return np.asarray(away > _INK * max(float(away.max()), 1.0))


def _runs(columns: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Stretches of true columns."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], columns.astype(np.int8), [0]])))
    yield from ((int(start), int(end)) for start, end in zip(edges[::2], edges[1::2], strict=True))
