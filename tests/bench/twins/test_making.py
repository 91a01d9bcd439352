"""Twins of whole pages, and the photograph that all of a page's twins share."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
import pytest

from bench.twins.edits import MAKERS
from bench.twins.held import held, upright
from bench.twins.labels import names_a_page
from bench.twins.making import ELSEWHERE, KINDS, retouched, scrawled, twins_of
from bench.twins.readings import Readings
from bench.twins.sources import Generated, Opened
from bench.twins.strips import strips_of
from bench.twins.visible import part, visible
from edge_clm.page.ocr import PageReader
from edge_clm.paper import PageKind
from tests.page.conftest import models, reader

__all__ = ["models", "reader"]
pytest.importorskip("faker")
pytest.importorskip("font_roboto")


@pytest.fixture(scope="module")
def readings(reader: PageReader, tmp_path_factory: pytest.TempPathFactory) -> Readings:
    """Readings that are kept where nobody else's are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        return Readings(reader)


@pytest.fixture(scope="module")
def opened(readings: Readings) -> Opened:
    """A generated lab report."""
    name = "lab_report/901"
    source = Generated(name, name, "lab_report", 0, PageKind.LAB_REPORT, 901, Path("none"))
    return source.opened(readings)


def test_twins_are_of_many_kinds_and_none_is_made_twice(reader: PageReader, opened: Opened) -> None:
    """As many as wanted, each an edit of something that is asked or of nothing that is."""
    places = [line.quad for line in opened.text.lines]
    strips = strips_of(opened.picture, places, reader.recognise, reader.alphabet)
    made = list(islice(twins_of(opened.picture, opened.asked, strips, Random(1)), 14))
    assert len(made) == 14
    assert len({(twin.kind, twin.field, twin.after) for twin in made}) == 14
    kinds = {twin.kind for twin in made}
    assert len(kinds) >= 8
    assert kinds <= set(KINDS)
    fields = {one.field for one in opened.asked}
    for twin in made:
        assert twin.kind in ELSEWHERE or twin.field in fields
        assert (twin.pixels != opened.picture).any()


def test_a_page_is_marked_all_over(reader: PageReader, opened: Opened) -> None:
    """Many values bear a mark, each a field of its own on a line of its own; what names the page has none."""
    places = [line.quad for line in opened.text.lines]
    strips = strips_of(opened.picture, places, reader.recognise, reader.alphabet)
    pixels, marked = scrawled(opened.picture, opened.asked, strips, Random(1))
    assert len(marked) >= 4
    assert {one.kind for one in marked} <= {"strike", "correction"}
    fields = [one.field for one in marked]
    assert len(set(fields)) == len(fields)
    assert not any(names_a_page(field) for field in fields)
    assert (pixels == marked[-1].pixels).all()
    assert (pixels != opened.picture).any()


def test_print_is_edited_all_over_a_page(reader: PageReader, opened: Opened) -> None:
    """Many values read otherwise, each a field of its own, and none of them names the page."""
    places = [line.quad for line in opened.text.lines]
    strips = strips_of(opened.picture, places, reader.recognise, reader.alphabet)
    pixels, made = retouched(opened.picture, opened.asked, strips, Random(1))
    assert len(made) >= 4
    assert {one.kind for one in made} <= set(MAKERS)
    fields = [one.field for one in made]
    assert len(set(fields)) == len(fields)
    assert not any(names_a_page(field) for field in fields)
    assert all(one.before != one.after for one in made)
    assert (pixels == made[-1].pixels).all()


def test_what_is_edited_elsewhere_is_not_seen_at_a_value(opened: Opened) -> None:
    """A part of two captures differs where the edit lies, and nowhere else."""
    height, width = opened.picture.shape[:2]
    twin = opened.picture.copy()
    twin[: height // 4, : width // 4] = 0
    here = ((10.0, 10.0), (60.0, 10.0), (60.0, 30.0), (10.0, 30.0))
    there = tuple((x + width / 2, y + height / 2) for x, y in here)
    away = tuple((x + 9 * width, y) for x, y in here)
    assert visible(part(opened.picture, here), part(twin, here))
    assert not visible(part(opened.picture, there), part(twin, there))
    assert not visible(part(opened.picture, away), part(twin, away))


def test_twins_share_one_photograph(opened: Opened) -> None:
    """Where the page was not edited the capture of a twin is that of the page, but for what JPEG makes of it."""
    twin = opened.picture.copy()
    twin[:60] = 0
    one, other = opened.photographed(opened.picture), opened.photographed(twin)
    assert one.shape == other.shape
    off = np.abs(one.astype(int) - other).max(axis=2)
    assert off.max() > 100
    assert np.mean(off > 8) < 0.3


def test_what_is_asked_is_found_on_the_anchor(readings: Readings, opened: Opened) -> None:
    """Places of the page are carried to the anchor, and most values are read there."""
    text = readings.read(opened.anchor)
    assert opened.placed is not None
    found = []
    for one in opened.asked:
        place = {part: upright(opened.placed(part.place), text) for part in one.parts if part.place}
        found.append(held(one, text, place) is not None)
    assert np.mean(found) > 0.5


def test_a_reading_is_kept(readings: Readings, reader: PageReader, opened: Opened) -> None:
    """What is read once comes back alike, and is found alike when it is read anew."""
    assert readings.read(opened.anchor) == reader.read(opened.anchor)
    assert readings.check([lambda: opened.anchor]) == 1


def test_an_edit_that_light_hides_is_not_seen(opened: Opened) -> None:
    """A faint change is none beside bold print, and plain ink is one; grain alone is none anywhere."""
    base = opened.photographed(opened.picture)
    faint, bold = base.copy(), base.copy()
    faint[200:210, 200:220] = np.clip(faint[200:210, 200:220].astype(int) - 4, 0, 255)
    bold[200:210, 200:220] = 0
    assert not visible(base, base)
    assert not visible(base, faint)
    assert visible(base, bold)
