"""What may be replayed, and what may be kept."""

from __future__ import annotations

from dataclasses import replace

import pytest

from edge_clm.policy import Wish, may_keep, may_replay
from edge_clm.types import Finish, Outcome, Sampling, Snapshot, Suffix

NOW = 1_000_000.0
GREEDY = Sampling(max_tokens=10)
SNAPSHOT = Snapshot(
    id="a_1",
    joint_hash="j",
    tenant="clinic",
    page_key="p",
    suffix=Suffix("what is the total"),
    text="4.20",
    tokens=(1, 2, 3),
    outcome=Outcome.ANSWERED,
    fingerprint="f",
    prompt_tokens=100,
    dropped_lines=0,
    created=NOW - 60,
)


@pytest.mark.parametrize(
    ("snapshot", "wish", "sampling", "may"),
    [
        (SNAPSHOT, Wish(), GREEDY, True),
        (SNAPSHOT, Wish(no_store=True), GREEDY, True),
        (SNAPSHOT, Wish(max_age_s=61), GREEDY, True),
        (SNAPSHOT, Wish(max_age_s=59), GREEDY, False),
        (replace(SNAPSHOT, created=NOW + 5), Wish(max_age_s=59), GREEDY, False),
        (SNAPSHOT, Wish(fresh=True), GREEDY, False),
        (SNAPSHOT, Wish(), Sampling(max_tokens=10, temperature=0.5), False),
        (SNAPSHOT, Wish(), Sampling(max_tokens=3), True),
        (SNAPSHOT, Wish(), Sampling(max_tokens=2), False),
        (replace(SNAPSHOT, disputed=True), Wish(), GREEDY, False),
    ],
)
def test_replay(snapshot: Snapshot, wish: Wish, sampling: Sampling, may: bool) -> None:
    """A snapshot is given again unless it is disputed, too old, too long, or not wanted."""
    assert may_replay(snapshot, wish, sampling, NOW) is may


@pytest.mark.parametrize(
    ("wish", "sampling", "finish", "may"),
    [
        (Wish(), GREEDY, Finish.STOP, True),
        (Wish(fresh=True), GREEDY, Finish.STOP, True),
        (Wish(no_store=True), GREEDY, Finish.STOP, False),
        (Wish(), Sampling(10, temperature=0.1), Finish.STOP, False),
        (Wish(), GREEDY, Finish.LENGTH, False),
        (Wish(), GREEDY, Finish.REPETITION, False),
        (Wish(), GREEDY, Finish.CANCELLED, False),
    ],
)
def test_keep(wish: Wish, sampling: Sampling, finish: Finish, may: bool) -> None:
    """Only whole, greedy answers are kept, and only where the caller lets them be."""
    assert may_keep(wish, sampling, finish) is may
