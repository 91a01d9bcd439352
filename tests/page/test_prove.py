"""Stored strings proven on captures, and their near twins refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_clm.page.ocr import PageReader
from edge_clm.page.prove import Bounds, Claim, Proof, Standing, prove
from edge_clm.page.symbols import Symbols
from edge_clm.paper import PageText
from edge_clm.types import Pixels
from tests.page.fields.sheets import sheet

BOUNDS = Bounds(2.0, -2.0)
ROWS = ("Invoice No: INV-10428", "Date: 25/12/2018", "Total: RM 1,204.50", "ACME TRADING SDN BHD")


@pytest.fixture(scope="module")
def shown() -> Pixels:
    """A page of a few lines."""
    return sheet(*ROWS)


@pytest.fixture(scope="module")
def read(reader: PageReader, shown: Pixels) -> PageText:
    """What the OCR reads on it."""
    return reader.read(shown)


def proven(reader: PageReader, pixels: Pixels, claims: list[Claim]) -> list[Proof]:
    return prove(claims, pixels, reader.recognise, Symbols(reader.alphabet), BOUNDS)


def test_what_stands_there_agrees(reader: PageReader, shown: Pixels, read: PageText) -> None:
    """Every line of a page is proven where it stands."""
    claims = [Claim(line.text, line.quad) for line in read.lines]
    assert [one.standing for one in proven(reader, shown, claims)] == [Standing.AGREES] * len(ROWS)


def test_one_digit_less_or_more_or_other_conflicts(
    reader: PageReader, shown: Pixels, read: PageText
) -> None:
    """A stored number with one digit changed, lost or added conflicts with the print, wherever the digit is."""
    total = next(line for line in read.lines if "Total" in line.text)
    twins = {
        total.text[:at] + other + total.text[at + 1 :]
        for at, char in enumerate(total.text)
        if char.isdigit()
        for other in ("", "7", char + "3")
        if other != char
    }
    for proof in proven(reader, shown, [Claim(twin, total.quad) for twin in sorted(twins)]):
        assert proof.standing is Standing.CONFLICTS, proof.claim.text


def test_a_place_a_little_off_is_still_read(
    reader: PageReader, shown: Pixels, read: PageText
) -> None:
    """A fifth of a line too high, a string is found by looking again."""
    line = read.lines[0]
    height = line.quad[3][1] - line.quad[0][1]
    a, b, c, d = ((x, y - 0.2 * height) for x, y in line.quad)
    (proof,) = proven(reader, shown, [Claim(line.text, (a, b, c, d))])
    assert proof.standing is Standing.AGREES


def test_blank_paper_proves_nothing(reader: PageReader) -> None:
    """Where nothing is printed nothing agrees."""
    blank = np.full((100, 600, 3), 255, np.uint8)
    (proof,) = proven(
        reader, blank, [Claim("1,204.50", ((10, 10), (300, 10), (300, 60), (10, 60)))]
    )
    assert proof.standing is not Standing.AGREES


def test_what_the_alphabet_lacks_cannot_be_compared(reader: PageReader, shown: Pixels) -> None:
    """A character that no class stands for leaves a string unread."""
    (proof,) = proven(reader, shown, [Claim("\ue000", ((0, 0), (9, 0), (9, 9), (0, 9)))])
    assert (proof.standing, proof.odds) == (Standing.UNREAD, None)


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
