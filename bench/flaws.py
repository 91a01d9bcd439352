"""How often a bad picture is called bad, by its flaw, and how often a good one is.

Reads N pictures of each set (default 6, inv3d photos and sroie scans, chosen by seed) as they are and
spoilt on purpose: out of focus, smeared, with reflections, dark, faded, cut through print, taken from
too far away, each weak, middling and strong (bench/spoil.py). What a spoilt picture has lost is counted
in words that were read before. Ten times as many pictures are read as they are. No daemon is started.

Figures: flaws.FLAW.caught, over pictures spoilt that way that lost more than a quarter of their words;
flaws.FLAW.slight, the share so called of those that lost less than a tenth, which is no error;
flaws.false_alarms, over pictures as they are, each flaw of each counting its picture once.
Finished pictures are kept, for the same code and weights; --restart measures them again.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from bench.documents import Document, pick
from bench.finished import Finished
from bench.machine import commit
from bench.ocr_score import words
from bench.options import Options
from bench.progress import Progress, say
from bench.report import Figure, share
from bench.session import conclude
from bench.spoil import WAYS
from edge_clm.config import Ocr
from edge_clm.page.geometry import turned
from edge_clm.page.ocr import PageReader
from edge_clm.page.reader import open_reader
from edge_clm.paper import Flaw, PageText
from edge_clm.types import Pixels

DEFAULT_N = 6
CLEAN = 10
"""Pictures that are read as they are, for each that is spoilt."""
STRONG, SLIGHT = 0.25, 0.1
"""Shares of words lost above and below which a picture counts as spoilt, or hardly."""

Results = list[dict[str, Any]]


def add_options(parser: argparse.ArgumentParser) -> None:
    """This bench has none of its own."""
    parser.epilog = f"--n counts pictures of each set that are spoilt; default {DEFAULT_N}."


def run(options: Options, given: argparse.Namespace) -> int:
    """Measures and reports; 0 when every figure could be given."""
    count = options.n or DEFAULT_N
    clean, missing = pick(options.data, CLEAN * count, options.seed)
    spoilt, _ = pick(options.data, count, options.seed)
    say("\n".join(missing) or f"{len(clean)} pictures as they are, {len(spoilt)} of them spoilt")
    reader = open_reader(Ocr(), options.models)
    results = _look_at_all(options, reader, clean, {one.path for one in spoilt})
    return conclude(options, "flaws", figures_of(results), reader.fingerprint, "")


def figures_of(results: Results) -> dict[str, Figure]:
    """The figures; those of a flaw only where some picture was spoilt enough to have it."""
    figures = {}
    for flaw in Flaw:
        groups = [[one for one in result["spoilt"] if one["flaw"] == flaw] for result in results]
        strong = [[_is_called(one) for one in group if one["lost"] > STRONG] for group in groups]
        slight = [[_is_called(one) for one in group if one["lost"] < SLIGHT] for group in groups]
        for name, told in (("caught", strong), ("slight", slight)):
            if any(told):
                figures[f"flaws.{flaw}.{name}"] = share([group for group in told if group])
    alarms = [[float(bool(result["flaws"]))] for result in results]
    return figures | {"flaws.false_alarms": share(alarms)}


def _is_called(one: dict[str, Any]) -> float:
    return float(one["flaw"] in one["flaws"])


def _look_at_all(
    options: Options, reader: PageReader, documents: list[Document], spoilt: set[Path]
) -> Results:
    finished = Finished("flaws", key=(reader.fingerprint, commit()))
    if options.restart:
        finished.forget()
    progress = Progress("flaws", len(documents) + len(WAYS) * len(spoilt))
    results = []
    for document in documents:
        looks = _Looks(reader, document, finished, progress)
        result: dict[str, Any] = {"flaws": looks.look("")["flaws"], "spoilt": []}
        for way in WAYS if document.path in spoilt else ():
            result["spoilt"] += looks.look(way)["spoilt"]
        if result["flaws"]:
            say(f"{document.dataset} {document.name}: {', '.join(result['flaws'])}")
        results.append(result)
    return results


class _Looks:
    """What is found on one picture, as it is and spoilt; what an earlier run has found is not sought."""

    def __init__(
        self, reader: PageReader, document: Document, finished: Finished, progress: Progress
    ) -> None:
        self._reader = reader
        self._document = document
        self._finished = finished
        self._progress = progress
        self._digest = hashlib.sha256(document.path.read_bytes()).hexdigest()

    def look(self, way: str) -> dict[str, Any]:
        """Spoilt in a way, once for each strength; as it is, where the way is empty."""
        name = f"{self._document.dataset}/{self._digest}/{way}"
        found = self._finished.get(name)
        if found is not None:
            self._progress.skip(1)
            return found
        found = {"spoilt": self._spoilt(way)} if way else {"flaws": list(self._text.flaws)}
        self._finished.put(name, found)
        self._progress.step(f"{self._document.dataset} {self._document.sheet} {way}")
        return found

    def _spoilt(self, way: str) -> Results:
        flaw, spoil, strengths = WAYS[way]
        upright = turned(self._pixels, self._text.turn)
        found = []
        for step, strength in enumerate(strengths if self._text.lines else ()):
            chance = np.random.default_rng([int(self._digest[:8], 16), step, *way.encode()])
            again = self._reader.read(spoil(upright, self._text.lines, strength, chance))
            lost = _lost(self._text, again)
            found.append({"flaw": flaw, "lost": lost, "flaws": list(again.flaws)})
        return found

    @cached_property
    def _pixels(self) -> Pixels:
        with Image.open(self._document.path) as image:
            return np.array(image.convert("RGB"))

    @cached_property
    def _text(self) -> PageText:
        return self._reader.read(self._pixels)


def _lost(before: PageText, after: PageText) -> float:
    """The share of words that are no longer read."""
    known, kept = _words(before), _words(after)
    return 1 - (known & kept).total() / max(known.total(), 1)


def _words(text: PageText) -> Counter[str]:
    return words(line.text for line in text.lines)
