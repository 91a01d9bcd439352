"""Captures of generated pages and their look-alikes, small, kept in a directory."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from edge_clm.page.geometry import shrunk
from edge_clm.page.ink import SIDE, Ink, ink_of
from edge_clm.page.level import levelled
from edge_clm.paper import PageKind
from edge_clm.train.capture import capture, scan
from edge_clm.train.clip.lookalike import lookalike
from edge_clm.train.clip.words import tokens_of
from edge_clm.train.nano.base import keep
from edge_clm.train.pages.draw import chance, weighted
from edge_clm.train.pages.make import page_of
from edge_clm.train.pages.page import Split
from edge_clm.types import Pixels

SHEET = 640
"""Pixels of the longest side of a sheet when it is captured: at full size captures cost ten times
the time, and what they show is made smaller than this all the same."""
_INK = 256
"""Pixels of the longest side of ink that is learnt from, before it is varied."""
_SCANNED = 0.2
_KINDS = {
    PageKind.INVOICE: 0.45,
    PageKind.RECEIPT: 0.3,
    PageKind.LAB_REPORT: 0.15,
    PageKind.RADIOLOGY_REPORT: 0.1,
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What a gallery holds; equal plans give equal galleries."""

    seed: int
    split: Split
    reports: Path
    """Texts of radiology reports."""
    sheets: int = 2
    """Of each family: a generated page, and look-alikes of it."""
    views: int = 3
    """Captures of each sheet."""


@dataclass(frozen=True, slots=True)
class Family:
    """A page and its look-alikes, each seen several times."""

    views: tuple[tuple[Ink, ...], ...]
    """By sheet, the page first."""
    words: NDArray[np.int64]
    """Tokens of the page."""


def photograph(plan: Plan, count: int, directory: Path) -> Iterator[int]:
    """Draws and captures `count` families into a directory, where they are not yet; yields their numbers.

    One process for each core that this one may use.
    """
    directory.mkdir(parents=True, exist_ok=True)
    missing = [
        (plan, number, directory)
        for number in range(count)
        if not (directory / f"{number}.json").exists()
    ]
    context = multiprocessing.get_context("spawn")
    with context.Pool(len(os.sched_getaffinity(0)), cv2.setNumThreads, (1,)) as pool:
        yield from pool.imap_unordered(_photograph, missing)


def shown(directory: Path, number: int, sheet: int, view: int) -> Pixels:
    """One capture of a family, as it is kept: RGB, its longest side at most 448 pixels."""
    with Image.open(_path(directory, number, sheet, view)) as picture:
        return np.asarray(picture)


def family(plan: Plan, number: int, directory: Path) -> Family:
    """The family of that number as a model sees it; see `photograph`."""
    said = json.loads((directory / f"{number}.json").read_text(encoding="utf-8"))
    views = tuple(
        tuple(_small(shown(directory, number, sheet, view)) for view in range(plan.views))
        for sheet in range(plan.sheets)
    )
    return Family(views, np.array(said["words"], np.int64))


def _photograph(task: tuple[Plan, int, Path]) -> int:
    plan, number, directory = task
    rng = chance("docclip", plan.split, plan.seed, number)
    seed = plan.seed * 1_000_000 + number
    # Numbers of nano's pages are drawn with the same kinds of seed: these are other pages.
    page = page_of(weighted(rng, _KINDS), -1 - seed, plan.split, plan.reports)
    sheets = [shrunk(page.image, SHEET)[0]]
    sheets += [lookalike(page, SHEET, rng) for _ in range(plan.sheets - 1)]
    for at, sheet in enumerate(sheets):
        for view in range(plan.views):
            small, _ = shrunk(_captured(sheet, rng), SIDE)
            Image.fromarray(small).save(_path(directory, number, at, view), quality=90)
    said = {"words": tokens_of(word.text for word in page.words).tolist()}
    keep(directory / f"{number}.json", lambda part: part.write_text(json.dumps(said)))
    return number


def _captured(sheet: Pixels, rng: Random) -> Pixels:
    seed = rng.getrandbits(32)
    if rng.random() < _SCANNED:
        # Specks have a size of their own: on a sheet this small they would be blots.
        return scan(cv2.resize(sheet, None, fx=2, fy=2).astype(np.uint8), seed).pixels
    return capture(sheet, seed).pixels


def _small(pixels: Pixels) -> Ink:
    ink = levelled(ink_of(pixels))
    share = min(1.0, _INK / max(ink.shape))
    size = (max(1, round(ink.shape[1] * share)), max(1, round(ink.shape[0] * share)))
    return np.ascontiguousarray(cv2.resize(ink, size, interpolation=cv2.INTER_AREA), np.uint8)


def _path(directory: Path, number: int, sheet: int, view: int) -> Path:
    return directory / f"{number}-{sheet}-{view}.jpg"
