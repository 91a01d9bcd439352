"""What a real OCR reads off simulated captures of generated pages: the text to learn from."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image

from edge_clm.config import Config
from edge_clm.model.nano import IMAGE_TOKENS, MERGE, PATCH
from edge_clm.model.quiet import transformers
from edge_clm.page.geometry import turned, turned_points
from edge_clm.page.ocr import PageReader
from edge_clm.page.reader import open_reader
from edge_clm.paper import Line, PageKind, PageText, Quad
from edge_clm.train.capture import Captured, Warp, capture, scan
from edge_clm.train.nano.base import keep
from edge_clm.train.nano.shown import Sheet
from edge_clm.train.pages.draw import chance, weighted
from edge_clm.train.pages.make import page_of
from edge_clm.train.pages.page import GeneratedPage, Split
from edge_clm.types import Pixels

_KINDS: Mapping[PageKind, float] = {
    PageKind.INVOICE: 0.4,
    PageKind.RECEIPT: 0.36,
    PageKind.LAB_REPORT: 0.14,
    PageKind.RADIOLOGY_REPORT: 0.1,
}
_SCANNED: Mapping[PageKind, float] = {PageKind.RECEIPT: 0.6}
"""Share of pages that are scanned and not photographed; of the kinds that are not named, a quarter."""
MARKED = 0.5
"""Share of pages with stamps, strikes and the like."""
_USUALLY = frozenset({"en"})
_ELSE = frozenset({"en", "de", "fr", "es", "ms"})
"""Chinese pages wait for a text branch that reads Chinese."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the pages of a pool are made; equal recipes give equal pages."""

    seed: int
    split: Split
    reports: Path
    """Texts of radiology reports."""

    def draw(
        self, number: int, marked: float = MARKED, kinds: Mapping[PageKind, float] = _KINDS
    ) -> GeneratedPage:
        """The page of that number; `marked` is how likely it has stamps, strikes and the like.

        `kinds`: how often which kind is drawn.
        """
        rng = self._rng(number)
        kind = weighted(rng, kinds)
        languages = _USUALLY if rng.random() < 0.75 else _ELSE
        return page_of(kind, self._seed(number), self.split, self.reports, languages, marked=marked)

    def captured(self, page: GeneratedPage, number: int) -> Captured:
        """The capture of the page of that number."""
        scanned = self._rng(number, "scanned").random() < _SCANNED.get(page.kind, 0.25)
        seed = self._seed(number)
        return scan(page.image, seed) if scanned else capture(page.image, seed)

    def _seed(self, number: int) -> int:
        return self.seed * 1_000_000 + number

    def _rng(self, number: int, *about: str) -> Random:
        return chance("nano", self.split, self.seed, number, *about)


def read_all(recipe: Recipe, count: int, config: Config, directory: Path) -> Iterator[int]:
    """Reads the captures of the first `count` pages into a directory, where they are not yet; yields their numbers.

    One process for each core. Raises ModelMissing where the OCR's models are not there.
    """
    directory.mkdir(parents=True, exist_ok=True)
    missing = [number for number in range(count) if not _path(directory, number).exists()]
    cores = len(os.sched_getaffinity(0))
    context = multiprocessing.get_context("spawn")
    with context.Pool(cores, _start, (recipe, config, directory)) as pool:
        yield from pool.imap_unordered(_read, missing)


def sheet(recipe: Recipe, number: int, directory: Path) -> Sheet:
    """The page of that number with the text that was read off its capture; see `read_all`."""
    page = recipe.draw(number)
    path = _path(directory, number)
    said = json.loads(path.read_text(encoding="utf-8"))
    lines = tuple(
        Line(text, quad_of(corners), confidence) for text, corners, confidence in said["lines"]
    )
    width, height = said["size"]
    places = {
        word.quad: quad_of(place) for word, place in zip(page.words, said["places"], strict=True)
    }
    with Image.open(path.with_suffix(".jpg")) as picture:
        seen = np.asarray(picture)
    return Sheet(page, PageText(lines, 0, width, height), places, seen)


def perfect(page: GeneratedPage) -> Sheet:
    """The page as an OCR without fault would read it off the page itself."""
    places = {word.quad: word.quad for word in page.words}
    return Sheet(page, page.text(), places, shrunk(page.image))


def kept(directory: Path) -> list[int]:
    """The numbers of the pages that have been read."""
    return sorted(int(path.stem) for path in directory.glob("*.json"))


@dataclass(frozen=True, slots=True)
class _Worker:
    """What each process of the pool has loaded."""

    recipe: Recipe
    reader: PageReader
    directory: Path

    def read(self, number: int) -> int:
        page = self.recipe.draw(number)
        captured = self.recipe.captured(page, number)
        text = self.reader.read(captured.pixels)
        said = {
            "lines": [[line.text, line.quad, round(line.confidence, 3)] for line in text.lines],
            "places": _places([word.quad for word in page.words], captured.warp, text),
            "marks": _places([mark.quad for mark in page.marks], captured.warp, text),
            "size": [text.width, text.height],
        }
        path = _path(self.directory, number)
        small = shrunk(turned(captured.pixels, text.turn))
        Image.fromarray(small).save(path.with_suffix(".jpg"), quality=92)
        keep(path, lambda part: part.write_text(json.dumps(said), encoding="utf-8"))
        return number


_workers: list[_Worker] = []
"""One in each process of the pool, none in the one that started it."""


def _start(recipe: Recipe, config: Config, directory: Path) -> None:
    ocr = config.ocr.model_copy(update={"threads": 1})
    reader = open_reader(ocr, Path(config.model.models).expanduser())
    _workers.append(_Worker(recipe, reader, directory))


def _read(number: int) -> int:
    return _workers[0].read(number)


def shrunk(pixels: Pixels) -> Pixels:
    """A picture as large as the model takes it, so that it need not be kept larger."""
    transformers()
    from transformers.models.qwen2_vl.image_processing_qwen2_vl import smart_resize

    height, width = pixels.shape[:2]
    side = PATCH * MERGE
    most = IMAGE_TOKENS * side * side
    high, wide = smart_resize(height, width, side, 4 * side * side, most)
    small = Image.fromarray(pixels).resize((wide, high), Image.Resampling.BICUBIC)
    return np.asarray(small)


def _places(quads: Sequence[Quad], warp: Warp, text: PageText) -> list[list[list[float]]]:
    """Where quads of the page lie on the upright capture, in whole pixels."""
    points = np.array(quads, np.float64).reshape(-1, 2)
    seen = np.asarray(warp.to_capture(points), np.float64)
    wide, high = (text.height, text.width) if text.turn in (90, 270) else (text.width, text.height)
    upright = turned_points(seen, text.turn, wide, high).round().reshape(-1, 4, 2)
    return [[[float(a), float(b)] for a, b in quad] for quad in upright]


def _path(directory: Path, number: int) -> Path:
    return directory / f"{number}.json"


def quad_of(corners: Sequence[Sequence[float]]) -> Quad:
    """Corners as they are kept, as a quad."""
    a, b, c, d = ((float(x), float(y)) for x, y in corners)
    return a, b, c, d
