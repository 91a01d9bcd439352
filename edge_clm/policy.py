"""Decides how a request is served."""

from __future__ import annotations

from dataclasses import dataclass

from edge_clm.paper import PageKind
from edge_clm.types import Finish, Sampling, Sighting, Snapshot

_REPORTS = frozenset((PageKind.LAB_REPORT, PageKind.RADIOLOGY_REPORT))
NOTHING_KEPT = "nothing_kept"
UNREACHABLE = "memory_unreachable"


@dataclass(frozen=True, slots=True)
class Wish:
    """What a caller asks of memory; it can only make reuse stricter."""

    fresh: bool = False
    no_store: bool = False
    max_age_s: float = 0.0
    """0 for no limit."""


def bars_replay(snapshot: Snapshot | None, wish: Wish, sampling: Sampling, now: float) -> str:
    """What bars a snapshot of the very same joint hash from being given again; empty where nothing does.

    `now` in Unix seconds. A sampled answer never comes from memory, and an answer longer than the
    caller wants is generated anew rather than cut.
    """
    if wish.fresh:
        return "fresh_wanted"
    if sampling.temperature > 0:
        return "sampled"
    if snapshot is None:
        return NOTHING_KEPT
    if snapshot.disputed:
        return "disputed"
    # A snapshot from the future has no age that could be trusted: the clock was set back.
    if wish.max_age_s and not 0 <= now - snapshot.created <= wish.max_age_s:
        return "too_old"
    return "too_long" if len(snapshot.tokens) > sampling.max_tokens else ""


def bars_report(sighting: Sighting | None, handle: str) -> str:
    """What bars answers about a page from being given again for a capture of that handle; empty where nothing does.

    A report's are only for the very file that it was read from: for any other the model is asked.
    """
    if sighting is None or sighting.kind not in _REPORTS or sighting.handle == handle:
        return ""
    return "report_in_another_file"


def bars_keeping(wish: Wish, sampling: Sampling, finish: Finish) -> str:
    """What bars an answer from being kept, which must be complete, greedy, and not against the caller's wish."""
    if wish.no_store:
        return "no_store_wanted"
    if sampling.temperature > 0:
        return "sampled"
    return "" if finish is Finish.STOP else "cut_short"
