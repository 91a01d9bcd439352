"""What happens to a page between the print shop and the reader: stretched, dotted or faded print."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from edge_clm.paper import PageKind, Quad
from edge_clm.train.pages.page import GeneratedPage, Truth
from edge_clm.train.pages.setting import Setting

Pixels = NDArray[np.uint8]
_WORN = 0.35


def finished(page: GeneratedPage, setting: Setting, longest: int) -> GeneratedPage:
    """The page as it comes out of the printer, at most `longest` pixels tall."""
    rng = setting.rng
    across, down = 1.0, 1.0
    slip = page.kind is PageKind.RECEIPT
    if setting.odds(0.5):
        across, down = rng.uniform(0.88, 1.06), rng.uniform(0.92, 1.12)
    height, width = page.image.shape[:2]
    scale = min(1.0, longest / (height * down))
    size = max(round(width * across * scale), 1), max(round(height * down * scale), 1)
    page = _resized(page, size)
    if slip and setting.odds(_WORN):
        page = replace(page, image=_worn(page.image, setting))
    return page


def _resized(page: GeneratedPage, size: tuple[int, int]) -> GeneratedPage:
    height, width = page.image.shape[:2]
    if size == (width, height):
        return page
    image = np.array(
        Image.fromarray(page.image).resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0)
    )
    return _moved(replace(page, image=image), size[0] / width, size[1] / height)


def _moved(page: GeneratedPage, across: float, down: float) -> GeneratedPage:
    def quad(one: Quad) -> Quad:
        a, b, c, d = ((x * across, y * down) for x, y in one)
        return a, b, c, d

    def truth(one: Truth) -> Truth:
        return replace(one, boxes=tuple(map(quad, one.boxes)))

    return replace(
        page,
        fields={name: truth(one) for name, one in page.fields.items()},
        words=tuple(replace(word, quad=quad(word.quad)) for word in page.words),
        tables=tuple(
            replace(table, rows=tuple({k: truth(v) for k, v in row.items()} for row in table.rows))
            for table in page.tables
        ),
        marks=tuple(replace(mark, quad=quad(mark.quad)) for mark in page.marks),
    )


def _worn(image: Pixels, setting: Setting) -> Pixels:
    """Thermal print fades in bands, and a needle printer leaves gaps."""
    rng = setting.rng
    how: Callable[[Pixels, np.random.Generator], Pixels] = rng.choice(
        (_faded, _faded, _dotted, _grainy)
    )
    return how(image, np.random.default_rng(rng.getrandbits(63)))


def _faded(image: Pixels, noise: np.random.Generator) -> Pixels:
    """Bands across the page in which the ink is pale."""
    height, width = image.shape[:2]
    rows = np.interp(np.arange(height), np.linspace(0, height, 9), noise.uniform(0, 0.45, 9))
    cols = np.interp(np.arange(width), np.linspace(0, width, 6), noise.uniform(0, 0.25, 6))
    pale = np.clip(rows[:, None] + cols[None, :], 0, 0.6)[..., None].astype(np.float32)
    worn: Pixels = (image + (255 - image) * pale).astype(np.uint8)
    return worn


def _dotted(image: Pixels, noise: np.random.Generator) -> Pixels:
    """Every third row paler, as needles leave it."""
    step, pale = int(noise.integers(3, 5)), float(noise.uniform(0.3, 0.55))
    worn = image.copy()
    worn[::step] = (image[::step] + (255 - image[::step]) * pale).astype(np.uint8)
    return worn


def _grainy(image: Pixels, noise: np.random.Generator) -> Pixels:
    """Ink with holes in it."""
    holes = noise.random(image.shape[:2]) < noise.uniform(0.02, 0.08)
    worn = image.copy()
    worn[holes] = 255 - (255 - worn[holes]) // 3
    return worn
