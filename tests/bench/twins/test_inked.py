"""Stamps, strikes, corrections by hand and lines that moved."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from bench.twins.edits import Value, value_of
from bench.twins.inked import corrected, stamped, struck
from bench.twins.rows import repeated, swapped
from bench.twins.strips import Strip, strips_of
from edge_clm.page.ocr import PageReader
from edge_clm.types import Pixels
from tests.page.conftest import models, reader
from tests.page.fields.sheets import sheet

__all__ = ["models", "reader"]
ROWS = ("Blue pen 12", "Red book 47", "", "Sum 1360.45", "", "", "")


@pytest.fixture(scope="module")
def page() -> Pixels:
    """A page with room at its foot."""
    return sheet(*ROWS)


@pytest.fixture(scope="module")
def strips(reader: PageReader, page: Pixels) -> list[Strip]:
    """Its lines."""
    places = [line.quad for line in reader.read(page).lines]
    return strips_of(page, places, reader.recognise, reader.alphabet)


@pytest.fixture(scope="module")
def total(strips: list[Strip]) -> Value:
    """Its sum."""
    found = value_of("total", "1360.45", strips)
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(4))
def test_a_stamp_is_ink_over_the_page(page: Pixels, strips: list[Strip], seed: int) -> None:
    """A stamp makes no pixel lighter, and many darker."""
    twin = stamped(page, strips, Random(seed))
    assert (twin.pixels <= page).all()
    assert 0.002 < np.mean((twin.pixels != page).any(axis=2)) < 0.3


def test_a_strike_crosses_its_value_alone(page: Pixels, total: Value) -> None:
    """A line runs through the value, and nothing above or below its line changes."""
    twin = struck(page, total, Random(1))
    rows, columns = np.nonzero((twin.pixels != page).any(axis=2))
    assert rows.min() >= 60 + 3 * 52 - 12
    assert rows.max() <= 60 + 3 * 52 + 45
    assert columns.min() > 100


def test_a_correction_says_what_it_says(page: Pixels, total: Value) -> None:
    """One digit differs from the value that is struck out, and what is written stands above it."""
    twin = corrected(page, total, Random(2))
    assert twin is not None
    assert sum(a != b for a, b in zip(twin.before, twin.after, strict=True)) == 1
    rows = np.flatnonzero((twin.pixels != page).any(axis=(1, 2)))
    assert rows.min() < 60 + 3 * 52 - 12


def test_two_lines_change_places(reader: PageReader, page: Pixels, strips: list[Strip]) -> None:
    """What stood above stands below, and the OCR reads both."""
    twin = swapped(page, strips[:2], Random(1))
    assert twin is not None
    read = [line.text for line in reader.read(twin.pixels).lines]
    assert read[:2] == [strips[1].text, strips[0].text]


def test_a_line_is_printed_again(reader: PageReader, page: Pixels, strips: list[Strip]) -> None:
    """One line stands there twice, the second time where there was none."""
    twin = repeated(page, strips, Random(1))
    assert twin is not None
    read = [line.text for line in reader.read(twin.pixels).lines]
    assert len(read) == len(strips) + 1
    assert read.count(twin.after) == 2
