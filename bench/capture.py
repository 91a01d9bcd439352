"""Whether simulated captures are as hard to read as real photos.

Photographs the flat renders of inv3d by simulation, N times in all (default 40), spread evenly over
sheets, bends and lights as the default hardness weighs them, and reads them, the flats, and N of the
real photos, spread likewise. Compared are words, each as often as it occurs: twice those that two
pictures have in common over all that both have. No daemon is started.

Figures: capture.words.p5 and .median over pairs of captures of one sheet, real.words.* over pairs of
its photos; capture.flat.* and real.flat.* over single pictures, each against its flat, in all and the
mean by bend and by light. Words are kept as digests, by the picture's digest, for the same OCR; five
are read anew every time and must come out alike. --restart reads everything again.
"""

from __future__ import annotations

import argparse
import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, cycle, islice, product
from pathlib import Path
from typing import TypeVar

import numpy as np
from PIL import Image

from bench.documents import choose, load
from bench.failure import BenchError
from bench.finished import Finished
from bench.ocr_score import words
from bench.options import Options
from bench.progress import Progress, say
from bench.report import Figure, mean, ranked
from bench.session import conclude
from edge_clm.config import Ocr
from edge_clm.page.ocr import PageReader
from edge_clm.page.reader import open_reader
from edge_clm.train.capture import Bend, Hardness, Light, capture
from edge_clm.types import Pixels

DEFAULT_N = 40
AGAIN = 5
"""How many kept readings are made anew."""
REAL_BENDS = {
    "perspective": Bend.FLAT,
    "curled": Bend.CURLED,
    "fewfold": Bend.FEW_FOLDS,
    "multifold": Bend.MANY_FOLDS,
    "crumpleseasy": Bend.CRUMPLED,
    "crumpleshard": Bend.CRUMPLED_HARD,
}
REAL_LIGHTS = {"bright": Light.BRIGHT, "color": Light.COLOUR, "shadow": Light.SHADOW}

Words = Counter[str]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a sheet, real or simulated, opened when it is needed."""

    sheet: str
    bend: str
    light: str
    open: Callable[[], Pixels]


@dataclass(frozen=True, slots=True)
class Read:
    """What was read of a picture."""

    picture: Picture
    words: Words


def add_options(parser: argparse.ArgumentParser) -> None:
    """This bench has none of its own."""
    parser.epilog = f"--n counts captures, and photos as well; default {DEFAULT_N}."


def run(options: Options, given: argparse.Namespace) -> int:
    """Measures and reports; 0 when every figure could be given."""
    count = options.n or DEFAULT_N
    flats = sorted((options.data / "inv3d").glob("*/flat_document.png"))
    if not flats:
        raise BenchError(
            f"no flat renders of inv3d under {options.data}; name a directory with --data"
        )
    reader = open_reader(Ocr(), options.models)
    finished = Finished("capture", key=(reader.fingerprint,))
    if options.restart:
        finished.forget()
    groups = {
        "flat": [Picture(flat.parent.name, "", "", _opener(flat)) for flat in flats],
        "capture": list(_captures(flats, count, options.seed)),
        "real": list(_photos(options.data, count, options.seed)),
    }
    looks = _Looks(reader, finished, sum(map(len, groups.values())))
    read = {name: [looks.look(one) for one in group] for name, group in groups.items()}
    looks.check()
    return conclude(options, "capture", figures_of(read), reader.fingerprint, "")


def figures_of(read: dict[str, list[Read]]) -> dict[str, Figure]:
    """The figures of `capture` and `real`, against each other and against `flat`."""
    flats = {one.picture.sheet: one.words for one in read["flat"]}
    figures: dict[str, Figure] = {}
    for name in ("capture", "real"):
        sheets: dict[str, list[Read]] = {}
        for one in read[name]:
            sheets.setdefault(one.picture.sheet, []).append(one)
        pairs = [_shares(group) for group in sheets.values() if len(group) > 1]
        figures |= _quantiles(f"{name}.words", pairs)
        figures |= _against(f"{name}.flat", sheets, flats)
    return figures


def common(one: Words, other: Words) -> float:
    """The share of words that two pictures have in common; 1 where neither has any."""
    both = one.total() + other.total()
    return 2 * (one & other).total() / both if both else 1.0


def _shares(group: Sequence[Read]) -> list[float]:
    return [common(one.words, other.words) for one, other in combinations(group, 2)]


def _quantiles(key: str, groups: Sequence[Sequence[float]]) -> dict[str, Figure]:
    if not groups:
        return {}
    return {f"{key}.p5": ranked(groups, 5, "share"), f"{key}.median": ranked(groups, 50, "share")}


def _against(key: str, sheets: dict[str, list[Read]], flats: dict[str, Words]) -> dict[str, Figure]:
    def chosen(kind: str | None) -> list[list[float]]:
        found = [
            [common(flats[sheet], one.words) for one in group if kind in (None, *_kinds(one))]
            for sheet, group in sheets.items()
            if sheet in flats
        ]
        return [group for group in found if group]

    figures = _quantiles(key, chosen(None))
    for kind in (*Bend, *Light):
        if groups := chosen(kind):
            figures[f"{key}.{kind}.mean"] = mean(groups, "share")
    return figures


def _kinds(one: Read) -> tuple[str, str]:
    return one.picture.bend, one.picture.light


def _captures(flats: Sequence[Path], count: int, seed: int) -> Iterator[Picture]:
    """Simulated captures: sheets in turn, bends and lights as often as the default hardness has them."""
    kinds = list(product(_by_weight(Hardness().bends), _by_weight(Hardness().lights)))
    random.Random(seed).shuffle(kinds)
    for at, (flat, (bend, light)) in enumerate(islice(zip(cycle(flats), cycle(kinds)), count)):
        yield Picture(flat.parent.name, bend, light, _simulated(flat, seed + at, bend, light))


def _by_weight(weights: Mapping[T, float]) -> list[T]:
    least = min(weights.values())
    return [thing for thing, weight in weights.items() for _ in range(round(weight / least))]


def _simulated(flat: Path, seed: int, bend: Bend, light: Light) -> Callable[[], Pixels]:
    hardness = Hardness(bends={bend: 1.0}, lights={light: 1.0})
    return lambda: capture(_opener(flat)(), seed, hardness).pixels


def _photos(data: Path, count: int, seed: int) -> Iterator[Picture]:
    for one in choose(load(data, "inv3d"), count, seed):
        bend, light = REAL_BENDS.get(one.bend, one.bend), REAL_LIGHTS.get(one.light, one.light)
        yield Picture(one.sheet, bend, light, _opener(one.path))


def _opener(path: Path) -> Callable[[], Pixels]:
    def opened() -> Pixels:
        with Image.open(path) as image:
            return np.array(image.convert("RGB"))

    return opened


class _Looks:
    """Reads pictures, keeping what was read."""

    def __init__(self, reader: PageReader, finished: Finished, total: int) -> None:
        self._reader = reader
        self._finished = finished
        self._progress = Progress("capture", total)
        self._known: list[tuple[Picture, Words]] = []

    def look(self, picture: Picture) -> Read:
        """A picture's words, read now or earlier."""
        pixels = picture.open()
        name = hashlib.sha256(repr(pixels.shape).encode() + pixels.tobytes()).hexdigest()
        found = self._finished.get(name)
        if found is not None:
            self._progress.skip(1)
            self._known.append((picture, Counter(found)))
            return Read(picture, Counter(found))
        words_read = self._words(pixels)
        self._finished.put(name, dict(words_read))
        self._progress.step(picture.sheet)
        return Read(picture, words_read)

    def check(self) -> None:
        """Reads some pictures again; raises BenchError where one comes out otherwise."""
        chosen = random.SystemRandom().sample(self._known, min(AGAIN, len(self._known)))
        for picture, known in chosen:
            if self._words(picture.open()) != known:
                raise BenchError(f"{picture.sheet} is read otherwise than kept; try --restart")
        say(f"{len(chosen)} of {len(self._known)} kept readings made anew, all alike")

    def _words(self, pixels: Pixels) -> Words:
        """Words as digests, since no page's text is kept."""
        found = words(line.text for line in self._reader.read(pixels).lines)
        return Counter(
            {hashlib.sha256(word.encode()).hexdigest()[:16]: n for word, n in found.items()}
        )
