"""What only pixels tell, cell by cell: pictures of marked pages and the marks in each of their tokens."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from edge_clm.model.nano import MERGE, PATCH
from edge_clm.paper import Quad
from edge_clm.train.capture import Warp
from edge_clm.train.nano.base import keep
from edge_clm.train.nano.pool import Recipe, quad_of, shrunk
from edge_clm.train.pages.inks import INKS
from edge_clm.train.pages.marks import STAMPS
from edge_clm.train.pages.page import Mark
from edge_clm.types import Pixels

_SORTS = {
    "stamp": "stamp",
    "strike": "crossed",
    "correction": "handwriting",
    "signature": "signature",
    "tick": "ticked",
    "blank": "box",
    "colour": "highlight",
}
"""What each sort of mark is called."""
_STAMPED = tuple(sorted({word for words in STAMPS.values() for word in words}))
CLASSES = ("print", *_SORTS.values(), *INKS, "yellow", "grey", *(word.lower() for word in _STAMPED))
"""What a cell may hold; each is a word of the model's."""
_CELL = PATCH * MERGE
_COVERED = 0.12
"""Share of a cell that a thing must cover."""
_FIRST = 300_000
"""Number of the first page: no lesson and no pool is made of those."""

Cells = NDArray[np.float32]
"""float32, (cells, classes), 0 or 1: the cells of a picture in reading order."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A picture as the vision tower sees it, and where on it print and marks lie."""

    pixels: Pixels
    words: tuple[Quad, ...]
    marks: tuple[Mark, ...]

    def cells(self) -> Cells:
        """What the cells of the picture hold."""
        shape = self.pixels.shape[:2]
        found = np.zeros((shape[0] // _CELL * (shape[1] // _CELL), len(CLASSES)), np.float32)
        found[:, 0] = _covered(self.words, shape)
        for mark in self.marks:
            held = _covered([mark.quad], shape)
            for name in _said(mark):
                column = CLASSES.index(name)
                found[:, column] = np.maximum(found[:, column], held)
        return found

    def varied(self, rng: Random) -> Sight:
        """The same a little turned, shifted, stretched, lighter or darker."""
        height, width = self.pixels.shape[:2]
        way = cv2.getRotationMatrix2D((width / 2, height / 2), rng.gauss(0, 2), rng.gauss(1, 0.05))
        way[:, 2] += (rng.gauss(0, 10), rng.gauss(0, 10))
        moved = cv2.warpAffine(
            self.pixels, way, (width, height), borderMode=cv2.BORDER_REPLICATE
        ).astype(np.float32)
        light = rng.uniform(0.8, 1.2) * np.array([rng.gauss(1, 0.04) for _ in range(3)])
        pixels = np.clip(moved * light + rng.gauss(0, 8), 0, 255).astype(np.uint8)
        marks = tuple(replace(mark, quad=_moved(mark.quad, way)) for mark in self.marks)
        return Sight(pixels, tuple(_moved(quad, way) for quad in self.words), marks)


def photograph(recipe: Recipe, count: int, directory: Path) -> Iterator[int]:
    """Draws and photographs `count` marked pages into a directory, where they are not yet; yields their numbers.

    One process for each core.
    """
    directory.mkdir(parents=True, exist_ok=True)
    numbers = [_FIRST + one for one in range(count)]
    missing = [(recipe, one, directory) for one in numbers if not _path(directory, one).exists()]
    context = multiprocessing.get_context("spawn")
    with context.Pool(len(os.sched_getaffinity(0))) as pool:
        yield from pool.imap_unordered(_photograph, missing)


def sights(directory: Path) -> list[Sight]:
    """The pictures of a directory, in order; see `photograph`."""
    return [_kept(path) for path in sorted(directory.glob("*.json"))]


def _photograph(task: tuple[Recipe, int, Path]) -> int:
    recipe, number, directory = task
    page = recipe.draw(number, marked=1.0)
    captured = recipe.captured(page, number)
    small = shrunk(captured.pixels)
    scale = small.shape[1] / captured.pixels.shape[1], small.shape[0] / captured.pixels.shape[0]
    marks = _placed([mark.quad for mark in page.marks], captured.warp, scale)
    said = {
        "words": _placed([word.quad for word in page.words], captured.warp, scale),
        "marks": [
            [mark.sort, mark.text, mark.colour, quad]
            for mark, quad in zip(page.marks, marks, strict=True)
        ],
    }
    path = _path(directory, number)
    Image.fromarray(small).save(path.with_suffix(".jpg"), quality=92)
    keep(path, lambda part: part.write_text(json.dumps(said), encoding="utf-8"))
    return number


def _placed(
    quads: Sequence[Quad], warp: Warp, scale: tuple[float, float]
) -> list[list[list[float]]]:
    points = warp.to_capture(np.array(quads, np.float64).reshape(-1, 2)) * scale
    return [[[float(x), float(y)] for x, y in quad] for quad in points.round(1).reshape(-1, 4, 2)]


def _kept(path: Path) -> Sight:
    said = json.loads(path.read_text(encoding="utf-8"))
    with Image.open(path.with_suffix(".jpg")) as picture:
        pixels = np.asarray(picture)
    marks = tuple(
        Mark(sort, text, colour, quad_of(quad)) for sort, text, colour, quad in said["marks"]
    )
    return Sight(pixels, tuple(quad_of(quad) for quad in said["words"]), marks)


def _path(directory: Path, number: int) -> Path:
    return directory / f"{number}.json"


def _said(mark: Mark) -> list[str]:
    names = [_SORTS[mark.sort]]
    if mark.colour in CLASSES:
        names.append(mark.colour)
    if mark.sort == "stamp":
        names.append(mark.text.lower())
    return names


def _moved(quad: Quad, way: NDArray[np.float64]) -> Quad:
    points = np.asarray(quad) @ way[:, :2].T + way[:, 2]
    return quad_of(points.tolist())


def _covered(quads: Sequence[Quad], shape: tuple[int, ...]) -> NDArray[np.float32]:
    """For each cell 1 where quads cover enough of it, else 0."""
    mask = np.zeros(shape, np.uint8)
    for quad in quads:
        cv2.fillConvexPoly(mask, np.asarray(quad).round().astype(np.int32), 1)
    rows, columns = shape[0] // _CELL, shape[1] // _CELL
    blocks = mask[: rows * _CELL, : columns * _CELL].reshape(rows, _CELL, columns, _CELL)
    share = blocks.mean(axis=(1, 3)).ravel()
    return np.asarray(share >= _COVERED, np.float32)
