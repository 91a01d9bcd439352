"""What tests are made of is on no training page."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from edge_clm.errors import RequestInvalid
from edge_clm.paper import PageKind
from edge_clm.train.pages.fonts import FAMILIES
from edge_clm.train.pages.lexicon import entries, word_lists
from edge_clm.train.pages.make import KINDS, page_of
from edge_clm.train.pages.page import GeneratedPage, Split
from edge_clm.train.pages.reports import FILE, is_held_out, reports_in

COUNT = 25


@pytest.fixture(scope="module")
def train(reports: Path) -> list[GeneratedPage]:
    return [page_of(kind, seed, "train", reports) for kind in KINDS for seed in range(COUNT)]


@pytest.fixture(scope="module")
def held_out(reports: Path) -> list[GeneratedPage]:
    return [page_of(kind, seed, "test", reports) for kind in KINDS for seed in range(COUNT)]


def analytes(pages: list[GeneratedPage]) -> set[str]:
    return {
        row["analyte"].text
        for page in pages
        for table in page.tables
        for row in table.rows
        if "analyte" in row
    }


def test_layouts_fonts_and_wordings_are_apart(
    train: list[GeneratedPage], held_out: list[GeneratedPage]
) -> None:
    """No layout, no family of type faces and no paraphrase of a label is on pages of both splits."""
    for part in ("fonts", "wordings"):
        seen, held = (
            {one for page in pages for one in getattr(page, part)} for pages in (train, held_out)
        )
        assert seen
        assert held
        assert not seen & held
    assert not {page.layout for page in train} & {page.layout for page in held_out}


def test_analytes_are_apart(train: list[GeneratedPage], held_out: list[GeneratedPage]) -> None:
    """No analyte that tests ask for is ever trained on."""
    seen, held = analytes(train), analytes(held_out)
    assert len(seen) > 60
    assert len(held) > 10
    assert not seen & held


def test_paraphrases_are_listed_once() -> None:
    """No label of a concept is in both of its lists, whatever its case."""
    for concepts in word_lists("labels").values():
        for concept, lists in concepts.items():
            seen = {phrase.casefold() for phrase in lists["train"]}
            assert not seen & {phrase.casefold() for phrase in lists.get("test", ())}, concept


@pytest.mark.parametrize("name", ["goods", "phrases", "names"])
def test_long_lists_are_parted(name: str) -> None:
    """A list of twenty entries or more gives each split some of its own."""
    splits: tuple[Split, Split] = ("train", "test")
    for section, lists in word_lists(name).items():
        for key, all_of_it in lists.items():
            if len(all_of_it) >= 20:
                seen, held = (set(entries(name, section, key, split)) for split in splits)
                assert seen | held == set(all_of_it)
                assert not seen & held


def test_every_split_has_every_sort_of_face() -> None:
    """Both splits have proportional, monospaced, Chinese and handwritten faces."""
    for split in ("train", "test"):
        sorts = {family.sort for family in FAMILIES if family.split == split}
        assert sorts >= {"sans", "serif", "mono", "han", "hand"}


def test_held_out_reports_are_never_laid_out_for_training(reports: Path) -> None:
    """A page shows a report of its own split alone."""
    with (reports / FILE).open(encoding="utf-8", newline="") as file:
        uids = [row["uid"] for row in csv.DictReader(file)]
    held = {f"case{uid}." for uid in uids if is_held_out(uid)}
    assert 3 < len(held) < 20
    for split in ("train", "test"):
        for seed in range(12):
            page = page_of(PageKind.RADIOLOGY_REPORT, seed, split, reports)
            shown = {word.text for word in page.words if word.text.startswith("case")}
            assert shown
            assert (shown <= held) == (split == "test")


def test_a_hundred_of_the_real_reports_are_held_out(real_reports: Path) -> None:
    """Of the 400 reports at hand 300 are for training."""
    assert len(reports_in(real_reports, "train")) == 300
    assert len(reports_in(real_reports, "test")) == 100


def test_reports_must_be_there(tmp_path: Path) -> None:
    """Without texts a radiology page is refused."""
    for place in (None, tmp_path):
        with pytest.raises(RequestInvalid):
            page_of(PageKind.RADIOLOGY_REPORT, 1, "train", place)
