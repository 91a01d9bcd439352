"""How questions are worded, and that what is held out stays out."""

from __future__ import annotations

from random import Random

import pytest

from bench.wording import FIELDS
from edge_clm.paper import PageKind
from edge_clm.train.nano.wording import concepts, question, wordings
from edge_clm.train.pages.make import FIELDS as PRINTED
from edge_clm.train.pages.make import KINDS


def drawn(split: str, count: int) -> set[str]:
    rng = Random(5)
    return {
        question(rng, concept, kind, split, "zinc").casefold().rstrip(" ?.")  # type: ignore[arg-type]
        for _ in range(count)
        for concept in concepts()
        for kind in KINDS
    }


def test_held_out_paraphrases_are_never_learnt() -> None:
    """No paraphrase that tests use is among those that training uses."""
    assert not set(wordings("train")) & set(wordings("test"))


def test_the_bench_asks_in_words_that_training_never_used() -> None:
    """None of the questions that real documents are scored with is ever put in training."""
    learnt = drawn("train", 300)
    assert not {said.casefold().rstrip(" ?.") for said in FIELDS.values()} & learnt


def test_training_and_test_questions_differ() -> None:
    """No question of the test split is one of training, frames and all."""
    assert not drawn("train", 100) & drawn("test", 30)


def test_every_field_of_a_page_can_be_asked_for() -> None:
    """There is a paraphrase in both splits for each field that a generated page may have."""
    assert {name for names in PRINTED.values() for name in names} <= set(concepts())


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_left_to_fill_in(kind: PageKind) -> None:
    """A question has no place that was not filled."""
    rng = Random(1)
    said = [question(rng, concept, kind, "train", "iron") for concept in concepts()]
    assert not [one for one in said if "{" in one or "}" in one]
