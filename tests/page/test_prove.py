"""Stored strings proven on captures, and their near twins refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_clm.page.geometry import ribbon_of
from edge_clm.page.identity import whole_lines
from edge_clm.page.ocr import PageReader
from edge_clm.page.prove import Claim, Proof, prove
from edge_clm.page.symbols import Symbols
from edge_clm.paper import PageText, Quad
from edge_clm.types import Pixels
from tests.page.fields.sheets import sheet

ROWS = ("Invoice No: INV-10428", "Date: 25/12/2018", "Total: RM 1,204.50", "ACME TRADING SDN BHD")


@pytest.fixture(scope="module")
def shown() -> Pixels:
    """A page of a few lines."""
    return sheet(*ROWS)


@pytest.fixture(scope="module")
def read(reader: PageReader, shown: Pixels) -> PageText:
    """What the OCR reads on it."""
    return reader.read(shown)


def proven(
    reader: PageReader, pixels: Pixels, claims: list[Claim], places: list[Quad]
) -> list[Proof]:
    placed = [(claim, ribbon_of(place)) for claim, place in zip(claims, places, strict=True)]
    return prove(placed, pixels, reader.recognise, Symbols(reader.alphabet))


def test_what_stands_there_agrees(reader: PageReader, shown: Pixels, read: PageText) -> None:
    """Every line of a page is much likelier than its rivals where it stands."""
    claims = list(whole_lines(read, range(len(read.lines))))
    told = proven(reader, shown, claims, [line.quad for line in read.lines])
    assert [one.ratio > 2 for one in told] == [True] * len(ROWS)


def test_one_digit_less_or_more_or_other_conflicts(
    reader: PageReader, shown: Pixels, read: PageText
) -> None:
    """A stored number with one digit changed, lost or added is less likely than the print, wherever that is."""
    total = next(line for line in read.lines if "Total" in line.text)
    twins = {
        total.text[:at] + other + total.text[at + 1 :]
        for at, char in enumerate(total.text)
        if char.isdigit()
        for other in ("", "7", char + "3")
        if other != char
    }
    claims = [Claim(0, twin, 0, len(twin)) for twin in sorted(twins)]
    for proof in proven(reader, shown, claims, [total.quad] * len(claims)):
        assert proof.ratio < -2, proof.claim.text


def test_a_value_is_proven_whatever_stands_beside_it(
    reader: PageReader, shown: Pixels, read: PageText
) -> None:
    """Another word in the rest of the line leaves a value's own odds for the value."""
    line = next(line for line in read.lines if "Total" in line.text)
    start = line.text.index("1,204.50")
    other = Claim(0, "Tctal" + line.text[5:], start, start + 8)
    whole = Claim(0, other.text, 0, len(other.text))
    value, all_of_it = proven(reader, shown, [other, whole], [line.quad] * 2)
    assert value.ratio > 2
    assert all_of_it.ratio < 0
    assert value.claim.value == "1,204.50"


def test_a_place_a_little_off_is_still_read(
    reader: PageReader, shown: Pixels, read: PageText
) -> None:
    """A fifth of a line too high, a string is found by looking again."""
    line = read.lines[0]
    height = line.quad[3][1] - line.quad[0][1]
    a, b, c, d = ((x, y - 0.2 * height) for x, y in line.quad)
    (proof,) = proven(reader, shown, [Claim(0, line.text, 0, len(line.text))], [(a, b, c, d)])
    assert proof.ratio > 2


def test_blank_paper_proves_nothing(reader: PageReader) -> None:
    """Where nothing is printed nothing is likely."""
    blank = np.full((100, 600, 3), 255, np.uint8)
    place = ((10.0, 10.0), (300.0, 10.0), (300.0, 60.0), (10.0, 60.0))
    (proof,) = proven(reader, blank, [Claim(0, "1,204.50", 0, 8)], [place])
    assert proof.ratio < 0


def test_what_the_alphabet_lacks_cannot_be_compared(reader: PageReader, shown: Pixels) -> None:
    """A character that no class stands for leaves a string without odds."""
    place = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))
    (proof,) = proven(reader, shown, [Claim(0, "\ue000", 0, 1)], [place])
    assert (proof.odds, proof.ratio) == (None, 0.0)


@settings(max_examples=50, deadline=None)
@given(text=st.text("aAbB1２2. ", max_size=12), seed=st.integers(0, 99))
def test_symbols_keep_every_chance(text: str, seed: int) -> None:
    """Case, width and spaces make no difference, and no probability is counted twice."""
    alphabet = ["a", "A", "b", "B", "1", "2", "２", ".", " "]
    drawn = np.random.default_rng(seed).dirichlet(np.ones(len(alphabet) + 1), 4).astype(np.float32)
    symbols = Symbols(alphabet)
    told = symbols.compared(text, drawn)
    if not text.strip():
        assert told is None
        return
    assert told is not None
    string, rivals, summed = told
    assert len(string) == len(text.replace(" ", ""))
    assert set(string) <= set(rivals)
    assert np.allclose(summed.sum(axis=1), 1.0, atol=1e-5)
    changed = symbols.compared(text.swapcase().replace("2", "２"), drawn)
    assert changed is not None
    assert changed[0] == string
