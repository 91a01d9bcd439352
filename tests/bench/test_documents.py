"""Loading labelled documents and choosing among them."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from bench.documents import choose, load, pick
from bench.failure import BenchError


@pytest.fixture
def data() -> Path:
    """The shared labelled documents."""
    given = os.environ.get("EDGE_CLM_DATA")
    root = Path(given) if given else Path(__file__).resolve().parents[3] / "shared/data"
    if not (root / "inv3d").is_dir():
        pytest.skip(
            "no labelled documents; set EDGE_CLM_DATA to a directory that has inv3d/ and sroie/"
        )
    return root


def test_inv3d_has_every_photo_with_its_labels(data: Path) -> None:
    """Ten sheets of eighteen photos; a dash is no label, and template 47 has no readable total."""
    documents = load(data, "inv3d")
    assert Counter(Counter(one.sheet for one in documents).values()) == {18: 10}
    labels = {one.sheet: one.labels for one in documents}
    assert labels["00411"]["total"] == "$ 14.13"
    assert labels["04394"] == {
        "number": "#955133",
        "date": "2017-02-09",
        "seller": "Berger, Reed and Gutierrez",
        "buyer": "Garcia-Nelson",
        "subtotal": "35.53",
    }


def test_sroie_has_shop_date_total_and_address(data: Path) -> None:
    """Receipts have four labels, none of them a number or a subtotal."""
    documents = load(data, "sroie")
    assert len(documents) == 110
    assert all(set(one.labels) == {"seller", "date", "total", "address"} for one in documents)


def test_choice_is_spread_and_repeatable(data: Path) -> None:
    """Forty photos are four of every sheet and two or three of every bend and light, by seed."""
    documents = load(data, "inv3d")
    chosen = choose(documents, 40, seed=0)
    assert set(Counter(one.sheet for one in chosen).values()) == {4}
    assert set(Counter((one.bend, one.light) for one in chosen).values()) <= {2, 3}
    assert chosen == choose(documents, 40, seed=0)
    assert chosen != choose(documents, 40, seed=1)
    assert len({one.name for one in chosen}) == 40


def test_missing_set_is_left_out_and_said(tmp_path: Path) -> None:
    """A set that is not there is named; where none is there, there is no bench."""
    _receipt(tmp_path)
    documents, missing = pick(tmp_path, 5, seed=0)
    assert [one.labels["total"] for one in documents] == ["9.00"]
    assert [line.split()[0] for line in missing] == ["inv3d"]
    with pytest.raises(BenchError, match="--data"):
        pick(tmp_path / "elsewhere", 5, seed=0)


def test_damaged_set_is_no_missing_set(tmp_path: Path) -> None:
    """A picture without its labels is said, not skipped."""
    _receipt(tmp_path)
    (tmp_path / "sroie/key/007.json").unlink()
    with pytest.raises(BenchError, match="laid out"):
        load(tmp_path, "sroie")


def _receipt(root: Path) -> None:
    for name in ("img", "key"):
        (root / "sroie" / name).mkdir(parents=True)
    (root / "sroie/img/007.jpg").write_bytes(b"")
    keys = {"company": "SHOP", "date": "", "total": "9.00", "address": "-"}
    (root / "sroie/key/007.json").write_text(json.dumps(keys), encoding="utf-8")
