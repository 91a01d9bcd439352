"""How often a photo recalls its page, and what it takes.

The index holds one anchor for each page of a set and N generated pages (default 2000); every other photo
of a page is a query, and every photo is anchor once. Pages are ranked as the daemon ranks them: of those that
look likest as a whole, by the points in common. It compares with two at most, and with those of the same names. Sets of one picture a page are left out. No daemon is started.

Figures: recall.at1 and .at5; recall.turned.* with the queries turned by 90 degrees; recall.p50_ms and
.p95_ms from canonical pixels to the features; recall.search.p50_ms and .p95_ms from these to the pages.
Rivals: recall.cosine.* by the model's vectors alone; recall.hash.* by a 256-bit perceptual hash, and
recall.pca.* by the principal components of pixels, as many as the vectors have, fit on the generated
pages; a page that is as like as the right one counts as before it. Generated pages are of the test split, captured by simulation once and kept in the user's cache.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from bench.documents import SETS, Document, load
from bench.failure import BenchError
from bench.generator import generator
from bench.options import Options
from bench.pixel_vectors import Principal, hashed
from bench.progress import Progress, say
from bench.quiet import Quiet
from bench.report import Figure, ranked, share
from bench.session import conclude
from edge_clm.errors import EdgeClmError
from edge_clm.features import Features
from edge_clm.memory.recall import Recall, proposed
from edge_clm.page.clip import DIMENSIONS, Clip
from edge_clm.page.geometry import turned
from edge_clm.page.points import points_of
from edge_clm.types import Pixels
from edge_clm.weights import user_cache

DEFAULT_N = 2000
_FIRSTS = (1, 5)
_TENANT = "bench"
_SEED = 7
"""Of generated pages; no page is learnt from, whatever its seed: they are of the test split."""
Vectors = NDArray[np.float32]
"""float32, (pictures, dimensions), each of length 1."""
Way = Callable[[Pixels], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Seen:
    """A picture in the eyes of every way."""

    dataset: str
    sheet: str
    features: Features
    turned: Features
    """Of the picture lying on its side."""
    vectors: Mapping[str, NDArray[np.float32]]
    """By rival."""
    ms: Mapping[str, float]
    """By rival; the empty name is that of the features."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a query has recalled."""

    sheet: str
    rank: float
    """Of the right page, from 1; infinite where it was not proposed."""
    ms: float


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which model, and what generated reports are laid out from."""
    parser.epilog = f"--n counts generated pages; default {DEFAULT_N}."
    parser.add_argument("--clip", default="docclip", metavar="NAME", help="default %(default)s")
    parser.add_argument(
        "--reports",
        type=Path,
        metavar="DIR",
        help="texts of radiology reports (default: in --data)",
    )


def run(options: Options, given: argparse.Namespace) -> int:
    """Measures and reports; 0 when every figure could be given."""
    documents = _queried(options.data)
    try:
        clip = Clip.load(options.models, given.clip)
    except EdgeClmError as error:
        raise BenchError(f"{error}. {error.remedy}") from error
    count = options.n or DEFAULT_N
    made = _made(count, given.reports or options.data / "reports")
    principal = Principal(made, DIMENSIONS)
    rivals: dict[str, Way] = {".hash": hashed, ".pca": principal.vector}
    others = {name: np.stack([way(one) for one in made]) for name, way in rivals.items()}
    features = [_features(clip, one) for one in made]
    others[".cosine"] = np.stack([one.vector for one in features])
    quiet = Quiet(options.wait_s, any_load=options.any_load)
    quiet.wait()
    seen = list(_looked_at(documents, clip, rivals))
    said = f"{count} generated pages beside those of a set, each captured at 640 pixels"
    figures = recall_figures(seen, features, clip.least, said)
    figures |= rival_figures(seen, others, said)
    return conclude(options, "recall", figures, clip.fingerprint, quiet.note())


def recall_figures(
    seen: Sequence[Seen], others: Sequence[Features], least: float, said: str
) -> dict[str, Figure]:
    """What the daemon would recall; `others` are the generated pages, `least` the cosine that it asks for."""
    figures: dict[str, Figure] = {}
    for key, lies in (("recall", False), ("recall.turned", True)):
        found = list(_recalled(seen, others, least, lies=lies))
        figures |= _shares(key, _by_sheet((one.sheet, one.rank) for one in found), said)
        if not lies:
            figures |= _times("recall.search", _by_sheet((one.sheet, one.ms) for one in found))
    return figures | _times("recall", _by_sheet((one.sheet, one.ms[""]) for one in seen))


def rival_figures(
    seen: Sequence[Seen], others: Mapping[str, Vectors], said: str
) -> dict[str, Figure]:
    """The same by one vector of each picture; `others` are the generated pages."""
    figures: dict[str, Figure] = {}
    for name, generated in others.items():
        figures |= _shares(f"recall{name}", _ranks(seen, generated, name), said)
        figures |= _times(f"recall{name}", _by_sheet((one.sheet, one.ms[name]) for one in seen))
    return figures


def ranks_of(
    anchors: Mapping[str, int], queries: Mapping[int, str], vectors: Vectors, asked: Vectors
) -> dict[int, int]:
    """The rank of the right page for each query, from 1; ties count against it.

    `anchors` are pages with the row of `vectors` that stands for each, `queries` rows of `asked` with
    the page that each shows.
    """
    likeness = vectors[list(anchors.values())] @ asked[list(queries)].T
    place = {page: at for at, page in enumerate(anchors)}
    return {
        query: int((column >= column[place[page]]).sum())
        for (query, page), column in zip(queries.items(), likeness.T, strict=True)
    }


def _recalled(
    seen: Sequence[Seen], others: Sequence[Features], least: float, *, lies: bool
) -> Iterator[Found]:
    """What every query recalls in every round."""
    for mine in _by_dataset(seen):
        made = [(_TENANT, len(mine) + at, one) for at, one in enumerate(others)]
        recall = Recall(len(mine[0].features.vector), made)
        rounds = list(_rounds([one.sheet for one in mine]))
        progress = Progress("recall, turned" if lies else "recall", len(rounds))
        for anchors, asking in rounds:
            for row in anchors.values():
                recall.add(_TENANT, row, mine[row].features)
            for row, sheet in asking.items():
                query = mine[row].turned if lies else mine[row].features
                started = time.perf_counter()
                alike = [one for one in recall.search(_TENANT, query.vector) if one.cosine >= least]
                pages = [number for number, _ in proposed(query.points, alike, _FIRSTS[-1])]
                ms = (time.perf_counter() - started) * 1000
                right = anchors[sheet]
                yield Found(sheet, pages.index(right) + 1 if right in pages else math.inf, ms)
            for row in anchors.values():
                recall.remove(_TENANT, row)
            progress.step(f"{len(asking)} photos")


def _ranks(seen: Sequence[Seen], generated: Vectors, name: str) -> list[list[float]]:
    """By page, the ranks of all its queries in all rounds."""
    found: list[tuple[str, float]] = []
    for mine in _by_dataset(seen):
        vectors = np.concatenate([np.stack([one.vectors[name] for one in mine]), generated])
        made = {f"/{at}": len(mine) + at for at in range(len(generated))}
        for anchors, asking in _rounds([one.sheet for one in mine]):
            ranks = ranks_of(anchors | made, asking, vectors, vectors)
            found += [(mine[query].sheet, rank) for query, rank in ranks.items()]
    return _by_sheet(found)


def _by_dataset(seen: Sequence[Seen]) -> Iterator[list[Seen]]:
    for dataset in sorted({one.dataset for one in seen}):
        yield [one for one in seen if one.dataset == dataset]


def _rounds(sheets: Sequence[str]) -> Iterator[tuple[dict[str, int], dict[int, str]]]:
    """Anchors by page, and the pages of the queries, so that every picture is anchor once."""
    rows: dict[str, list[int]] = {}
    for row, sheet in enumerate(sheets):
        rows.setdefault(sheet, []).append(row)
    for mine in rows.values():
        # Else the anchors of one round would all be bent and lit alike.
        random.Random(mine[0]).shuffle(mine)
    for turn in range(max(map(len, rows.values()))):
        anchors = {sheet: mine[turn % len(mine)] for sheet, mine in rows.items()}
        yield (
            anchors,
            {
                row: sheet
                for sheet, mine in rows.items()
                if turn < len(mine)
                for row in mine
                if row != anchors[sheet]
            },
        )


def _shares(key: str, ranks: list[list[float]], said: str) -> dict[str, Figure]:
    figures = {}
    for first in _FIRSTS:
        one = share([[float(rank <= first) for rank in group] for group in ranks])
        note = "; ".join((one.note, said))
        figures[f"{key}.at{first}"] = Figure(one.value, one.n, one.unit, one.low, one.high, note)
    return figures


def _times(key: str, ms: list[list[float]]) -> dict[str, Figure]:
    return {f"{key}.p{rank}_ms": ranked(ms, rank, "ms") for rank in (50, 95)}


def _by_sheet(told: Iterable[tuple[str, float]]) -> list[list[float]]:
    groups: dict[str, list[float]] = {}
    for sheet, value in told:
        groups.setdefault(sheet, []).append(value)
    return list(groups.values())


def _queried(data: Path) -> list[Document]:
    """The pictures of all sets in which a page has more than one."""
    found: list[Document] = []
    for name in SETS:
        documents = load(data, name)
        if len({one.sheet for one in documents}) < len(documents):
            found += documents
        else:
            say(f"{name} has no page with two pictures under {data}: left out")
    if not found:
        raise BenchError(f"no page has two pictures under {data}; name a directory with --data")
    return found


def _made(count: int, reports: Path) -> list[Pixels]:
    try:
        from edge_clm.train.clip.gallery import Plan, photograph, shown
    except ModuleNotFoundError as error:
        raise BenchError(f"{error.name} is missing: pip install 'edge-clm[train]'") from error
    directory = user_cache() / "bench" / "recall" / f"pages-{_SEED}-{generator()}"
    plan = Plan(_SEED, "test", reports, sheets=1, views=1)
    kept = sum((directory / f"{number}.json").exists() for number in range(count))
    progress = Progress("generated pages", count)
    progress.skip(kept)
    try:
        for number in photograph(plan, count, directory):
            progress.step(str(number))
    except EdgeClmError as error:
        raise BenchError(f"{error}. {error.remedy}") from error
    return [shown(directory, number, 0, 0) for number in range(count)]


def _looked_at(
    documents: Sequence[Document], clip: Clip, rivals: Mapping[str, Way]
) -> Iterator[Seen]:
    progress = Progress("features", len(documents))
    for document in documents:
        pixels = _opened(document.path)
        vectors, ms = {}, {}
        for name, way in {".cosine": clip.embed, **rivals}.items():
            started = time.perf_counter()
            vectors[name] = way(pixels)
            ms[name] = (time.perf_counter() - started) * 1000
        started = time.perf_counter()
        features = _features(clip, pixels)
        ms[""] = (time.perf_counter() - started) * 1000
        lying = _features(clip, turned(pixels, 90))
        progress.step(document.sheet)
        yield Seen(document.dataset, document.sheet, features, lying, vectors, ms)


def _features(clip: Clip, pixels: Pixels) -> Features:
    return Features(clip.embed(pixels), points_of(pixels))


def _opened(path: Path) -> Pixels:
    with Image.open(path) as picture:
        return np.array(ImageOps.exif_transpose(picture).convert("RGB"))
