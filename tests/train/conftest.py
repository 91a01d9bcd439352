"""Texts of reports for pages that need them; the packages of fonts must be there."""

from __future__ import annotations

import csv
import importlib.util
import os
from pathlib import Path

import pytest

from edge_clm.train.pages.reports import FILE


@pytest.fixture(scope="session", autouse=True)
def _fonts() -> None:
    if importlib.util.find_spec("font_roboto") is None or importlib.util.find_spec("faker") is None:
        pytest.skip("pages are generated with the packages of edge-clm[train]")


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with forty short reports, each of which names its own uid."""
    place = tmp_path_factory.mktemp("reports")
    names = ["uid", "image", "indication", "findings", "impression", "Problems"]
    with (place / FILE).open("w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, names)
        rows.writeheader()
        for uid in range(40):
            rows.writerow(_row(uid))
    return place


def _row(uid: int) -> dict[str, str]:
    return {
        "uid": str(uid),
        "image": "Chest, two views",
        "indication": "XXXX-year-old with cough",
        "findings": f"The heart is normal in case{uid}. The lungs are clear. XXXX is seen.",
        "impression": f"No acute finding in case{uid}.",
        "Problems": "normal",
    }


@pytest.fixture(scope="session")
def real_reports() -> Path:
    """The directory of real reports; tests that need it are skipped where it is absent."""
    fallback = Path(__file__).parents[3].parent / "shared" / "data"
    place = Path(os.environ.get("EDGE_CLM_DATA") or fallback) / "reports"
    if not (place / FILE).is_file():
        pytest.skip(f"no real reports: EDGE_CLM_DATA names no directory that holds reports/{FILE}")
    return place
