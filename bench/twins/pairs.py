"""Pairs of captures: of one paper, to see how often it is known again, and of papers that look alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from random import Random

from bench.documents import INV3D_TAGS
from bench.normalise import plain
from bench.twins.known import Rig, known
from bench.twins.labels import Asked
from bench.twins.sources import Photo, Scan, Source
from bench.twins.trials import LOOKALIKE, REUSE, WHOLE_PAGE, Page, Trial


@dataclass(frozen=True, slots=True)
class Pairs:
    """A known page and captures that are held against it; its own name says what for."""

    name: str
    kind: str
    """`reuse` or `lookalike`."""
    anchor: Source
    others: tuple[Source, ...]


def pair_trials(rig: Rig, pairs: Pairs) -> Page:
    """Every value that is on the list of what can be asked of a pair's set; of look-alikes the whole page too."""
    page = known(rig, pairs.anchor.opened(rig.readings))
    fields = [name for name in page.asked if name in INV3D_TAGS]
    questions = fields if pairs.kind == REUSE else [WHOLE_PAGE, *fields]
    trials: list[Trial] = []
    for other in pairs.others:
        opened = other.opened(rig.readings)
        comparison = page.compare(opened.photographed(opened.picture))
        said = {one.field: one for one in opened.asked}
        trials += [
            Trial(
                pairs.anchor.name,
                pairs.anchor.document,
                pairs.anchor.sort,
                pairs.anchor.real,
                other.name,
                pairs.kind,
                "",
                asked,
                truthful=pairs.kind == REUSE or _alike(page.asked.get(asked), said.get(asked)),
                signals=page.signals(comparison, asked),
            )
            for asked in questions
        ]
    misread = tuple(name for name in page.misread if name in INV3D_TAGS)
    return Page(tuple(trials), misread, ())


def reuse_pairs(photos: Sequence[Photo], most: int, seed: int) -> Iterator[Pairs]:
    """Each photo as the anchor of others of its paper, at most `most` of them."""
    for _, group in groupby(sorted(photos, key=_document), key=_document):
        papers = list(group)
        for photo in papers:
            yield _pairs(REUSE, photo, [one for one in papers if one != photo], most, seed)


def lookalike_pairs(
    alike: Sequence[Sequence[Photo | Scan]], most: int, seed: int
) -> Iterator[Pairs]:
    """Each picture as the anchor of those of other papers of its group, at most `most` of them."""
    for group in alike:
        for one in group:
            others = [other for other in group if other.document != one.document]
            yield _pairs(LOOKALIKE, one, others, most, seed)


def _pairs(
    kind: str, anchor: Photo | Scan, others: Sequence[Source], most: int, seed: int
) -> Pairs:
    rng = Random(f"{seed} {kind} {anchor.name}")
    chosen = rng.sample(list(others), min(most, len(others)))
    return Pairs(f"{kind} {anchor.name}", kind, anchor.itself(), tuple(chosen))


def _document(source: Source) -> str:
    return source.document


def _alike(one: Asked | None, other: Asked | None) -> bool:
    """Whether two papers print a value alike, so that the one's answer is right for the other."""
    if one is None or other is None:
        return False
    return [plain(part.text) for part in one.parts] == [plain(part.text) for part in other.parts]
