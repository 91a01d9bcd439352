"""Generated documents for benches, and what is asked of documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.asked import asked_of
from bench.documents import Document
from bench.made import MADE, make
from bench.rightness import refusals
from bench.score import Kind, score
from edge_clm.config import Limits
from edge_clm.media.decode import decode
from edge_clm.question.english import is_chinese

pytest.importorskip("faker")
pytest.importorskip("font_roboto")


@pytest.mark.parametrize("dataset", [name for name in MADE if name != "radiology"])
def test_a_generated_document_is_a_picture_with_questions(dataset: str, tmp_path: Path) -> None:
    """It can be sent as it is, is asked for what is there and for what is not, and is made once."""
    made = make(dataset, 2, 1, tmp_path, tmp_path / "made")
    before = [document.path.stat().st_mtime_ns for document in made]
    assert make(dataset, 2, 1, tmp_path, tmp_path / "made") == made
    assert [document.path.stat().st_mtime_ns for document in made] == before
    for document in made:
        assert decode(document.path.read_bytes(), 1, Limits()).pages == 1
        assert {bool(one.label) for one in document.asked} == {True, False}


def test_what_another_generator_has_made_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pictures do not show what this one's pages would be asked for."""
    before = make("lab", 1, 1, tmp_path, tmp_path)[0].path
    monkeypatch.setattr("bench.made.generator", lambda: "another")
    after = make("lab", 1, 1, tmp_path, tmp_path)[0].path
    assert before != after
    assert before.read_bytes() == after.read_bytes()


def test_the_right_answer_to_a_generated_question_is_scored_right(tmp_path: Path) -> None:
    """A label, said as the answer, counts as right for every question that has one."""
    for document in make("lab", 3, 2, tmp_path, tmp_path):
        for one in document.asked:
            if one.figure:
                assert score(one.kind, one.label, one.label).exact, one


def test_a_real_document_is_asked_in_two_languages_and_for_what_it_has_not() -> None:
    """Each field in English, most again in Chinese, and one thing that no invoice has."""
    labels = {"total": "9.00", "buyer": "Smith"}
    document = Document("inv3d", "a", "flat", "bright", Path("a.jpg"), labels)
    asked = asked_of(document, 0)
    assert [one.figure for one in asked] == ["inv3d.total", "inv3d.buyer", "zh.total", ""]
    assert is_chinese(asked[2].question)
    assert asked[3].label == "" and asked[3].kind is Kind.PASSAGE
    assert asked == asked_of(document, 0)


def test_refusals_count_as_many_answerable_questions_as_unanswerable_ones() -> None:
    """Of a document with one absent thing one present thing counts; a document without either does not."""
    results = [
        {"refused": [(True, False), (True, True), (False, True)]},
        {"refused": [(False, False), (True, True)]},
        {"refused": [(True, True)]},
    ]
    figures = refusals(results)
    assert (figures["ask.absent.said"].value, figures["ask.absent.said"].n) == (0.5, 2)
    assert (figures["ask.present.refused"].value, figures["ask.present.refused"].n) == (0.5, 2)
