"""What can be read on a capture of a page, against what was printed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from edge_clm.paper import Line
from edge_clm.train.nano.shown import nearest
from tests.train.nano.sheets import sheets

LETTERS = st.text("abc 1.", max_size=12)


def distance(one: str, other: str) -> int:
    """Edit distance, the plain way."""
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        before, row = row, [at]
        for i, wanted in enumerate(other, 1):
            row.append(min(before[i] + 1, row[-1] + 1, before[i - 1] + (letter != wanted)))
    return row[-1]


@given(st.text("abc1.", min_size=1, max_size=6), LETTERS)
def test_no_stretch_is_nearer(wanted: str, text: str) -> None:
    """The stretch found is a part of the text, as far away as is said, and none is nearer."""
    cost, start, end = nearest(wanted, text)
    stretch = text[start:end]
    assert distance(stretch, wanted) == cost
    parts = {text[a:b] for a in range(len(text) + 1) for b in range(a, len(text) + 1)}
    assert cost == min(distance(part, wanted) for part in parts)


def test_a_page_read_without_fault_shows_its_fields_as_printed(reports: Path) -> None:
    """Every field of a page whose text is perfect is shown, word for word."""
    for sheet in sheets(reports, "train", 8):
        for name, truth in sheet.page.fields.items():
            assert sheet.shown(truth) == truth.text, (sheet.page.layout, name)


def test_a_misread_value_is_shown_as_it_was_read(reports: Path) -> None:
    """Where the OCR took one digit for another, the answer is what stands in its text."""
    sheet = next(one for one in sheets(reports, "train", 4) if "total" in one.page.fields)
    total = sheet.page.fields["total"]
    wrong = total.text.replace(total.text[-1], "8" if total.text[-1] != "8" else "3")
    lines = tuple(
        Line(line.text.replace(total.text, wrong), line.quad, 1.0) for line in sheet.lines
    )
    text = replace(sheet.text, lines=lines)
    assert replace(sheet, text=text).shown(total) == wrong


def test_a_value_that_was_not_read_is_not_shown(reports: Path) -> None:
    """Where the OCR found no line, there is no answer to learn."""
    sheet = sheets(reports, "train", 1)[0]
    empty = replace(sheet, text=replace(sheet.text, lines=()))
    assert {empty.shown(truth) for truth in sheet.page.fields.values()} == {None}
