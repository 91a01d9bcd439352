"""Batches of lessons, drawn by a process of its own while the last ones are learnt from."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2

from edge_clm.train.look.gallery import Plate, plates
from edge_clm.train.look.lesson import Lesson, lesson
from edge_clm.train.pages.draw import chance

_AHEAD = 4
"""Batches that are drawn before they are needed."""
_WIDTHS = (80, 112, 160, 224)
"""Lines are of every length, and a batch is of one."""


@dataclass(frozen=True, slots=True)
class Draw:
    """What lessons are drawn from."""

    gallery: Path
    pages: int
    """How many of the gallery's."""
    seed: int
    count: int
    """Lessons of a batch."""


def batches(draw: Draw, steps: Iterable[int]) -> Iterator[list[Lesson]]:
    """The batch of each step; the same for the same step."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1, _start, (draw,)) as pool:
        waiting = []
        for step in steps:
            waiting.append(pool.apply_async(_batch, (draw, step)))
            if len(waiting) > _AHEAD:
                yield waiting.pop(0).get()
        yield from (one.get() for one in waiting)


_shown: list[Plate] = []
"""The pages of the gallery, in the process that draws; none in the one that started it."""


def _start(draw: Draw) -> None:
    cv2.setNumThreads(1)
    _shown.extend(plates(draw.gallery)[: draw.pages])


def _batch(draw: Draw, step: int) -> list[Lesson]:
    rng = chance("look", draw.seed, step)
    wide = rng.choice(_WIDTHS)
    return [lesson(_shown, wide, rng, "train") for _ in range(draw.count)]
