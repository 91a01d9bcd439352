"""Twins of a page that say what they show."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from bench.twins.edits import Twin, twins, value_of
from bench.twins.strips import Strip, strip_of
from edge_clm.page.ocr import PageReader
from edge_clm.types import Pixels
from tests.page.conftest import models, reader
from tests.page.fields.sheets import sheet

__all__ = ["models", "reader"]
ROWS = ("No. 2047-318", "Date 12.06.2019", "Sum 1360.45", "Tax 82.97", "Glucose 7.1 H", "Na 128 L")


@pytest.fixture(scope="module")
def page() -> Pixels:
    """A page of values."""
    return sheet(*ROWS)


@pytest.fixture(scope="module")
def strips(reader: PageReader, page: Pixels) -> list[Strip]:
    """The lines of it that part into letters."""
    lines = reader.read(page).lines
    return [one for line in lines if (one := strip_of(page, line.text, line.quad))]


@pytest.fixture(scope="module")
def made(page: Pixels, strips: list[Strip]) -> list[Twin]:
    """Twins of the sum and the tax."""
    values = [value_of("total", "1360.45", strips), value_of("tax", "82.97", strips)]
    return list(twins(page, [one for one in values if one], strips, Random(1)))


def test_twins_are_read_as_they_say(reader: PageReader, made: list[Twin]) -> None:
    """The OCR reads on a twin the value it claims to have, and not the one of the page."""
    assert {"digit", "digit_lost"} <= {twin.kind for twin in made}
    for twin in made:
        texts = [line.text.replace(" ", "") for line in reader.read(twin.pixels).lines]
        if twin.kind != "point_lost":
            assert any(text.endswith(twin.after) for text in texts), (twin.kind, twin.after, texts)
            assert not any(text.endswith(twin.before) for text in texts), (twin.kind, texts)


def test_a_twin_differs_in_one_place(page: Pixels, made: list[Twin]) -> None:
    """All that changes lies within the line of the value."""
    for twin in made:
        rows = np.flatnonzero((twin.pixels != page).any(axis=(1, 2)))
        assert len(rows)
        assert rows[-1] - rows[0] < 52, twin.kind


def test_a_value_that_stands_twice_is_left_alone(strips: list[Strip]) -> None:
    """Where it is not sure which print is meant there is no value."""
    assert value_of("total", "2", strips) is None
    assert value_of("total", "360.45", strips) is None
    assert value_of("total", "99.99", strips) is None
