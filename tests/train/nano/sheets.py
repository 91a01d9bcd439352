"""Pages of every kind to ask about."""

from __future__ import annotations

from pathlib import Path

from edge_clm.train.nano.pool import perfect
from edge_clm.train.nano.shown import Sheet
from edge_clm.train.pages.make import KINDS, page_of
from edge_clm.train.pages.page import Split


def sheets(reports: Path, split: Split, count: int) -> list[Sheet]:
    """English pages, as many of each kind, read without fault."""
    english = frozenset({"en"})
    return [
        perfect(page_of(kind, seed, split, reports, english))
        for seed in range(count)
        for kind in KINDS
    ]
