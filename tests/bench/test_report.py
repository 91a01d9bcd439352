"""Figures, their bounds, and the form in which they are printed and kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import bounds, report
from bench.report import Report


def test_wilson_against_known_values() -> None:
    """Bounds equal those of the textbook formula, and nothing tried bounds nothing."""
    assert bounds.wilson(0, 10) == pytest.approx((0.0, 0.27753), abs=1e-5)
    assert bounds.wilson(8, 10) == pytest.approx((0.49016, 0.94332), abs=1e-5)
    assert bounds.wilson(0, 0) == (0.0, 1.0)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_share(trials: tuple[int, int]) -> None:
    """The share lies within its bounds, and these within 0…1."""
    right, n = trials
    low, high = bounds.wilson(right, n)
    assert 0 <= low <= right / n + 1e-12
    assert right / n - 1e-12 <= high <= 1


def test_share_knows_that_documents_are_not_independent() -> None:
    """A hundred trials on two documents that disagree bound less than on a hundred documents."""
    clustered = report.share([[1.0] * 50, [0.0] * 50])
    spread = report.share([[1.0]] * 50 + [[0.0]] * 50)
    assert clustered.value == spread.value == 0.5
    assert (clustered.low, clustered.high) == (0.0, 1.0)
    assert 0.38 < spread.low < 0.42
    assert 0.58 < spread.high < 0.62


def test_ratio_is_percentile_over_percentile() -> None:
    """A ratio compares medians over all trials and says how many each arm has."""
    figure = report.ratio([[1.0, 2.0, 3.0]] * 9, [[10.0]] * 9, 50)
    assert figure.value == pytest.approx(0.2)
    assert (figure.low, figure.high) == pytest.approx((0.2, 0.2))
    assert figure.n == 9
    assert "27 over 9" in figure.note


def test_bootstrap_is_repeatable() -> None:
    """The same values have the same bounds in every run, and the value lies between them."""
    groups = [[float(at % 7), float(at % 5)] for at in range(40)]
    one, other = report.ranked(groups, 95, "ms"), report.ranked(groups, 95, "ms")
    assert one == other
    assert one.low <= one.value <= one.high


def test_json_has_the_form_that_measures_md_defines(tmp_path: Path) -> None:
    """A written report has the five parts, a figure its five, and a note only where there is one."""
    figures = {"a.b": report.count(3, 7), "c": report.count(1, 1, "ms", "a note")}
    path = tmp_path / "results/x.json"
    Report("x", figures, "machine", "print", "commit").write(path)
    found = json.loads(path.read_text(encoding="utf-8"))
    assert list(found) == ["bench", "figures", "machine", "fingerprint", "commit"]
    assert found["figures"]["a.b"] == {
        "value": 3.0,
        "n": 7,
        "unit": "count",
        "low": 3.0,
        "high": 3.0,
    }
    assert found["figures"]["c"]["note"] == "a note"
    assert list(path.parent.iterdir()) == [path]


def test_table_is_aligned_and_complete() -> None:
    """Every figure has a line with its value in the same column, and the machine is named."""
    figures = {"short": report.count(1, 1), "much.longer": report.count(2345.6, 20, "ms")}
    lines = Report("x", figures, "some machine", "print", "commit").table().splitlines()
    assert lines[2].index("1 … 1") + len("1 … 1") == lines[3].index("2346 … 2346") + len(
        "2346 … 2346"
    )
    assert any("some machine" in line for line in lines)


def test_note_on_the_whole_run_stands_beside_every_figure() -> None:
    """What spoils a whole run is said once in the table and beside each figure in JSON."""
    figures = {"a": report.count(1, 1), "b": report.count(1, 1, note="own")}
    found = Report("x", figures, "machine", "print", "commit", "busy")
    assert [one["note"] for one in found.document()["figures"].values()] == ["busy", "own; busy"]
    assert found.table().count("busy") == 1
