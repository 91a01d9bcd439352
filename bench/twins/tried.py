"""The trials of one page: its control and its twins, all in one photograph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from random import Random

from bench.twins.edits import Twin
from bench.twins.known import Known, Rig, known
from bench.twins.making import ELSEWHERE, scrawled, twins_of
from bench.twins.rivals import Glance, rivals
from bench.twins.sources import Source
from bench.twins.strips import strips_of
from bench.twins.trials import CONTROL, WHOLE_PAGE, Page, Trial
from bench.twins.visible import visible
from edge_clm.page.judge import Comparison
from edge_clm.train.pages.draw import chance
from edge_clm.types import Pixels


def twin_trials(rig: Rig, source: Source, count: int, compared: int, scrawls: int) -> Page:
    """A page's control, asked everything, and at most `count` twins, each asked what its edit changes.

    Then `scrawls` pictures with marks on many values at once, each of which is asked.

    An edit elsewhere is asked the whole page and one value that it leaves as it was. `compared` of the
    twins are shown to rivals as well, and so is the control. A twin whose edit nobody could see is no trial.
    """
    opened = source.opened(rig.readings)
    page = known(rig, opened)
    rng = chance(source.seed, source.name, "twins")
    places = [line.quad for line in opened.text.lines]
    strips = strips_of(opened.picture, places, rig.reader.recognise, rig.reader.alphabet)
    trying = _Trying(source, page, page.glance() if compared else None)
    control = opened.photographed(opened.picture)
    trying.capture(control, "control", CONTROL, "", [WHOLE_PAGE, *page.asked], rival=True)
    chosen = rng.sample(range(count), min(compared, count))
    made = islice(twins_of(opened.picture, list(page.asked.values()), strips, rng), count)
    for at, twin in enumerate(made):
        edited = "" if twin.kind in ELSEWHERE else twin.field
        questions = [edited] if edited else [WHOLE_PAGE, *_unchanged(page, twin, rng)]
        photo = opened.photographed(twin.pixels)
        if not visible(control, photo):
            continue
        trying.capture(photo, f"{at:02d}", twin.kind, edited, questions, rival=at in chosen)
    for at in range(scrawls):
        pixels, marked = scrawled(opened.picture, list(page.asked.values()), strips, rng)
        trying.scrawl(opened.photographed(pixels), f"scrawl {at}", marked)
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

    def scrawl(self, pixels: Pixels, name: str, marked: Sequence[Twin]) -> None:
        """Tries a capture with many marks."""
        comparison = self._page.compare(pixels)
        for twin in marked:
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


def _unchanged(page: Known, twin: Twin, rng: Random) -> list[str]:
    """A value that does not stand on a line that was moved or printed again; none where all do."""
    moved = "".join(f"{twin.before} {twin.after}".split())
    fields = [
        name
        for name, asked in page.asked.items()
        if not any("".join(part.text.split()) in moved for part in asked.parts)
    ]
    return [rng.choice(fields)] if fields else []
