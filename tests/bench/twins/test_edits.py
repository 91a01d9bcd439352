"""Twins of a page that say what they show."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from bench.twins.edits import MAKERS, Twin, edited, value_of
from bench.twins.strips import Strip, strips_of
from edge_clm.page.ocr import PageReader
from edge_clm.types import Pixels
from tests.page.conftest import models, reader
from tests.page.fields.sheets import sheet

__all__ = ["models", "reader"]
ROWS = (
    "No. 2047-318",
    "Sum 1360.45",
    "Tax 82.97",
    "Off -4.29",
    "Glucose 7.1 mg/dL H",
    "Na 128 kg L",
    "Seller Martin Heller",
)
VALUES = {
    "number": "2047-318",
    "total": "1360.45",
    "tax": "82.97",
    "discount": "-4.29",
    "level": "H",
    "unit": "mg/dL",
    "seller": "Martin Heller",
}


@pytest.fixture(scope="module")
def page() -> Pixels:
    """A page of values."""
    return sheet(*ROWS)


@pytest.fixture(scope="module")
def strips(reader: PageReader, page: Pixels) -> list[Strip]:
    """Its lines."""
    places = [line.quad for line in reader.read(page).lines]
    return strips_of(page, places, reader.recognise, reader.alphabet)


@pytest.fixture(scope="module")
def made(page: Pixels, strips: list[Strip]) -> list[Twin]:
    """Twins of each kind of each value."""
    values = [value_of(field, text, strips) for field, text in VALUES.items()]
    return [
        twin
        for value in values
        if value
        for kind in MAKERS
        if (twin := edited(kind, page, value, strips, Random(1)))
    ]


def test_every_kind_of_edit_can_be_made(made: list[Twin]) -> None:
    """Each kind finds a value that it can change."""
    assert {twin.kind for twin in made} == set(MAKERS)


def test_twins_are_read_as_they_say(reader: PageReader, made: list[Twin]) -> None:
    """The OCR reads on a twin the value it claims to have, and not the one of the page, but for slips on single marks."""
    right = 0
    for twin in made:
        text = " ".join(line.text for line in reader.read(twin.pixels).lines).replace(" ", "")
        right += twin.after in text and (twin.before in twin.after or twin.before not in text)
    assert right >= 0.85 * len(made), (right, len(made))


def test_a_twin_differs_in_one_place(page: Pixels, made: list[Twin]) -> None:
    """All that changes lies within the line of the value."""
    for twin in made:
        rows = np.flatnonzero((twin.pixels != page).any(axis=(1, 2)))
        assert len(rows)
        assert rows[-1] - rows[0] < 52, twin.kind


def test_a_value_is_no_part_of_another(strips: list[Strip]) -> None:
    """Neither the end of a longer number nor its beginning is found, nor what is not there."""
    for text in ("2", "360.45", "1360", "4.29", "Mart", "99.99"):
        assert value_of("total", text, strips) is None, text


def test_a_value_that_stands_twice_changes_twice(reader: PageReader) -> None:
    """A total that is printed again elsewhere is another there too; two letters are found by their place alone."""
    page = sheet("Sum 1360.45", "Due 1360.45", "Digits 23 67 89", "Pens 23")
    lines = reader.read(page).lines
    strips = strips_of(page, [one.quad for one in lines], reader.recognise, reader.alphabet)
    total = value_of("total", "1360.45", strips)
    assert total is not None
    twin = edited("digit", page, total, strips, Random(1))
    assert twin is not None
    read = [line.text.replace(" ", "") for line in reader.read(twin.pixels).lines]
    assert read[:2] == [f"Sum{twin.after}", f"Due{twin.after}"]
    assert value_of("pens", "23", strips) is None
    pens = value_of("pens", "23", strips, lines[3].quad)
    assert pens is not None
    assert [spot.strip.text for spot in pens.spots] == ["Pens 23"]
