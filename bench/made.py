"""Generated documents: pages of the test split, photographed by simulation, with what is asked of them.

Layouts, fonts, analytes, report texts and wordings appear in no training page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from PIL import Image

from bench.documents import Asked, Document
from bench.failure import BenchError
from bench.generator import generator
from bench.score import Kind
from edge_clm.paper import PageKind
from edge_clm.values.quantity import read_quantity

MADE = {
    "lab": PageKind.LAB_REPORT,
    "radiology": PageKind.RADIOLOGY_REPORT,
    "made_invoice": PageKind.INVOICE,
    "made_receipt": PageKind.RECEIPT,
}
"""Sets that are generated; the last two are asked to see what is refused."""
_FIGURES = {
    "analyte": ("lab.value", Kind.QUANTITY),
    "side": ("lab.flag", Kind.SIDE),
    "outside": ("lab.flag", Kind.YES_NO),
    "impression": ("radiology.impression", Kind.PASSAGE),
    "size": ("radiology.size", Kind.SIZE),
}
_REFUSABLE = ("total", "date", "number", "seller")
_MOST = 2
"""Questions of one sort to a document."""
_TURNS = 60


def make(dataset: str, count: int, seed: int, reports: Path, directory: Path) -> list[Document]:
    """`count` documents of a set, as JPEG files under a directory; raises BenchError without what makes them.

    A picture that is there is taken as it is, where this very generator has made it: another one has drawn
    other pages under the same numbers.
    """
    try:
        from edge_clm.train.capture import capture
        from edge_clm.train.nano.pool import perfect
        from edge_clm.train.nano.turns import turns
        from edge_clm.train.pages.draw import chance
        from edge_clm.train.pages.make import page_of
    except ModuleNotFoundError as error:
        raise BenchError(f"{error.name} is missing: pip install 'edge-clm[train]'") from error
    place = directory / generator()
    place.mkdir(parents=True, exist_ok=True)
    documents = []
    for number in range(seed * 100_000, seed * 100_000 + count):
        page = page_of(MADE[dataset], number, "test", reports, frozenset({"en"}))
        path = place / f"{dataset}-{number}.jpg"
        if not path.exists():
            Image.fromarray(capture(page.image, number).pixels).save(path, quality=92)
        rng = chance("bench", dataset, number)
        asked = _asked(
            (turn.concept, turn.question, turn.answer, turn.present)
            for turn in turns(perfect(page), rng, "test", _TURNS)
        )
        documents.append(Document(dataset, path.stem, "simulated", "simulated", path, {}, asked))
    return documents


def _asked(turns: Iterable[tuple[str, str, str, bool]]) -> tuple[Asked, ...]:
    """A few questions of each sort that is measured, and as many that have no answer on the page."""
    found: list[Asked] = []
    counted: Counter[str] = Counter()
    for concept, question, answer, present in turns:
        sort = concept if present else "absent"
        if counted[sort] >= _MOST:
            continue
        if one := _one(concept, question, answer, present):
            counted[sort] += 1
            found.append(one)
    return tuple(found)


def _one(concept: str, question: str, answer: str, present: bool) -> Asked | None:
    if not present:
        return Asked("", Kind.PASSAGE, question, "")
    if concept in _REFUSABLE:
        return Asked("", Kind.PASSAGE, question, answer)
    if concept not in _FIGURES:
        return None
    figure, kind = _FIGURES[concept]
    if kind is Kind.QUANTITY and read_quantity(answer) is None:
        return None
    if kind in (Kind.SIDE, Kind.YES_NO):
        answer = answer.partition(",")[0].strip(".")
    return Asked(figure, kind, question, answer)
