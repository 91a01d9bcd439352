"""What simpler ways to tell a page again would go by: a perceptual hash, an embedding, common words, equal fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.capture import common
from bench.ocr_score import words
from bench.twins.held import held
from bench.twins.labels import Asked, names_a_page
from edge_clm.features import Vector
from edge_clm.page.fields.extract import extract
from edge_clm.page.geometry import turned
from edge_clm.paper import Extraction, PageText
from edge_clm.types import Pixels
from edge_clm.values.equal import equal
from edge_clm.values.value import Value

_SIDE = 16
"""Rows and columns of a hash: 256 bits."""
_SEEN = 64
"""Pixels of the side of the picture that it is made from."""

HASH, CLIP, WORDS, FIELDS = "hash", "clip", "words", "fields"
UP = {HASH: False, CLIP: True, WORDS: True, FIELDS: True}
"""Whether more of it speaks for the same page."""


@dataclass(frozen=True, slots=True, eq=False)
class Glance:
    """A capture as rivals see it."""

    text: PageText
    extraction: Extraction
    bits: NDArray[np.bool_]
    vector: Vector


def glance(pixels: Pixels, text: PageText, embed: Callable[[Pixels], Vector]) -> Glance:
    """A capture, as it lies, with its own text; `embed` makes its vector."""
    bits = phash(turned(pixels, text.turn))
    return Glance(text, extract([(1, text)]), bits, embed(pixels))


def rivals(known: Glance, new: Glance, asked: Asked | None) -> dict[str, float]:
    """What each rival has for the question being answered from the known page; None asks for the whole page."""
    same_words = common(*(words(line.text for line in one.text.lines) for one in (known, new)))
    return {
        HASH: float((known.bits != new.bits).sum()),
        CLIP: float(known.vector @ new.vector),
        WORDS: same_words,
        FIELDS: float(_equal_fields(known, new, asked)),
    }


def phash(pixels: Pixels) -> NDArray[np.bool_]:
    """256 bits: which of a picture's lowest frequencies are above their median.

    As the packages for it do: C. Zauner, Implementation and Benchmarking of Perceptual Image Hash
    Functions, 2010.
    """
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    small = cv2.resize(grey, (_SEEN, _SEEN), interpolation=cv2.INTER_AREA).astype(np.float32)
    low = cv2.dct(small)[:_SIDE, :_SIDE]
    return np.asarray(low > np.median(low))


def _equal_fields(known: Glance, new: Glance, asked: Asked | None) -> bool:
    """Whether what names the page is read alike on both, and what is asked; for the whole page all fields."""
    read = dict(_values(new.extraction))
    needed = {
        name: value
        for name, value in _values(known.extraction)
        if asked is None or names_a_page(name)
    }
    if not needed:
        return False
    alike = all(name in read and equal(value, read[name]) for name, value in needed.items())
    return alike and (asked is None or held(asked, new.text, {}) is not None)


def _values(extraction: Extraction) -> Iterator[tuple[str, Value]]:
    for one in extraction.fields:
        if one.best.value is not None:
            yield one.name, one.best.value
