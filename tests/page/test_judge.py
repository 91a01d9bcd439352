"""A generated page known by one photograph, and held against others."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw

from edge_clm.page.anchor import Anchor, anchor_of
from edge_clm.page.fields.extract import extract
from edge_clm.page.geometry import turned, turned_quad
from edge_clm.page.judge import Judge
from edge_clm.page.look import Look
from edge_clm.page.ocr import PageReader
from edge_clm.page.rule import rule
from edge_clm.page.thresholds import load_thresholds
from edge_clm.types import Pixels, Verdict
from edge_clm.weights import shipped
from tests.page.fields.sheets import sheet

ROWS = (
    "NORTHWIND TRADING LTD",
    "INVOICE",
    "Invoice No: INV-10428",
    "Date: 25/12/2018",
    "Customer: Harbour Cafe",
    "Tea spoons   4   12.50   50.00",
    "Large kettle   1   84.20   84.20",
    "Subtotal   134.20",
    "Tax   8.05",
    "Total   142.25",
)
THRESHOLDS = load_thresholds(shipped("identity"))


@pytest.fixture(scope="module")
def judge(reader: PageReader) -> Judge:
    """The judge with the weights that come with the package."""
    return Judge(reader, Look.load(shipped("look")))


@pytest.fixture(scope="module")
def anchor(reader: PageReader) -> Anchor:
    """An invoice as it was read."""
    return anchor_of(shown(), (text := reader.read(shown())), extract([(1, text)]))


def shown(*rows: str) -> Pixels:
    """A page of a few lines, and a little of the table that it lies on."""
    return np.pad(sheet(*(rows or ROWS)), ((40, 40), (60, 60), (0, 0)), constant_values=90)


def verdict(judge: Judge, anchor: Anchor, capture: Pixels, value: str) -> Verdict:
    line = next(line for line in anchor.text.lines if value in line.text)
    start = line.text.index(value)
    signals = judge.compare(anchor, capture).signals([line.part(start, start + len(value))])
    return rule(signals, THRESHOLDS).verdict


@pytest.mark.parametrize("turn", [0, 1, 2])
def test_the_same_page_is_the_same_however_it_lies(judge: Judge, anchor: Anchor, turn: int) -> None:
    """The very page, lying on any side and a little smaller, is the same for its total."""
    picture = Image.fromarray(np.ascontiguousarray(np.rot90(shown(), turn)))
    smaller = picture.resize((int(picture.width * 0.93), int(picture.height * 0.93)))
    assert verdict(judge, anchor, np.asarray(smaller), "142.25") is Verdict.SAME


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_evidence_is_found_however_the_capture_lies(
    judge: Judge, anchor: Anchor, turn: int
) -> None:
    """On the capture set upright it lies where it lies on the page, reading the same way."""
    capture = turned(shown(), -turn)
    comparison = judge.compare(anchor, capture)
    line = next(line for line in anchor.text.lines if "142.25" in line.text)
    height, width = capture.shape[:2]
    (found,) = comparison.found([line.quad])
    assert comparison.turn == turn
    assert np.abs(np.subtract(turned_quad(found, turn, width, height), line.quad)).max() < 3


def test_the_page_alone_is_asked_for_without_evidence(judge: Judge, anchor: Anchor) -> None:
    """The page as it is known is the same, and one with another number is not."""
    other = shown(*(row.replace("10428", "10423") for row in ROWS))
    same, twin = (judge.compare(anchor, each) for each in (shown(), other))
    assert rule(same.signals(()), THRESHOLDS).verdict is Verdict.SAME
    assert rule(twin.signals(()), THRESHOLDS).verdict is not Verdict.SAME
    assert same.found(()) == ()


@pytest.mark.parametrize(
    "changed",
    [("142.25", "142.75"), ("Tax   8.05", "VOID - CANCELLED"), ("84.20   84.20", "84.20")],
)
def test_an_order_that_was_changed_since_is_not_the_same_page(
    judge: Judge, anchor: Anchor, changed: tuple[str, str]
) -> None:
    """The names are the same; as a whole it is another."""
    sibling = shown(*(row.replace(*changed) for row in ROWS))
    whole = judge.compare(anchor, sibling).signals(None)
    assert rule(whole, THRESHOLDS).verdict is not Verdict.SAME


def test_a_page_with_another_name_is_looked_at_no_further(judge: Judge, anchor: Anchor) -> None:
    """Its number alone decides, as it does where everything is looked at; the same page loses nothing."""
    other = shown(*(row.replace("10428", "10423") for row in ROWS))
    short = judge.compare(anchor, other).signals(None, THRESHOLDS)
    assert rule(short, THRESHOLDS).verdict is not Verdict.SAME
    assert short.naming == judge.compare(anchor, other).signals(()).naming
    assert short.others > 0
    same = judge.compare(anchor, shown())
    assert same.signals((), THRESHOLDS) == same.signals(())


@pytest.mark.parametrize(
    ("printed", "other"),
    [
        ("Total   142.25", "Total   142.26"),
        ("Total   142.25", "Total   1142.25"),
        ("Total   142.25", "Total   142.255"),
        ("Total   142.25", "Total   14225"),
        ("Invoice No: INV-10428", "Invoice No: INV-10423"),
    ],
)
def test_a_twin_is_never_the_same(judge: Judge, anchor: Anchor, printed: str, other: str) -> None:
    """One digit of the total or of the number changed, added or a point lost: not the same."""
    twin = shown(*(other if row == printed else row for row in ROWS))
    assert verdict(judge, anchor, twin, "142.25") is not Verdict.SAME


def test_a_struck_out_total_is_not_the_same(judge: Judge, anchor: Anchor) -> None:
    """A line of the pen through the total leaves its digits to be read, and is a mark."""
    line = next(line for line in anchor.text.lines if "142.25" in line.text)
    struck = Image.fromarray(shown())
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = line.quad
    ends = ((ax + dx) / 2, (ay + dy) / 2, (bx + cx) / 2, (by + cy) / 2)
    ImageDraw.Draw(struck).line(ends, fill=(20, 30, 120), width=4)
    assert verdict(judge, anchor, np.asarray(struck), "142.25") is not Verdict.SAME


def test_another_page_is_not_the_same(judge: Judge, anchor: Anchor) -> None:
    """A page of other words is not the same, nor is blank paper."""
    other = shown(*(row[::-1] for row in ROWS))
    for capture in (other, np.full((900, 700, 3), 240, np.uint8)):
        assert verdict(judge, anchor, capture, "142.25") is not Verdict.SAME


def test_an_answer_about_the_page_rests_on_all_of_it(judge: Judge, anchor: Anchor) -> None:
    """A letter changed anywhere takes the page as a whole for another, and leaves the total as it was."""
    twin = shown(*("Customer: Harbour Cafo" if "Harbour" in row else row for row in ROWS))
    comparison = judge.compare(anchor, twin)
    assert rule(comparison.signals(None), THRESHOLDS).verdict is not Verdict.SAME
    same = judge.compare(anchor, shown()).signals(None)
    assert same.evidence > comparison.signals(None).evidence
