"""Generated pages: the same from the same seed, true in every part, and as varied as they should be."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from edge_clm.errors import RequestInvalid
from edge_clm.paper import PageKind, Quad
from edge_clm.train.pages.__main__ import as_json
from edge_clm.train.pages.make import FIELDS, KINDS, page_of
from edge_clm.train.pages.page import GeneratedPage, Split, Truth
from edge_clm.values.dates import read_day
from edge_clm.values.money import money_readings
from edge_clm.values.quantity import read_quantity
from edge_clm.values.value import Day, Money, Quantity, Text

SPLITS: tuple[Split, ...] = ("train", "test")
SEEDS = range(14)
DIGEST = """
import sys
from pathlib import Path
from tests.train.pages.test_make import digest
print(digest(Path(sys.argv[1])))
"""


def digest(reports: Path) -> str:
    """Of the pictures and the truth of a page of every kind."""
    whole = hashlib.sha256()
    for kind in KINDS:
        page = page_of(kind, 7, "train", reports)
        whole.update(page.image.tobytes())
        whole.update(json.dumps(as_json(page)).encode())
    return whole.hexdigest()


def truths(page: GeneratedPage) -> Iterator[tuple[str, Truth]]:
    """Every field and every cell."""
    yield from page.fields.items()
    for table in page.tables:
        for row in table.rows:
            yield from row.items()


def edges(quad: Quad) -> tuple[float, float, float, float]:
    xs, ys = [x for x, _ in quad], [y for _, y in quad]
    return min(xs), min(ys), max(xs), max(ys)


@pytest.fixture(scope="module")
def pages(reports: Path) -> list[GeneratedPage]:
    return [page_of(k, seed, s, reports) for k in KINDS for s in SPLITS for seed in SEEDS]


def test_a_seed_tells_the_page_in_every_process(reports: Path) -> None:
    """Another process, with another order of sets, makes the same pictures and the same truth."""
    root = Path(__file__).parents[3]
    path = os.pathsep.join(filter(None, (str(root), os.environ.get("PYTHONPATH"))))
    ran = subprocess.run(
        [sys.executable, "-c", DIGEST, str(reports)],
        env={**os.environ, "PYTHONHASHSEED": "12345", "PYTHONPATH": path},
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() == digest(reports)


def test_seeds_and_splits_make_different_pages(reports: Path) -> None:
    """Neither another seed nor the other split gives the same page again."""
    made = {page_of(PageKind.RECEIPT, seed, s).image.tobytes() for seed in (1, 2) for s in SPLITS}
    assert len(made) == 4


def test_nothing_stands_outside_the_page(pages: list[GeneratedPage]) -> None:
    """Every box of a field, a cell and a word has an area and lies inside the picture."""
    for page in pages:
        height, width = page.image.shape[:2]
        boxes = [one for _, truth in truths(page) for one in truth.boxes]
        for quad in [*boxes, *(word.quad for word in page.words)]:
            left, top, right, bottom = edges(quad)
            assert -1 <= left < right <= width + 1, page.layout
            assert -1 <= top < bottom <= height + 1, page.layout


def test_what_a_field_says_is_among_the_words(pages: list[GeneratedPage]) -> None:
    """A field's text is made of the words, in their order, that lie in its boxes."""
    for page in pages:
        for name, truth in truths(page):
            for place in truth.boxes:
                said = re.sub(r"\s", "", "".join(_words_in(page, place)))
                assert said, (page.layout, name)
            whole = "".join(text for place in truth.boxes for text in _words_in(page, place))
            assert re.sub(r"\s", "", truth.text) in re.sub(r"\s", "", whole), (page.layout, name)


def _words_in(page: GeneratedPage, place: Quad) -> Iterator[str]:
    """Words of one line that share a good part of their area with a box."""
    left, top, right, bottom = edges(place)
    for word in page.words:
        a, b, c, d = edges(word.quad)
        across, down = min(right, c) - max(left, a), min(bottom, d) - max(top, b)
        if across > 1 and down > 0.3 * min(bottom - top, d - b):
            yield word.text


def test_the_fields_of_a_kind_are_known(pages: list[GeneratedPage]) -> None:
    """A page has only fields that its kind is said to have, and together the pages have nearly all."""
    for kind in KINDS:
        met = {name for page in pages if page.kind is kind for name in page.fields}
        assert met <= set(FIELDS[kind])
        assert len(met) >= 0.8 * len(FIELDS[kind])


def test_a_tax_is_printed_in_one_place_or_told_by_its_rates(pages: list[GeneratedPage]) -> None:
    """No amount is said twice under one name."""
    for page in pages:
        for name, truth in page.fields.items():
            if isinstance(truth.value, Money):
                assert len(truth.boxes) == 1, (page.layout, name, truth.text)


def test_values_are_read_from_what_is_printed(pages: list[GeneratedPage]) -> None:
    """The typed value of a field is what the readers of values make of its text."""
    for page in pages:
        for name, truth in truths(page):
            assert _is_read(page, truth), (page.layout, name, truth.text)


def _is_read(page: GeneratedPage, truth: Truth) -> bool:
    match truth.value:
        case Money(amount, currency):
            readings = money_readings(truth.text, currency, page.decimal)
            return any(one.amount == amount for one in readings)
        case Day(readings):
            found = read_day(truth.text, page.date_order)
            return found is not None and readings[0] in found.readings
        case Quantity(number):
            bare = re.sub(r" ?Y(ears|rs)?$", "", truth.text, flags=re.IGNORECASE)
            quantity = read_quantity(bare, page.decimal)
            return quantity is not None and quantity.number == number
        case Text(text):
            # The lines of an address may end without the commas between them.
            said, told = (re.sub(r"[\s,]", "", one) for one in (text, truth.text))
            return said == told
        case _:
            return False


def test_marks_are_no_words(reports: Path) -> None:
    """Stamps and corrections stand in the picture alone, and what is struck out is a field."""
    sorts = set()
    for kind in KINDS:
        for seed in range(12):
            page = page_of(kind, seed, "train", reports, marked=1.0)
            plain = page_of(kind, seed, "train", reports, marked=0.0)
            for mark in page.marks:
                sorts.add(mark.sort)
                if mark.sort in ("stamp", "correction"):
                    said = [word.text for word in page.words]
                    assert said.count(mark.text) == [w.text for w in plain.words].count(mark.text)
                if mark.sort in ("strike", "correction", "colour"):
                    assert mark.about in page.fields
    assert sorts >= {"stamp", "strike", "correction", "signature", "tick", "blank", "colour"}


def test_layouts_hardly_ever_repeat() -> None:
    """Of sixty pages of a kind nearly all are laid out in ways of their own."""
    for kind in (PageKind.INVOICE, PageKind.RECEIPT):
        layouts = {page_of(kind, seed, "train").layout for seed in range(60)}
        assert len(layouts) >= 57


def test_change_is_what_is_left_of_the_cash(pages: list[GeneratedPage]) -> None:
    """On receipts, what was paid less the total is the change."""
    checked = 0
    for page in pages:
        amounts = {n: t.value.amount for n, t in page.fields.items() if isinstance(t.value, Money)}
        if {"paid", "change", "total"} <= amounts.keys():
            assert amounts["paid"] - amounts["total"] == amounts["change"]
            checked += 1
    assert checked > 3


def test_languages_can_be_chosen() -> None:
    """Only pages in the chosen languages are made, and a kind that has none of them is refused."""
    chosen = frozenset({"zh", "de"})
    for seed in range(6):
        assert page_of(PageKind.INVOICE, seed, "train", languages=chosen).language in chosen
    with pytest.raises(RequestInvalid):
        page_of(PageKind.LAB_REPORT, 1, "train", languages=chosen)


def test_the_command_writes_pictures_and_truth(tmp_path: Path) -> None:
    """Two pages are two PNG files with JSON beside them whose fields are the page's."""
    command = [sys.executable, "-m", "edge_clm.train.pages", "--kind", "invoice", "--n", "2"]
    subprocess.run([*command, "--seed", "3", "--out", str(tmp_path)], check=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("invoice_train_3.json", "invoice_train_3.png"),
        *("invoice_train_4.json", "invoice_train_4.png"),
    ]
    truth = json.loads((tmp_path / "invoice_train_3.json").read_text(encoding="utf-8"))
    page = page_of(PageKind.INVOICE, 3, "train")
    assert truth["fields"]["total"]["text"] == page.fields["total"].text
    with Image.open(tmp_path / "invoice_train_3.png") as picture:
        assert picture.size == (truth["width"], truth["height"])
