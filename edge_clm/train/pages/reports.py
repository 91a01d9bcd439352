"""The texts of radiology reports: most for training, the rest only for tests."""

from __future__ import annotations

import csv
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from edge_clm.errors import RequestInvalid
from edge_clm.train.pages.page import Split

FILE = "iu_xray_reports.csv"
_HELD_OUT = 0.28
"""Of the 400 reports at hand these are 100."""
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Report:
    """One report as text; parts that it lacks are empty."""

    uid: str
    exam: str
    indication: str
    findings: str
    impression: str


def is_held_out(uid: str) -> bool:
    """Whether a report is never trained on: about one in four, by the hash of its uid."""
    digest = hashlib.sha256(f"iu-xray:{uid}".encode()).digest()
    return int.from_bytes(digest[:4], "big") / 2**32 < _HELD_OUT


def reports_in(directory: Path | None, split: Split) -> tuple[Report, ...]:
    """The reports of a split that have both findings and an impression.

    Raises RequestInvalid where the directory has none.
    """
    found = _read(directory / FILE) if directory else ()
    own = tuple(one for one in found if is_held_out(one.uid) == (split == "test"))
    if not own:
        raise RequestInvalid("radiology pages need a directory with the texts of reports")
    return own


@cache
def _read(path: Path) -> tuple[Report, ...]:
    if not path.is_file():
        return ()
    with path.open(encoding="utf-8", newline="") as file:
        rows = [_report(row) for row in csv.DictReader(file)]
    return tuple(row for row in rows if row.findings and row.impression)


def _report(row: dict[str, str]) -> Report:
    return Report(
        row["uid"],
        _clean(row["image"]),
        _clean(row["indication"]),
        _clean(row["findings"]),
        _clean(row["impression"]),
    )


def _clean(text: str) -> str:
    return _SPACES.sub(" ", text or "").strip()
