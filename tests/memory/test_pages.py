from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_clm.errors import InternalFault
from edge_clm.memory.pages import decode_text, encode_text
from edge_clm.memory.store import Store
from edge_clm.paper import Flaw, Line, PageText
from tests.memory.samples import OCR, page_text, sha, view

PAGE = sha(b"page")
number = st.floats(allow_nan=False, allow_infinity=False)
point = st.tuples(number, number)
lines = st.builds(Line, st.text(), st.tuples(point, point, point, point), number)
texts = st.builds(
    PageText,
    st.lists(lines, max_size=4).map(tuple),
    st.sampled_from([0, 90, 180, 270]),
    st.integers(1, 20_000),
    st.integers(1, 20_000),
    st.lists(st.sampled_from(Flaw), unique=True).map(tuple),
)


@given(texts)
def test_a_page_text_survives_its_encoding(text: PageText) -> None:
    """Words, boxes, confidences, turn, size and flaws come back exactly."""
    assert decode_text(encode_text(text)) == text


def test_a_text_kept_before_flaws_were_has_none() -> None:
    """What an earlier version wrote is read all the same."""
    kept = '{"turn":90,"width":4,"height":3,"lines":[["a",[[0,0],[1,0],[1,1],[0,1]],0.5]]}'
    box = ((0, 0), (1, 0), (1, 1), (0, 1))
    assert decode_text(kept) == PageText((Line("a", box, 0.5),), 90, 4, 3)


async def test_a_view_comes_back(store: Store) -> None:
    """What each page of a capture shows is found again; a page never looked at is not."""
    capture = await store.put_capture("clinic", b"pdf", "application/pdf", 2)
    second = view(capture.handle, 2)
    await store.put_view("clinic", second)
    assert await store.view("clinic", capture.handle, 2) == second
    assert await store.view("clinic", capture.handle, 1) is None


async def test_a_later_view_takes_the_place_of_the_first(store: Store) -> None:
    """A capture can be found to show another page."""
    capture = await store.put_capture("clinic", b"jpeg", "image/jpeg", 1)
    await store.put_view("clinic", view(capture.handle))
    adopted = replace(view(capture.handle), page_key=sha(b"other page"))
    await store.put_view("clinic", adopted)
    assert await store.view("clinic", capture.handle, 1) == adopted


async def test_a_view_needs_its_capture(store: Store) -> None:
    """A view of nothing is a fault of ours and is not kept; the next write is none the worse."""
    with pytest.raises(InternalFault):
        await store.put_view("clinic", view("c_unknown"))
    capture = await store.put_capture("clinic", b"jpeg", "image/jpeg", 1)
    assert await store.capture("clinic", capture.handle) == capture
    assert (await store.counts())["views"] == 0


@pytest.mark.parametrize("text", [page_text("Total 94,93 €", "金额 100"), page_text()])
async def test_a_page_text_comes_back(store: Store, text: PageText) -> None:
    """The text of a page, be it blank, is found again."""
    await store.put_page("clinic", PAGE, text, OCR)
    assert await store.page_text("clinic", PAGE, OCR) == text


async def test_a_page_text_belongs_to_the_ocr_that_read_it(store: Store) -> None:
    """Another OCR does not get it, and what that one reads takes its place."""
    await store.put_page("clinic", PAGE, page_text("old"), OCR)
    assert await store.page_text("clinic", PAGE, "00" * 32) is None
    await store.put_page("clinic", PAGE, page_text("new"), "00" * 32)
    assert await store.page_text("clinic", PAGE, "00" * 32) == page_text("new")
    assert await store.page_text("clinic", PAGE, OCR) is None
