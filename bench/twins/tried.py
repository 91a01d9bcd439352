"""The trials of one page: its control and its twins, all in one photograph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random

from bench.twins.curve import same_under
from bench.twins.edits import Twin
from bench.twins.known import Known, Rig, known
from bench.twins.making import ELSEWHERE, retouched, scrawled, twins_of
from bench.twins.rivals import Glance, rivals
from bench.twins.sources import Source
from bench.twins.strips import strips_of
from bench.twins.trials import CONTROL, WHOLE_PAGE, Page, Trial
from bench.twins.visible import part, visible
from edge_clm.page.judge import Comparison
from edge_clm.page.rule import Thresholds
from edge_clm.paper import Quad
from edge_clm.train.pages.draw import chance
from edge_clm.types import Pixels


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is tried on each page."""

    twins: int
    """Twins of a page, at most."""
    compared: int
    """Of these, how many are shown to rivals too."""
    scrawls: int
    """Pictures of a page with marks all over."""
    retouched: int
    """Pictures of a page with print edited all over."""
    served: Thresholds | None
    """Edited are only values for which the control is the same page by these: no other twin could be live.
    None for all."""
    elsewhere: bool
    """Whether what changes no value is tried as well."""


def twin_trials(rig: Rig, source: Source, extent: Extent) -> Page:
    """A page's control, asked everything, and its twins, each asked what its edit changes.

    Then pictures with marks on many values at once, or with many of them edited, each of which is asked.

    An edit elsewhere is asked the whole page and one value that it leaves as it was. Some of the
    twins are shown to rivals as well, and so is the control. A twin whose edit nobody could see is no trial.
    """
    opened = source.opened(rig.readings)
    page = known(rig, opened)
    rng = chance(source.seed, source.name, "twins")
    trying = _Trying(source, page, page.glance() if extent.compared else None)
    control = opened.photographed(opened.picture)
    trying.capture(control, "control", CONTROL, "", [WHOLE_PAGE, *page.asked], rival=True)
    values = [page.asked[name] for name in trying.served(extent.served)]
    if extent.served and not values:
        return trying.page()
    places = [line.quad for line in opened.text.lines]
    strips = strips_of(opened.picture, places, rig.reader.recognise, rig.reader.alphabet)
    chosen = rng.sample(range(extent.twins), min(extent.compared, extent.twins))
    every = twins_of(opened.picture, values, strips, rng)
    made = (twin for twin in every if extent.elsewhere or twin.kind not in ELSEWHERE)
    for at, twin in enumerate(islice(made, extent.twins)):
        edited = "" if twin.kind in ELSEWHERE else twin.field
        questions = [edited] if edited else [WHOLE_PAGE, *_unchanged(page, twin, rng)]
        photo = opened.photographed(twin.pixels)
        if not visible(control, photo):
            continue
        if edited and trying.rests_elsewhere((control, photo), edited):
            continue
        trying.capture(photo, f"{at:02d}", twin.kind, edited, questions, rival=at in chosen)
    for make, count in ((scrawled, extent.scrawls), (retouched, extent.retouched)):
        for at in range(count):
            pixels, edited_there = make(opened.picture, values, strips, rng)
            photo = opened.photographed(pixels)
            trying.many((control, photo), f"{make.__name__} {at}", edited_there)
    return trying.page()


class _Trying:
    """Puts questions to one known page, and keeps what is said."""

    def __init__(self, source: Source, page: Known, glance: Glance | None) -> None:
        self._source = source
        self._page = page
        self._glance = glance
        self._trials: list[Trial] = []
        self._stages: list[dict[str, float]] = []

    def capture(
        self,
        pixels: Pixels,
        name: str,
        kind: str,
        edited: str,
        questions: Sequence[str],
        *,
        rival: bool,
    ) -> None:
        """Tries a capture."""
        comparison = self._page.compare(pixels)
        seen = self._page.seen(pixels) if rival and self._glance else None
        for asked in questions:
            # An edit elsewhere leaves every value as it was, and the page as a whole not.
            truthful = kind == CONTROL or (kind in ELSEWHERE and asked != WHOLE_PAGE)
            self._note(comparison, (name, kind, edited, asked), truthful, self._rivals(seen, asked))
        # What several questions need is proven together; a request has one.
        if len(questions) == 1:
            self._stages.append(dict(comparison.stages))

    def served(self, thresholds: Thresholds | None) -> list[str]:
        """Values for which the control is the same page by some thresholds; without any, all values."""
        if thresholds is None:
            return list(self._page.asked)
        same = same_under(thresholds)
        controls = [one for one in self._trials if one.kind == CONTROL and one.asked != WHOLE_PAGE]
        return [one.asked for one in controls if same(one)]

    def rests_elsewhere(self, photos: tuple[Pixels, Pixels], field: str) -> bool:
        """Whether a value's own places are known and look alike on both photos.

        A total is printed three times, read by the anchor at one of them, and edited at another: what the answer
        rests on was left as it was.
        """
        places = self._page.compare(photos[1]).found(self._page.evidence[field])
        return bool(places) and not _differ(photos, places)

    def many(self, photos: tuple[Pixels, Pixels], name: str, twins: Sequence[Twin]) -> None:
        """Tries a capture with many edits, the second of two `photos`; the first is the control's.

        Of an edit that nobody could see where it stands there is no trial.
        """
        comparison = self._page.compare(photos[1])
        for twin in twins:
            if _differ(photos, comparison.found(self._page.evidence[twin.field])):
                self._note(comparison, (name, twin.kind, twin.field, twin.field), False, {})

    def _note(
        self,
        comparison: Comparison,
        named: tuple[str, str, str, str],
        truthful: bool,
        rivals: Mapping[str, float],
    ) -> None:
        source = self._source
        signals = self._page.signals(comparison, named[-1])
        whence = (source.name, source.document, source.sort, source.real)
        self._trials.append(Trial(*whence, *named, truthful, signals, rivals))

    def _rivals(self, seen: Glance | None, asked: str) -> dict[str, float]:
        if self._glance is None or seen is None:
            return {}
        return rivals(self._glance, seen, self._page.asked.get(asked))

    def page(self) -> Page:
        """All that was tried."""
        return Page(tuple(self._trials), self._page.misread, tuple(self._stages))


def _differ(photos: tuple[Pixels, Pixels], places: Sequence[Quad]) -> bool:
    """Whether anybody could tell one photo from the other at any of some places."""
    return any(visible(*(part(photo, place) for photo in photos)) for place in places)


def _unchanged(page: Known, twin: Twin, rng: Random) -> list[str]:
    """A value that does not stand on a line that was moved or printed again; none where all do."""
    moved = "".join(f"{twin.before} {twin.after}".split())
    fields = [
        name
        for name, asked in page.asked.items()
        if not any("".join(part.text.split()) in moved for part in asked.parts)
    ]
    return [rng.choice(fields)] if fields else []
