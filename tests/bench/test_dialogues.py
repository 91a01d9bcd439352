"""The bench of what dialogues hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.__main__ import main
from bench.dialogues import figures_of


def test_figures_are_over_histories_and_over_pages_alone() -> None:
    """Each by itself stands beside them."""
    figures = figures_of(most=200, histories=800, shared=160)
    assert {key: one.value for key, one in figures.items()} == {
        "load.20.memory_over_history": 0.25,
        "load.20.memory_over_shared": 1.25,
        "dialogues.mib": 200,
        "dialogues.history.mib": 800,
        "dialogues.shared.mib": 160,
    }


def test_without_documents_there_is_no_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is missing is named."""
    assert main(["dialogues", "--data", str(tmp_path), "--any-load"]) == 2
    assert str(tmp_path) in capsys.readouterr().err
