"""Which page is asked first, and which answer stands for the document."""

from __future__ import annotations

import pytest

from edge_clm.paper import Grounded, Grounding, Line, PageText
from edge_clm.search import best, likeliest
from edge_clm.types import Answer, Finish, Outcome, ServeMode

QUAD = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))


def page(*lines: str) -> PageText:
    return PageText(tuple(Line(line, QUAD, 1.0) for line in lines), 0, 100, 100)


def answer(outcome: Outcome, grounded: Grounded, page: int) -> Answer:
    return Answer(
        *("a", "text", outcome, ServeMode.COLD, Finish.STOP, (), page, 3, "c", 1, 1, 0, False),
        grounding=Grounding(grounded),
    )


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("What is the gross amount?", [3, 1, 2]),
        ("Who is the advertiser?", [1, 2, 3]),
        ("What was aired on channel seven?", [2, 1, 3]),
        ("Where is the moon?", [1, 2, 3]),
        ("总额是多少", [1, 2, 3]),
    ],
)
def test_the_page_with_the_words_comes_first(question: str, order: list[int]) -> None:
    """Pages are asked in the order of the question's words that they have; else in their own."""
    pages = [
        (1, page("Contract 123", "Advertiser: Acme")),
        (2, page("Aired spots", "Channel seven 07:00", "Acme spot 30 s")),
        (3, page("Spots 12", "Gross amount 1,200.00")),
    ]
    assert likeliest(question, pages) == order


def test_a_line_with_the_value_outweighs_scattered_words() -> None:
    """A page that has the words in one line with a number comes before one that has them apart."""
    scattered = page("Gross weight is given in tons", "The amount of rain")
    together = page("Gross amount 1,200.00")
    assert likeliest("gross amount", [(1, scattered), (2, together)]) == [2, 1]


def test_chinese_is_compared_by_characters() -> None:
    """A question without spaces finds the page that has its characters."""
    pages = [(1, page("合同编号 123")), (2, page("总额 1,200.00"))]
    assert likeliest("总额是多少", pages) == [2, 1]


def test_a_grounded_answer_stands_for_the_document() -> None:
    """Grounded before unexamined before ungrounded before unreadable before absent; then the first."""
    ranked = [
        answer(Outcome.ANSWERED, Grounded.YES, 1),
        answer(Outcome.ANSWERED, Grounded.UNEXAMINED, 2),
        answer(Outcome.ANSWERED, Grounded.NO, 3),
        answer(Outcome.UNREADABLE, Grounded.UNEXAMINED, 4),
        answer(Outcome.NOT_ON_PAGE, Grounded.UNEXAMINED, 5),
    ]
    for at in range(len(ranked)):
        assert best(ranked[at:][::-1]).page == ranked[at].page
    equal = [answer(Outcome.ANSWERED, Grounded.NO, 2), answer(Outcome.ANSWERED, Grounded.NO, 1)]
    assert best(equal).page == 2
