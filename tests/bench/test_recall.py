"""The bench of recall: ranks, rounds of anchors, and the rivals."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from bench.__main__ import main
from bench.pixel_vectors import Principal, hashed
from bench.recall import Seen, _rounds, ranks_of, recall_figures, rival_figures
from tests.memory.samples import features
from tests.train.capture.sheets import printed


def row(*numbers: float) -> np.ndarray:
    vector = np.array(numbers, np.float32)
    return vector / np.linalg.norm(vector)


def test_ranks_count_ties_against_the_right_page() -> None:
    """First is 1, and a page that is just as like as the right one stands before it."""
    vectors = np.stack([row(1, 0), row(0, 1), row(1, 0)])
    anchors = {"a": 0, "b": 1, "c": 2}
    assert ranks_of(anchors, {0: "a", 1: "b"}, vectors, vectors) == {0: 2, 1: 1}
    assert ranks_of(anchors, {0: "b"}, vectors, vectors) == {0: 3}


def test_every_picture_is_anchor_once_and_all_others_of_its_page_ask() -> None:
    """A page of three pictures has three rounds of two queries, beside one anchor of every other page."""
    sheets = ["a", "a", "a", "b", "b"]
    rounds = list(_rounds(sheets))
    assert len(rounds) == 3
    assert all(sorted(anchors) == ["a", "b"] for anchors, _ in rounds)
    asked = Counter(
        (anchors[sheet], query) for anchors, queries in rounds for query, sheet in queries.items()
    )
    pairs = {(one, other) for one in range(5) for other in range(5) if one != other}
    assert asked == Counter({p for p in pairs if sheets[p[0]] == sheets[p[1]]})


def test_figures_of_every_way() -> None:
    """A way that tells pages apart finds them all, one that sees all alike none."""
    told = {"a": features(1, 0, 0, drawn=1), "b": features(0, 1, 0, drawn=2)}
    stranger, blind = features(0, 0, 1, drawn=3), row(1, 1, 1)
    vectors = {".cosine": blind, ".hash": blind}
    ms = {"": 2.0, ".cosine": 1.0, ".hash": 1.0}
    seen = [Seen("inv3d", sheet, told[sheet], stranger, vectors, ms) for sheet in "aabb"]
    figures = recall_figures(seen, [stranger], 0.5, "1 generated page")
    assert figures.pop("recall.search.p50_ms").n == 4
    assert figures.pop("recall.search.p95_ms").n == 4
    assert {key: one.value for key, one in figures.items()} == {
        "recall.at1": 1,
        "recall.at5": 1,
        "recall.turned.at1": 0,
        "recall.turned.at5": 0,
        "recall.p50_ms": 2,
        "recall.p95_ms": 2,
    }
    assert figures["recall.at1"].n == 4
    assert "1 generated page" in figures["recall.at1"].note
    rivals = rival_figures(seen, {".hash": blind[None]}, "1 generated page")
    assert {key: one.value for key, one in rivals.items()} == {
        "recall.hash.at1": 0,
        "recall.hash.at5": 1,
        "recall.hash.p50_ms": 1,
        "recall.hash.p95_ms": 1,
    }


def test_rivals_know_a_page_in_other_light() -> None:
    """Both give vectors of length 1 that come nearest to the same page in half the light."""
    pages = [printed((300, 420), seed) for seed in range(6)]
    principal = Principal(pages, 4)
    for way in (hashed, principal.vector):
        known = np.stack([way(page) for page in pages])
        assert np.linalg.norm(known, axis=1) == pytest.approx(1, abs=1e-5)
        dark = way((pages[2] * 0.9).astype(np.uint8))
        assert int((known @ dark).argmax()) == 2
    assert principal.vector(pages[0]).shape == (4,)


def test_without_a_model_or_pairs_there_is_no_bench(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is missing is named, and nothing is measured in its place."""
    assert main(["recall", "--data", str(tmp_path)]) == 2
    assert "two pictures" in capsys.readouterr().err
