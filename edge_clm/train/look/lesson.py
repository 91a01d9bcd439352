"""Two looks at one stretch of a page, and where the one has a mark that the other has not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import cv2
import numpy as np
from numpy.typing import NDArray

from edge_clm.page.comparator import CELL
from edge_clm.page.look import ABOVE, BELOW, HIGH
from edge_clm.train.capture.grid import Field
from edge_clm.train.look.bar import Bar, draw_bar
from edge_clm.train.look.changes import Paper, Place, change
from edge_clm.train.look.gallery import Plate
from edge_clm.train.look.scene import draw_scene
from edge_clm.train.pages.page import Box, Split
from edge_clm.types import Pixels

TALL = round(HIGH * (1 + ABOVE + BELOW))
_PAGES = 0.3
"""Share of lessons that are a piece of a whole page, where lines are lower."""
_LOOSE = (1.05, 1.65)
"""Times the height of a line's letters that an OCR's box has."""
_BARRED = 0.3
"""Share of lessons with a dark bar somewhere on the page."""
_BACKWARDS = 0.2
"""Share of changes that the known look has and the seen one has lost."""
_VISIBLE, _GUESSED = 0.13, 0.04
"""Of a place's light: a change that is plain to see, and one that nobody is asked about."""
_PLAIN = 5
"""Pixels of a cell that must be plain to see."""
_NOISE = 3.0
"""Grey levels of light without which no change is seen."""


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """A pair with what is to be said of it."""

    known: Pixels
    seen: Pixels
    wanted: NDArray[np.float32]
    """float32, (rows, columns): for each cell 1 a mark, 0 none, NaN nobody can say."""
    sort: str
    """Of the change; empty where there is none."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """Which part of a sheet a lesson shows."""

    left: float
    """In pixels of the sheet, as `top`."""
    top: float
    scale: float
    """Pixels of the stretch for one of the sheet."""
    high: float
    """Of a line, pixels of the stretch."""
    words: tuple[Box, ...]
    """In pixels of the stretch: those that can be seen whole, or nearly."""
    bar: Bar | None
    """What both looks have behind some of the print."""


def lesson(
    plates: Sequence[Plate], wide: int, rng: Random, split: Split, sort: str | None = None
) -> Lesson:
    """A lesson from one of the pages, `TALL` high and `wide` pixels wide.

    `sort`: what changes, empty for nothing; None leaves it to chance, half of the time nothing.
    """
    plate = rng.choice(plates)
    frame = _piece(plate, wide, rng) if rng.random() < _PAGES else _line(plate, wide, rng)
    if rng.random() < _BARRED:
        frame = replace(frame, bar=draw_bar(plate, _nearby(plate, frame, rng), rng))
    shape = (TALL, wide)
    known, seen = (_cut(plate, frame, shape, rng, moved) for moved in (False, True))
    scenes = [draw_scene(shape, frame.high, rng) for _ in range(2)]
    changed, what = seen, ""
    if sort or (sort is None and rng.random() < 0.5):
        place = Place(_word(frame, shape, rng), frame.high, split)
        what, changed = change(seen, place, rng, sort or "")
    before, after, there = scenes[0].lit(known), scenes[1].lit(changed), scenes[1].lit(seen)
    wanted = _wanted(there, after, what)
    one, other = scenes[0].seen(before), scenes[1].seen(after)
    back = bool(what) and sort is None and rng.random() < _BACKWARDS
    return Lesson(other, one, wanted, what) if back else Lesson(one, other, wanted, what)


def _line(plate: Plate, wide: int, rng: Random) -> _Frame:
    """A line as the proof looks at one."""
    left, top, right, bottom = rng.choice(plate.lines)
    loose = rng.uniform(*_LOOSE)
    scale = HIGH / (max(bottom - top, 6.0) * loose)
    # Boxes lie a little high or low on their letters.
    middle = (top + bottom) / 2 + rng.uniform(-0.1, 0.1) * (bottom - top)
    start = left - rng.uniform(0.3, 0.7) * HIGH / scale
    room = (right - left) - wide / scale
    if room > 0:
        start += rng.uniform(0, room + HIGH / scale)
    elif rng.random() < 0.5:
        start -= rng.uniform(0, -room)
    return _frame(plate, (start, middle - (0.5 + ABOVE) * HIGH / scale), scale, HIGH, wide)


def _piece(plate: Plate, wide: int, rng: Random) -> _Frame:
    """A piece of a page at about a thousand pixels for its longest side."""
    height, width = plate.looks[0].shape[:2]
    usual = float(np.median([bottom - top for _, top, _, bottom in plate.lines]))
    scale = rng.uniform(10, 20) / (1.3 * max(usual, 4.0))
    left = rng.uniform(-0.02 * width, max(width * 1.02 - wide / scale, 0))
    top = rng.uniform(-0.02 * height, max(height * 1.02 - TALL / scale, 0))
    return _frame(plate, (left, top), scale, 1.3 * usual * scale, wide)


def _frame(
    plate: Plate, corner: tuple[float, float], scale: float, high: float, wide: int
) -> _Frame:
    left, top = corner
    placed = [
        ((a - left) * scale, (b - top) * scale, (c - left) * scale, (d - top) * scale)
        for a, b, c, d in plate.words
    ]
    inside = [
        (a, b, c, d)
        for a, b, c, d in placed
        if b > -0.2 * high and d < TALL + 0.2 * high and c > 0.5 * high and a < wide - 0.5 * high
    ]
    return _Frame(left, top, scale, high, tuple(inside), None)


def _nearby(plate: Plate, frame: _Frame, rng: Random) -> Box:
    """A line that the stretch shows, or any where it shows none."""
    foot = frame.top + TALL / frame.scale
    shown = [one for one in plate.lines if frame.top < one[3] < foot]
    # The lowest most of all: in a look at one line it is that line.
    return rng.choice([*shown, *shown[-1:] * 2] or plate.lines)


def _word(frame: _Frame, shape: tuple[int, int], rng: Random) -> Box:
    """A word of the stretch, mostly of its own line; or empty paper, anywhere."""
    if not frame.words or rng.random() < 0.12:
        x, y = rng.uniform(0, shape[1] - frame.high), rng.uniform(0, shape[0] - frame.high)
        return x, y, x + rng.uniform(0.5, 4) * frame.high, y + 0.6 * frame.high
    middle = HIGH * (ABOVE + 0.5)
    own = [word for word in frame.words if word[1] < middle < word[3]]
    return rng.choice(own if own and rng.random() < 0.7 else frame.words)


def _cut(plate: Plate, frame: _Frame, shape: tuple[int, int], rng: Random, moved: bool) -> Paper:
    """The stretch as one of the looks has it, roughly where it should be."""
    rows, columns = np.indices(shape, np.float32)
    x, y = columns + 0.5, rows + 0.5
    if moved:
        x, y = _moved(x, y, shape, rng)
    look = plate.looks[rng.choices((0, 1, 2), (1, 2, 2))[0]]
    places_x = (x / frame.scale + frame.left - 0.5).astype(np.float32)
    places_y = (y / frame.scale + frame.top - 0.5).astype(np.float32)
    # A sheet seen much smaller than it is would be all jags.
    if frame.scale < 0.6:
        look = cv2.GaussianBlur(look, (0, 0), 0.3 / frame.scale)
    cut = cv2.remap(look, places_x, places_y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    paper = np.asarray(cut, np.float32)
    return frame.bar.behind(paper, places_x, places_y) if frame.bar else paper


def _moved(x: Field, y: Field, shape: tuple[int, int], rng: Random) -> tuple[Field, Field]:
    """Shifted, stretched and sheared a little, and bent, lines above and below most of all."""
    across, down = x - shape[1] / 2, y - HIGH * (ABOVE + 0.5)
    slack = rng.choice((0.4, 0.8, 1.4))

    def off(most: float) -> float:
        return max(-most, min(most, rng.gauss(0, most / 3 * slack)))

    right = off(4) + off(0.05) * across + off(0.06) * down
    low = off(4) + off(0.06) * down + off(0.012) * across
    for _ in range(2):
        wave, phase = rng.uniform(40, 200), rng.uniform(0, 6.3)
        low = low + off(2.0) * np.sin(across / wave * 6.3 + phase)
        right = right + off(1.5) * np.sin(across / wave * 6.3 + 2 * phase)
    far = np.clip(np.abs(down) / HIGH - 0.5, 0, 1.5)
    low = low + off(4) * far * (down < 0) + off(3) * far * (down > 0)
    return (x + right).astype(np.float32), (y + low).astype(np.float32)


def _wanted(before: Paper, after: Paper, what: str) -> NDArray[np.float32]:
    """What is to be said of each cell, from how much of its light has changed."""
    rows, columns = (-(-side // CELL) for side in before.shape[:2])
    if not what:
        return np.zeros((rows, columns), np.float32)
    around = cv2.blur(before, (31, 31)).max(axis=2) + np.float32(_NOISE)
    differs = np.abs(after - before).max(axis=2) / around
    plain = _celled((differs > _VISIBLE).astype(np.float32), rows, columns).sum(axis=(1, 3))
    most = _celled(differs, rows, columns).max(axis=(1, 3))
    marked = plain >= _PLAIN
    beside = cv2.dilate((most > _GUESSED).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    wanted = np.where(beside, np.float32(np.nan), np.float32(0))
    return np.where(marked, np.float32(1), wanted).astype(np.float32)


def _celled(values: Field, rows: int, columns: int) -> Field:
    """Rows of cells of pixels: (rows, CELL, columns, CELL)."""
    height, width = values.shape
    whole = np.zeros((rows * CELL, columns * CELL), np.float32)
    whole[:height, :width] = values
    return whole.reshape(rows, CELL, columns, CELL)
