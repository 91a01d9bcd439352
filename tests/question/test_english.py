"""Chinese questions put to a model that reads English alone."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from bench.wording import CHINESE
from edge_clm.question.english import back_in_chinese, in_english, is_chinese
from edge_clm.question.field import asked_field
from edge_clm.types import Outcome


@pytest.mark.parametrize(
    ("question", "field"),
    [
        ("总额多少？", "total"),
        ("金额是多少？", "total"),
        ("请问这张发票的总金额是多少？", "total"),
        ("税前金额是多少？", "subtotal"),
        ("卖方是谁？", "seller"),
        ("开票日期是哪天", "date"),
        ("这张收据的日期是什么？", "date"),
        ("付款截止日期是什么时候？", "due_date"),
        ("发票号码是多少？", "number"),
        ("找零多少？", "change"),
        ("患者是谁？", "patient"),
    ],
)
def test_a_clear_question_is_put_in_english(question: str, field: str) -> None:
    """A Chinese question for a field is asked in English, for the same field."""
    assert asked_field(question) == field
    assert in_english(question)
    assert not is_chinese(in_english(question))


@pytest.mark.parametrize(
    "question",
    [
        "上次的总额是多少？",
        "总额不是多少？",
        "总额和税额是多少？",
        "为什么总额是多少？",
        "What is the total?",
        "",
    ],
)
def test_anything_else_goes_as_it_is(question: str) -> None:
    """A question that may mean more, or is in English already, is not put in other words."""
    assert in_english(question) == ""


def test_every_field_that_can_be_asked_for_in_chinese_has_english_words() -> None:
    """No field is understood in Chinese and then not asked for in English."""
    text = files("edge_clm.question").joinpath("fields.toml").read_text(encoding="utf-8")
    for name, forms in tomllib.loads(text).items():
        for form in filter(is_chinese, forms):
            assert asked_field(form) == name
            assert in_english(form), form


def test_the_bench_asks_what_is_understood() -> None:
    """Each field that real documents are asked for in Chinese is understood."""
    assert all(map(in_english, CHINESE.values()))


def test_what_is_not_there_is_said_in_chinese() -> None:
    """Absence and illegibility are told apart in Chinese; a value stays as it is printed."""
    told = {outcome: back_in_chinese(outcome, "RM 9.00") for outcome in Outcome}
    assert told[Outcome.ANSWERED] == "RM 9.00"
    assert is_chinese(told[Outcome.NOT_ON_PAGE])
    assert is_chinese(told[Outcome.UNREADABLE])
    assert told[Outcome.NOT_ON_PAGE] != told[Outcome.UNREADABLE]
