"""The OCR models, one reader for all tests, and the real documents."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from edge_clm.config import Ocr, models_home
from edge_clm.page.ocr import PageReader
from edge_clm.page.reader import open_reader
from edge_clm.page.weights import build_ocr
from edge_clm.types import Pixels

Documents = Callable[[str], Path]


@pytest.fixture(scope="session")
def models() -> Path:
    """Where the OCR models are, built if they are not there yet."""
    build_ocr(models_home(), lambda *_: None)
    return models_home()


@pytest.fixture(scope="session")
def reader(models: Path) -> PageReader:
    return open_reader(Ocr(threads=2), models)


@pytest.fixture(scope="session")
def documents() -> Path:
    """The directory of real documents; tests that need it are skipped where it is absent."""
    fallback = Path(__file__).parents[2].parent / "shared" / "data"
    place = Path(os.environ.get("EDGE_CLM_DATA") or fallback)
    if not (place / "inv3d").is_dir():
        pytest.skip("no real documents: EDGE_CLM_DATA names no directory that holds inv3d")
    return place


def picture(path: Path, side: int = 0) -> Pixels:
    """A file's pixels, with the longest side at most `side` where that is given."""
    with Image.open(path) as image:
        rgb = image.convert("RGB")
    if side:
        rgb.thumbnail((side, side))
    return np.array(rgb)


def words(texts: Iterable[str]) -> Counter[str]:
    """Words in lower case, letters and digits only, with how often each occurs."""
    return Counter(word for text in texts for word in re.findall(r"[a-z0-9]+", text.lower()))


def recall(found: Iterable[str], labelled: Counter[str]) -> float:
    """Share of the labelled words that were found."""
    return (words(found) & labelled).total() / labelled.total()


def invoice_words(invoice: Path) -> Counter[str]:
    """The labelled words of an inv3d invoice."""
    tags = json.loads((invoice / "ground_truth_tags.json").read_text())
    return words(tag["value"] for tag in tags)


def receipt_words(documents: Path, name: str) -> Counter[str]:
    """The labelled words of a sroie receipt."""
    rows = (documents / "sroie" / "box" / f"{name}.csv").read_text(errors="replace").splitlines()
    return words(",".join(row.split(",")[8:]) for row in rows)
