"""Questions about generated pages, and their answers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

from edge_clm.model.prompt import NOT_ON_PAGE
from edge_clm.train.nano.turns import turns
from tests.train.nano.sheets import sheets


def test_answers_stand_on_the_page(reports: Path) -> None:
    """What is said of a field, a row or a size is printed on the page, piece by piece."""
    quoted = {"describe", "side", "outside"}
    for sheet in sheets(reports, "train", 6):
        printed = " ".join(word.text for word in sheet.page.words)
        for turn in turns(sheet, Random(1), "train", 20):
            if turn.present and turn.concept not in quoted:
                assert all(piece in printed for piece in turn.answer.split()), turn


def test_a_sixth_is_not_on_the_page(reports: Path) -> None:
    """About one question in six has no answer on the page, and says so."""
    every = [
        turn
        for number, sheet in enumerate(sheets(reports, "train", 12))
        for turn in turns(sheet, Random(number), "train", 16)
    ]
    counted = Counter(turn.present for turn in every)
    assert 0.14 < counted[False] / len(every) < 0.19
    assert {turn.answer for turn in every if not turn.present} == {NOT_ON_PAGE}


def test_most_questions_for_a_size_have_an_answer(reports: Path) -> None:
    """Sizes and values are asked for more often where they are than where they are not."""
    for concept in ("size", "analyte"):
        asked = Counter(
            turn.present
            for number, sheet in enumerate(sheets(reports, "train", 16))
            for turn in turns(sheet, Random(number), "train", 16)
            if turn.concept == concept
        )
        assert asked[True] > 1.5 * asked[False] > 0


def test_what_is_called_absent_is_absent(reports: Path) -> None:
    """No field that the page has is asked for as one that it lacks, and no row."""
    for sheet in sheets(reports, "train", 12):
        for turn in turns(sheet, Random(3), "train", 20):
            if not turn.present:
                assert turn.concept not in sheet.page.fields


def test_what_is_asked_most_is_asked_of_every_page(reports: Path) -> None:
    """The total and the date of a receipt are always among the questions."""
    for sheet in sheets(reports, "train", 8)[1::4]:
        asked = {turn.concept for turn in turns(sheet, Random(4), "train", 14)}
        assert {"total", "date"} & set(sheet.page.fields) <= asked


def test_turns_are_the_same_for_the_same_chance(reports: Path) -> None:
    """Equal seeds give equal questions."""
    sheet = sheets(reports, "train", 1)[2]
    assert turns(sheet, Random(9), "train", 14) == turns(sheet, Random(9), "train", 14)
