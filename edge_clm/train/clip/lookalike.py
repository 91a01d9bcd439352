"""A sheet that could be from the same shop: laid out like another, with other words and lines."""

from __future__ import annotations

from random import Random

import numpy as np

from edge_clm.page.geometry import shrunk
from edge_clm.train.pages.page import Box, GeneratedPage, around
from edge_clm.types import Pixels

_EXCHANGED = 0.7
"""Share of the words that change places."""
_LIKE_HEIGHT = 1.2
_LIKE_PAPER = 12
"""Levels between the papers of two words that may change places."""
_LINES = (1, 5)
"""How many lines, about, are lifted out or printed twice."""


def lookalike(page: GeneratedPage, side: int, rng: Random) -> Pixels:
    """The page, its longest side at most `side` pixels, as another document of its kind would look.

    Words of one size have changed places, and lines are fewer or more; nobody could read it, nor has
    to: it is for pictures too small to read.
    """
    small, scale = shrunk(page.image, side)
    boxes = [_scaled(around([word.quad]), scale) for word in page.words]
    sheet = small.copy()
    changing = rng.sample(boxes, round(_EXCHANGED * len(boxes)))
    for one, other in zip(changing[::2], changing[1::2], strict=False):
        _exchange(sheet, one, other)
    return _relined(sheet, rng.choice(boxes), rng) if boxes else sheet


def _exchange(sheet: Pixels, one: Box, other: Box) -> None:
    first, second = _cut(sheet, one), _cut(sheet, other)
    if not first.size or not second.size:
        return
    heights = sorted((first.shape[0], second.shape[0]))
    papers = [np.median(cut, axis=(0, 1)) for cut in (first, second)]
    if heights[1] > _LIKE_HEIGHT * heights[0] or np.abs(papers[0] - papers[1]).max() > _LIKE_PAPER:
        return
    for (left, top, _, _), old, new in ((one, first, second), (other, second, first)):
        x, y = round(left), round(top)
        sheet[y : y + old.shape[0], x : x + old.shape[1]] = np.median(old, axis=(0, 1))
        room = sheet[y : y + new.shape[0], x : x + new.shape[1]]
        room[:] = new[: room.shape[0], : room.shape[1]]


def _relined(sheet: Pixels, at: Box, rng: Random) -> Pixels:
    """The sheet with a band of lines lifted out or printed twice; its height stays where it can."""
    top, pitch = round(at[1]), max(2.0, (at[3] - at[1]) * 1.4)
    band = min(round(pitch * rng.randint(*_LINES)), len(sheet) // 4, len(sheet) - top)
    if rng.random() < 0.5:
        blank = np.repeat(sheet[-1:], band, axis=0)
        return np.concatenate([sheet[:top], sheet[top + band :], blank])
    longer = np.concatenate([sheet[: top + band], sheet[top:]])
    foot = longer[len(sheet) :]
    # Where the foot of the sheet is blank, what is pushed over its edge is not missed.
    return longer[: len(sheet)] if foot.size and int(np.ptp(foot)) < _LIKE_PAPER else longer


def _cut(sheet: Pixels, box: Box) -> Pixels:
    left, top, right, bottom = (max(0, round(side)) for side in box)
    return sheet[top:bottom, left:right].copy()


def _scaled(box: Box, scale: float) -> Box:
    left, top, right, bottom = box
    return left / scale, top / scale, right / scale, bottom / scale
