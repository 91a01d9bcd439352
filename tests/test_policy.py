"""What may be replayed, and what may be kept."""

from __future__ import annotations

from dataclasses import replace

import pytest

from edge_clm.paper import PageKind
from edge_clm.policy import Wish, bars_keeping, bars_replay, bars_report
from edge_clm.types import Finish, Outcome, Sampling, Sighting, Snapshot, Suffix

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
    ("snapshot", "wish", "sampling", "barred"),
    [
        (SNAPSHOT, Wish(), GREEDY, ""),
        (SNAPSHOT, Wish(no_store=True), GREEDY, ""),
        (SNAPSHOT, Wish(max_age_s=61), GREEDY, ""),
        (SNAPSHOT, Wish(max_age_s=59), GREEDY, "too_old"),
        (replace(SNAPSHOT, created=NOW + 5), Wish(max_age_s=59), GREEDY, "too_old"),
        (SNAPSHOT, Wish(fresh=True), GREEDY, "fresh_wanted"),
        (SNAPSHOT, Wish(), Sampling(max_tokens=10, temperature=0.5), "sampled"),
        (SNAPSHOT, Wish(), Sampling(max_tokens=3), ""),
        (SNAPSHOT, Wish(), Sampling(max_tokens=2), "too_long"),
        (replace(SNAPSHOT, disputed=True), Wish(), GREEDY, "disputed"),
        (None, Wish(), GREEDY, "nothing_kept"),
    ],
)
def test_replay(snapshot: Snapshot | None, wish: Wish, sampling: Sampling, barred: str) -> None:
    """A snapshot is given again unless it is disputed, too old, too long, or not wanted."""
    assert bars_replay(snapshot, wish, sampling, NOW) == barred


@pytest.mark.parametrize(
    ("kind", "handle", "barred"),
    [
        (PageKind.LAB_REPORT, "c_1", ""),
        (PageKind.LAB_REPORT, "c_2", "report_in_another_file"),
        (PageKind.RADIOLOGY_REPORT, "", "report_in_another_file"),
        (PageKind.INVOICE, "c_2", ""),
    ],
)
def test_reports(kind: PageKind, handle: str, barred: str) -> None:
    """What was said of a report is said again for the very file alone; of a page never read nothing is known."""
    sighting = Sighting("k", "c_1", 1, "", kind, NOW)
    assert bars_report(sighting, handle) == barred
    assert bars_report(None, handle) == ""


@pytest.mark.parametrize(
    ("wish", "sampling", "finish", "barred"),
    [
        (Wish(), GREEDY, Finish.STOP, ""),
        (Wish(fresh=True), GREEDY, Finish.STOP, ""),
        (Wish(no_store=True), GREEDY, Finish.STOP, "no_store_wanted"),
        (Wish(), Sampling(10, temperature=0.1), Finish.STOP, "sampled"),
        (Wish(), GREEDY, Finish.LENGTH, "cut_short"),
        (Wish(), GREEDY, Finish.REPETITION, "cut_short"),
        (Wish(), GREEDY, Finish.CANCELLED, "cut_short"),
    ],
)
def test_keep(wish: Wish, sampling: Sampling, finish: Finish, barred: str) -> None:
    """Only whole, greedy answers are kept, and only where the caller lets them be."""
    assert bars_keeping(wish, sampling, finish) == barred
