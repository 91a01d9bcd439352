"""Where the real documents are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]


@pytest.fixture
def documents() -> Path:
    """The folder of real documents; the test is skipped where there is none."""
    folder = Path(os.environ.get("EDGE_CLM_DATA") or _ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("no real documents here; EDGE_CLM_DATA names their folder")
    return folder
