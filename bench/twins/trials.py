"""Trials of page identity, kept page by page as JSON lines, so that a rule can be tried on them again and again.

Kept are the signals that a rule decides by, and times; never words of a page.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.options import REPOSITORY
from edge_clm.weights import user_cache

CONTROL = "control"
REUSE = "reuse"
LOOKALIKE = "lookalike"
WHOLE_PAGE = ""
_SHAPED_BY = (
    *("bench/twins", "edge_clm/page", "edge_clm/values"),
    *("edge_clm/train/capture", "edge_clm/train/pages", "models/look", "models/docclip"),
)
"""What twins are made by, what judges them, and what it was taught."""
_KINDS = frozenset((".py", ".toml", ".safetensors"))
_AFTERWARDS = frozenset(
    ("rule.py", "thresholds.py", "figures.py", "contest.py", "curve.py", "calibrate.py")
)
"""What is done with signals once they are there."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One question put to a known page and a capture."""

    page: str
    """The source, or the anchor's where a pair is tried."""
    document: str
    sort: str
    real: bool
    capture: str
    """Names the capture among those of the page."""
    kind: str
    """`control`, a kind of edit, `reuse` or `lookalike`."""
    edited: str
    """The field that was edited; empty for an edit elsewhere, and where nothing was."""
    asked: str
    """A field, or WHOLE_PAGE."""
    truthful: bool
    """Whether the known page's answer is right for the capture."""
    signals: Mapping[str, Any]
    rivals: Mapping[str, float] = field(default_factory=dict)
    """What rivals of the judge go by, where they were tried: see `bench.twins.rivals`."""


@dataclass(frozen=True, slots=True)
class Page:
    """All trials of one known page."""

    trials: tuple[Trial, ...]
    misread: tuple[str, ...]
    """Fields that are not asked: the anchor's own text has them otherwise."""
    stages: tuple[Mapping[str, float], ...]
    """Milliseconds by stage of each comparison for one question."""


class Trials:
    """Trials of one revision of the judge, by the names of their pages."""

    def __init__(self, revision: str) -> None:
        self.directory = user_cache() / "bench" / "identity" / revision

    def get(self, name: str) -> Page | None:
        """The trials of a page; None where it is not finished."""
        try:
            head, *lines = self._path(name).read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return None
        known = json.loads(head)
        trials = tuple(Trial(**json.loads(line)) for line in lines)
        return Page(trials, tuple(known["misread"]), tuple(known["stages"]))

    def put(self, name: str, page: Page) -> None:
        """Keeps the trials of a page, whole or not at all."""
        self.directory.mkdir(parents=True, exist_ok=True)
        head = {"page": name, "misread": page.misread, "stages": [*map(dict, page.stages)]}
        lines = [head, *(asdict(trial) for trial in page.trials)]
        path = self._path(name)
        half = path.with_suffix(".part")
        half.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        half.replace(path)

    def _path(self, name: str) -> Path:
        return self.directory / f"{hashlib.sha256(name.encode()).hexdigest()[:24]}.jsonl"


def revision(ocr: str) -> str:
    """A name for all that shapes a trial's signals: twins, judge and OCR, but not the rule over them."""
    digest = hashlib.sha256(ocr.encode())
    for place in _SHAPED_BY:
        for path in sorted((REPOSITORY / place).rglob("*")):
            if path.suffix in _KINDS and path.name not in _AFTERWARDS:
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
