"""What trials of page identity come to under a rule."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bench.report import Figure, count, ranked, share
from bench.twins.labels import sort_of
from bench.twins.trials import CONTROL, LOOKALIKE, REUSE, WHOLE_PAGE, Page, Trial

IsSame = Callable[[Trial], bool]
"""Whether a rule takes a trial's capture for the same page."""
Legible = frozenset[tuple[str, str]]
_ALL = ""


@dataclass(frozen=True, slots=True)
class Twinned:
    """Trials of twins under a rule."""

    live: tuple[Trial, ...]
    """Those whose control was the same page, and for which the known answer is wrong."""
    wrong: tuple[Trial, ...]
    made: int
    """Trials for which the known answer is wrong, live or not."""


def twinned(trials: Sequence[Trial], same: IsSame) -> Twinned:
    """Which trials are live, and which of them go wrong."""
    served = {(one.page, one.asked) for one in trials if one.kind == CONTROL and same(one)}
    false = [one for one in trials if not one.truthful and one.kind != LOOKALIKE]
    live = tuple(one for one in false if (one.page, one.asked) in served)
    return Twinned(live, tuple(one for one in live if same(one)), len(false))


def live_figures(trials: Sequence[Trial], same: IsSame) -> dict[str, Figure]:
    """`live.*`: in all, by where pages come from, by kind of edit and by what was edited."""
    found = twinned(trials, same)
    if not found.made:
        return {}
    papers, pages = {one.document for one in found.live}, {one.page for one in found.live}
    bad = len({one.document for one in found.wrong})
    figures = {
        "live.wrong": count(
            len(found.wrong), len(found.live), note=_bound(found.wrong, found.live)
        ),
        "live.wrong.documents": count(bad, len(papers), note=_limit(bad, len(papers), "document")),
        "live.trials": count(len(found.live), found.made, note=f"on {len(pages)} pages"),
    }
    if found.live:
        figures["live.same"] = share(_by_document(found.live, same))
    for key, told in _GROUPS.items():
        names = sorted({told(one) for one in trials if not one.truthful and one.kind != LOOKALIKE})
        for name in names:
            live = [one for one in found.live if told(one) == name]
            wrong = [one for one in found.wrong if told(one) == name]
            figures[f"live.wrong.{key}.{name}"] = count(len(wrong), len(live))
    return figures | _served(trials, same)


def reuse_figures(pages: Sequence[Page], same: IsSame, legible: Legible) -> dict[str, Figure]:
    """`reuse.real_photos`: of the values that the anchor has right and that are legible on both photos.

    In all, by bend and by light of the capture; and with those that the anchor has wrong, which count as
    not served.
    """
    tried = [
        one
        for page in pages
        for one in page.trials
        if one.kind == REUSE and {(one.page, one.asked), (one.capture, one.asked)} <= legible
    ]
    if not tried:
        return {}
    figures = {"reuse.real_photos": share(_by_document(tried, same))}
    for at, what in ((0, "bend"), (1, "light")):
        for name in sorted({_taken(one)[at] for one in tried}):
            mine = [one for one in tried if _taken(one)[at] == name]
            figures[f"reuse.real_photos.{what}.{name}"] = share(_by_document(mine, same))
    figures["reuse.misread"] = _misread(pages, legible)
    return figures


def lookalike_figures(trials: Sequence[Trial], same: IsSame) -> dict[str, Figure]:
    """`lookalike.*`: pages taken for others of their kind, and answers that were wrong for that."""
    figures = {}
    for sort in (_ALL, *sorted({one.sort for one in trials if one.kind == LOOKALIKE})):
        mine = [one for one in trials if one.kind == LOOKALIKE and sort in (_ALL, one.sort)]
        pairs = {(one.page, one.capture) for one in mine}
        taken = {(one.page, one.capture) for one in mine if same(one)}
        false = [one for one in mine if not one.truthful]
        wrong = [one for one in false if same(one)]
        key = f"lookalike{'.' if sort else ''}{sort}"
        figures[f"{key}.wrong"] = count(len(wrong), len(false), note=_bound(wrong, false))
        figures[f"{key}.pairs_taken"] = count(len(taken), len(pairs))
    return figures if figures["lookalike.pairs_taken"].n else {}


def stage_figures(pages: Sequence[Page]) -> dict[str, Figure]:
    """`stage.identify.NAME.p50_ms` and `.p95_ms` of comparisons for one question."""
    figures = {}
    for name in dict.fromkeys(name for page in pages for times in page.stages for name in times):
        groups = [[times[name] for times in page.stages if name in times] for page in pages]
        groups = [group for group in groups if group]
        note = "beside other workers, one thread each"
        figures[f"stage.identify.{name}.p50_ms"] = ranked(groups, 50, "ms", note)
        figures[f"stage.identify.{name}.p95_ms"] = ranked(groups, 95, "ms", note)
    return figures


def _served(trials: Sequence[Trial], same: IsSame) -> dict[str, Figure]:
    """How often controls are the same page, and values that an edit elsewhere leaves as they were."""
    figures = {}
    controls = [one for one in trials if one.kind == CONTROL and one.asked != WHOLE_PAGE]
    for sort in sorted({one.sort for one in controls}):
        mine = [one for one in controls if one.sort == sort]
        figures[f"control.same.{sort}"] = share(_by_document(mine, same))
    whole = [one for one in trials if one.kind == CONTROL and one.asked == WHOLE_PAGE]
    if whole:
        figures["control.same.whole_page"] = share(_by_document(whole, same))
    left = [one for one in trials if one.truthful and one.kind not in (CONTROL, REUSE, LOOKALIKE)]
    if left:
        figures["unchanged.same"] = share(_by_document(left, same))
    return figures


def _misread(pages: Sequence[Page], legible: Legible) -> Figure:
    """Legible values of anchors that these pages' own text has otherwise: cold errors, which are not asked."""
    anchors = [page for page in pages if page.trials and page.trials[0].kind == REUSE]
    wrong = [
        (page.trials[0].page, field)
        for page in anchors
        for field in page.misread
        if (page.trials[0].page, field) in legible
    ]
    asked = {(one.page, one.asked) for page in anchors for one in page.trials} & legible
    return count(len(wrong), len(wrong) + len(asked), note="values not asked, of all")


def _by_document(trials: Iterable[Trial], same: IsSame) -> list[list[float]]:
    groups: dict[str, list[float]] = defaultdict(list)
    for one in trials:
        groups[one.document].append(float(same(one)))
    return list(groups.values())


def _edit(one: Trial) -> str:
    return f"{one.kind}_{sort_of(one.edited)}" if one.kind == "digit" else one.kind


def _taken(one: Trial) -> tuple[str, str]:
    """Bend and light of a photo of inv3d, by its name."""
    *_, bend, light = one.capture.rpartition("/")[2].removesuffix(".jpg").split("_")
    return bend, light


_GROUPS: dict[str, Callable[[Trial], str]] = {
    "from": lambda one: "real" if one.real else "simulated",
    "sort": lambda one: one.sort,
    "kind": _edit,
}


def _bound(wrong: Sequence[Trial], trials: Sequence[Trial]) -> str:
    return _limit(len(wrong), len(trials), "trial")


def _limit(wrong: int, n: int, what: str) -> str:
    """Zero in n independent ones bounds a rate, at 95 %: near 3/n for many."""
    return f"at most {1 - 0.05 ** (1 / n):.2%} by {what}" if n and not wrong else ""
