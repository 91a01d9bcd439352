"""Captures compared with known pages in the engine's process."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Hashable, Sequence
from functools import lru_cache
from pathlib import Path

from edge_clm.config import Config
from edge_clm.features import Features
from edge_clm.page.anchor import Anchor, anchor_of
from edge_clm.page.clip import Clip
from edge_clm.page.fields.extract import extract
from edge_clm.page.geometry import turned_quad
from edge_clm.page.identity import SURE, identity_of
from edge_clm.page.judge import Comparison, Judge
from edge_clm.page.keypoints import Keypoints, keypoints_of
from edge_clm.page.look import Look
from edge_clm.page.points import RECIPE, points_of
from edge_clm.page.rule import rule
from edge_clm.page.thresholds import FILE, load_thresholds
from edge_clm.paper import Extraction, PageText, Quad
from edge_clm.pictures import Pictures
from edge_clm.ports import TextReader
from edge_clm.shelf import Shelf
from edge_clm.types import Embedder, File, Judged, Known, Pixels, Verdict
from edge_clm.weights import sha256_of, shipped

RULES = 1
"""Counted up whenever the same two captures, or the same reading, lead to another verdict: it says that what
was proven by other rules is proven no more."""

_BYTES = 256 * 1024 * 1024
"""Of pictures of the anchors kept at hand, and as many of captures, for another question about them; the last
ones stay whatever they take."""
_KEYPOINTS = 256 * 1024 * 1024
"""Bytes of the known pages' keypoints kept at hand, half a MiB each: making them is half of finding a page."""

_CAPTURED = 16 * 1024 * 1024
"""Bytes of the keypoints of captures kept at hand."""


class Comparing:
    """Makes features of captures and compares them with known pages. Not thread-safe."""

    def __init__(self, config: Config, pictures: Pictures, reader: TextReader) -> None:
        """Raises ModelMissing, ModelDamaged or ConfigInvalid for an embedder that cannot be had."""
        place = shipped("identity")
        look = Look.load(shipped("look"))
        self.name = config.recall.model
        """Of the embedder."""
        self._pictures = pictures
        self._clip = Clip.load(Path(config.model.models), config.recall.model)
        self._judge = Judge(reader, look)
        self._thresholds = load_thresholds(place)
        self._anchors: Shelf[Anchor] = Shelf(_BYTES)
        self._keypoints: Shelf[Keypoints] = Shelf(_KEYPOINTS)
        self._captured: Shelf[Keypoints] = Shelf(_CAPTURED)
        self._comparisons: Shelf[tuple[Comparison, Pixels]] = Shelf(_BYTES)
        shaped_by = [f"rules {RULES}", self._clip.fingerprint, look.fingerprint]
        shaped_by.append(sha256_of(place / FILE))
        self.fingerprint = hashlib.sha256("\n".join(shaped_by).encode()).hexdigest()
        """Hex SHA-256 of everything that shapes a verdict, but for OCR."""

    @property
    def embedder(self) -> Embedder:
        """What makes the features."""
        digest = hashlib.sha256(f"{self._clip.fingerprint}\npoints {RECIPE}".encode())
        return Embedder(digest.hexdigest(), self._clip.least)

    def embed(self, file: File, page: int) -> Features:
        """What a page is recalled by; raises the image errors."""
        pixels = self._pictures.of(file, page).pixels
        return Features(self._clip.embed(pixels), points_of(pixels))

    def prepare(self, known: Known) -> None:
        """Makes what captures of a known page will be compared with; raises the image errors."""
        self._anchor(known)

    def judge(
        self,
        known: Known,
        file: File,
        page: int,
        evidence: Sequence[Quad] | None,
        text: PageText | None,
    ) -> Judged:
        """Whether a capture shows a known page, and on it what boxes of that page show.

        Without a box what names the page is all that is asked for; None asks for the whole page. `text`:
        what was read of the capture, where it was. Raises the image errors.
        """
        started = time.perf_counter()
        comparison, pixels = self._comparison(known, file, page, text)
        register_ms = 1000 * (time.perf_counter() - started)
        ruling = rule(comparison.signals(evidence, self._thresholds), self._thresholds)
        if ruling.verdict is not Verdict.SAME:
            return Judged(ruling.verdict, ruling.reasons, register_ms=register_ms)
        turn, (height, width) = comparison.turn, pixels.shape[:2]
        places = tuple(
            turned_quad(quad, turn, width, height) for quad in comparison.found(evidence or ())
        )
        upright = (height, width) if turn in (90, 270) else (width, height)
        return Judged(ruling.verdict, (), places, turn, *upright, register_ms)

    def _comparison(
        self, known: Known, file: File, page: int, text: PageText | None
    ) -> tuple[Comparison, Pixels]:
        """A comparison, begun or at hand, and the canonical pixels of the capture."""
        anchor = self._anchor(known)
        whole = (_key(known), file.sha256, page, text)
        found = self._comparisons.get(whole)
        if found is None:
            pixels = self._pictures.of(file, page).pixels
            points = self._points(file, page, pixels)
            found = self._judge.compare(anchor, pixels, text, points), pixels
            self._comparisons.put(whole, found, pixels.nbytes)
        return found

    def _points(self, file: File, page: int, pixels: Pixels) -> Keypoints:
        """The keypoints of a capture, which is compared with more than one page."""
        key = (file.sha256, page)
        points = self._captured.get(key)
        if points is None:
            points = keypoints_of(pixels)
            self._captured.put(key, points, points.nbytes)
        return points

    def _anchor(self, known: Known) -> Anchor:
        """The anchor of a known page, made or at hand; what takes longest of it is kept for longest."""
        key = _key(known)
        anchor = self._anchors.get(key)
        if anchor is None:
            pixels = self._pictures.of(known.file, known.page).pixels
            read, points = extraction_of(known.page, known.text), self._keypoints.get(key)
            anchor = anchor_of(pixels, known.text, read, points)
            self._anchors.put(key, anchor, anchor.picture.nbytes)
            self._keypoints.put(key, anchor.keypoints, anchor.keypoints.nbytes)
        return anchor


def _key(known: Known) -> Hashable:
    return known.file.sha256, known.page, known.text


def names(text: PageText) -> str:
    """What tells a page from all others, as read: letters and digits of each value, a line each.

    Empty where that was not read for sure: what is garbled there can be proven on no other capture.
    """
    identity = identity_of(text, extraction_of(1, text))
    if any(text.lines[claim.line].confidence < SURE for claim in identity.naming):
        return ""
    values = ("".join(filter(str.isalnum, claim.value.casefold())) for claim in identity.naming)
    return "\n".join((",".join(identity.fields), *values)) if identity.fields else ""


@lru_cache(maxsize=16)
def extraction_of(page: int, text: PageText) -> Extraction:
    """What the rules read on a page; many questions are asked of one."""
    return extract([(page, text)])
