"""What a run has finished, kept so that a broken-off run goes on where it stopped.

Kept are scores and times, never questions, page texts or answers.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

from edge_clm.weights import user_cache


class Finished:
    """Results of documents, for one bench on one state of code, weights and options."""

    def __init__(self, bench: str, *, key: tuple[object, ...]) -> None:
        digest = hashlib.sha256(json.dumps([str(part) for part in key]).encode()).hexdigest()[:16]
        self.directory = user_cache() / "bench" / bench / digest

    def forget(self) -> None:
        """Drops everything."""
        shutil.rmtree(self.directory, ignore_errors=True)

    def get(self, name: str) -> dict[str, Any] | None:
        """The result of a document, or None where it is not finished."""
        try:
            found: dict[str, Any] = json.loads(self._path(name).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return found

    def put(self, name: str, result: dict[str, Any]) -> None:
        """Keeps the result of a document, whole or not at all."""
        self.directory.mkdir(parents=True, exist_ok=True)
        path = self._path(name)
        half = path.with_suffix(".part")
        half.write_text(json.dumps(result), encoding="utf-8")
        half.replace(path)

    def _path(self, name: str) -> Path:
        return self.directory / f"{hashlib.sha256(name.encode()).hexdigest()[:24]}.json"
