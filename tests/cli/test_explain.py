"""`edge-clm explain`: two captures compared, without a daemon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from edge_clm.cli.catalogue import DETECTOR, ORIENTER, RECOGNISER
from edge_clm.config import models_home
from tests.cli.conftest import Run
from tests.page.fields.sheets import sheet

MODELS = models_home()
"""Where this machine's models are, before a test's own home takes its place."""
ROWS = (
    "ACME TRADING LTD",
    "INVOICE",
    "Invoice No: INV-10428",
    "Date: 25/12/2018",
    "Total: 1,204.50",
)


@pytest.fixture
def models() -> Path:
    if not all((MODELS / name).is_dir() for name in (DETECTOR, RECOGNISER, ORIENTER)):
        pytest.skip("the models are not here; 'edge-clm models pull' makes them")
    return MODELS


def drawn(place: Path, *rows: str) -> Path:
    Image.fromarray(sheet(*rows)).save(place)
    return place


def explained(run: Run, models: Path, *words: object) -> tuple[dict[str, Any], int]:
    done = run("explain", "--json", "--set", f"model.models={models}", *words)
    return json.loads(done.stdout), done.exit_code


@pytest.mark.parametrize("more", [(), ("--read",)])
def test_the_same_page_and_its_twin(
    run: Run, models: Path, tmp_path: Path, more: tuple[str, ...]
) -> None:
    """Of the same page the total is the same; of one with another total it is not, and that is said."""
    known = drawn(tmp_path / "known.png", *ROWS)
    again = drawn(tmp_path / "again.png", *ROWS)
    twin = drawn(tmp_path / "twin.png", *ROWS[:-1], "Total: 1,204.60")
    same, _ = explained(run, models, known, again, *more)
    verdicts = {one["field"]: one["verdict"] for one in same["answers"]}
    assert verdicts["total"] == "same"
    other, code = explained(run, models, known, twin, *more)
    total = next(one for one in other["answers"] if one["field"] == "total")
    assert (total["verdict"], code) == ("different", 1)
    assert "evidence" in total["reasons"][0]


def test_both_are_drawn_side_by_side(run: Run, models: Path, tmp_path: Path) -> None:
    """The drawing is a picture of both captures."""
    known = drawn(tmp_path / "known.png", *ROWS)
    file = tmp_path / "both.png"
    explained(run, models, known, known, "--draw", file)
    with Image.open(file) as picture:
        assert picture.width > picture.height


def test_a_drawing_that_cannot_be_written_is_refused(
    run: Run, models: Path, tmp_path: Path
) -> None:
    """A file without a known suffix, or where nothing may be written, names its reason."""
    known = drawn(tmp_path / "known.png", *ROWS)
    settings = ("--set", f"model.models={models}")
    done = run("explain", *settings, known, known, "--draw", tmp_path / "no" / "both.png")
    assert done.exit_code == 1
    assert "the drawing cannot be written" in done.stderr


def test_what_is_no_picture_is_refused(run: Run, models: Path, tmp_path: Path) -> None:
    """A file of text is refused as the daemon would refuse it."""
    known = drawn(tmp_path / "known.png", *ROWS)
    text = tmp_path / "page.txt"
    text.write_text("Total: 1,204.50\n" * 20)
    done = run("explain", "--set", f"model.models={models}", known, text)
    assert done.exit_code == 1
    assert done.stderr
