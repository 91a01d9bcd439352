"""Decides how a request is served."""

from __future__ import annotations

from dataclasses import dataclass

from edge_clm.types import Finish, Sampling, Snapshot


@dataclass(frozen=True, slots=True)
class Wish:
    """What a caller asks of memory; it can only make reuse stricter."""

    fresh: bool = False
    no_store: bool = False
    max_age_s: float = 0.0
    """0 for no limit."""


def may_replay(snapshot: Snapshot, wish: Wish, sampling: Sampling, now: float) -> bool:
    """Tells whether a snapshot of the very same joint hash may be given again.

    `now` in Unix seconds. A sampled answer never comes from memory, and an answer longer than the
    caller wants is generated anew rather than cut.
    """
    if wish.fresh or sampling.temperature > 0 or snapshot.disputed:
        return False
    # A snapshot from the future has no age that could be trusted: the clock was set back.
    if wish.max_age_s and not 0 <= now - snapshot.created <= wish.max_age_s:
        return False
    return len(snapshot.tokens) <= sampling.max_tokens


def may_keep(wish: Wish, sampling: Sampling, finish: Finish) -> bool:
    """Tells whether an answer may be kept: complete, greedy, and not against the caller's wish."""
    return not wish.no_store and sampling.temperature == 0 and finish is Finish.STOP
