"""Pages as several captures show them, laid flat: what the look is shown in training, kept in the user's cache."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from edge_clm.train.capture import Hardness, capture, scan
from edge_clm.train.capture.transfer import flattened
from edge_clm.train.nano.base import keep
from edge_clm.train.nano.pool import Recipe
from edge_clm.train.pages.draw import chance
from edge_clm.train.pages.page import Box, GeneratedPage, around
from edge_clm.types import Pixels

_FIRST = 600_000
"""Number of the first page: nothing else is learnt from those."""
_MARKED = 0.3
"""Share of pages that have marks when they are first seen: what both captures show is no news."""
_SCALE = (0.85, 1.5)
"""Pixels of a capture for one of the sheet: phones see more of a line than a sheet has."""
_SCANNED = 0.12
_LOOKS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Plate:
    """One page laid flat, in pixels of its sheet."""

    looks: tuple[Pixels, ...]
    """As it was printed, and as two captures show it."""
    lines: tuple[Box, ...]
    """Around the letters of each line."""
    words: tuple[Box, ...]


def photograph(recipe: Recipe, count: int, directory: Path) -> Iterator[int]:
    """Photographs `count` pages twice into a directory, where they are not yet; yields their numbers."""
    directory.mkdir(parents=True, exist_ok=True)
    for number in range(_FIRST, _FIRST + count):
        path = directory / f"{number}.json"
        if not path.exists():
            _photograph(recipe, number, path)
            yield number


def plates(directory: Path) -> list[Plate]:
    """The pages of a directory, in order; see `photograph`."""
    return [_kept(path) for path in sorted(directory.glob("*.json"))]


def _photograph(recipe: Recipe, number: int, path: Path) -> None:
    page = recipe.draw(number, marked=_MARKED)
    looks = [page.image, *(_seen(page, recipe, number, which) for which in (1, 2))]
    for which, look in enumerate(looks):
        Image.fromarray(look).save(_picture(path, which), quality=94)
    said = {
        "lines": [around([line.quad]) for line in page.text().lines],
        "words": [around([word.quad]) for word in page.words],
    }
    keep(path, lambda part: part.write_text(json.dumps(said), encoding="utf-8"))


def _seen(page: GeneratedPage, recipe: Recipe, number: int, which: int) -> Pixels:
    """What one capture of a page shows of it."""
    rng = chance("look", recipe.split, recipe.seed, number, which)
    seed = rng.randrange(2**40)
    if rng.random() < _SCANNED:
        captured = scan(page.image, seed)
    else:
        hardness = Hardness(severity=rng.uniform(0.5, 1.15), on_its_side=0, scale=_SCALE)
        captured = capture(page.image, seed, hardness)
    return flattened(captured.warp, captured.pixels)


def _kept(path: Path) -> Plate:
    said = json.loads(path.read_text(encoding="utf-8"))
    looks = []
    for which in range(_LOOKS):
        with Image.open(_picture(path, which)) as picture:
            looks.append(np.asarray(picture))
    lines, words = (tuple(_box(corners) for corners in said[name]) for name in ("lines", "words"))
    return Plate(tuple(looks), lines, words)


def _picture(path: Path, which: int) -> Path:
    return path.with_name(f"{path.stem}-{which}.jpg")


def _box(corners: list[float]) -> Box:
    left, top, right, bottom = corners
    return left, top, right, bottom
