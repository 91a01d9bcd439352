"""What is asked that only pixels tell."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from bench import pixels
from bench.options import Options
from tests.model.conftest import _save_tiny, models
from tests.train.conftest import reports

__all__ = ["models", "reports"]


def test_questions_are_balanced(reports: Path) -> None:
    """Of each sort as many pages have the mark as have not, and every page is asked something."""
    asked = pixels._asked(reports, 0, 12)
    told = [turn for _, _, turns in asked for turn in turns if turn.concept != "stamp_colour"]
    counted = Counter((turn.concept, turn.answer) for turn in told)
    assert counted
    for concept, _ in counted:
        assert counted[concept, "Yes."] == counted[concept, "No."], concept
    assert all(turns for _, _, turns in asked)


def test_each_question_is_asked_of_three_pictures(
    models: Path, reports: Path, tmp_path: Path
) -> None:
    """The page's own, a grey one and another page's; chance is told beside them."""
    _save_tiny("qwen2_5_vl", models / "nano", tmp_path / "tiny")
    options = Options(
        tmp_path, None, 0, None, tmp_path, str(tmp_path / "tiny"), 0, any_load=True, restart=False
    )
    figures = pixels.pixels(options, reports, 5)
    arms = [figures[f"pixels.{arm}"] for arm in ("right", "right_blanked", "right_swapped")]
    assert {one.n for one in arms} == {figures["pixels.chance"].n}
    assert 0.2 <= figures["pixels.chance"].value <= 0.5
