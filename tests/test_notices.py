"""What is said of pages whose names were seen before, over a real memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from edge_clm.config import Config, Memory
from edge_clm.errors import InternalFault
from edge_clm.extractor import Order
from edge_clm.identify import Source
from edge_clm.memory.store import Store
from edge_clm.paper import Difference, NoticeKind, PageText
from edge_clm.policy import Wish
from edge_clm.types import ServeMode
from tests.test_answer import FAR, House

TOTAL = (Difference("total", "4.20", "9.20"),)
SELLER = (*TOTAL, Difference("seller", "Ann", "Bob"))


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with await Store.open(Memory(directory=str(tmp_path)), busy_timeout_ms=50) as store:
        house = House(store, tmp_path)
        house.engine.named = "number\n4711"
        yield house


async def test_a_first_page_is_not_noticed(house: House) -> None:
    """Nor is the same file sent again: its handle says so already."""
    assert (await house.ask(b"page 1")).notices == ()
    assert (await house.ask(b"page 1", "And the date?")).notices == ()


async def test_a_page_of_the_same_names_is_noticed(house: House) -> None:
    """Nothing differs: seen before, on which capture and when."""
    first = await house.ask(b"page 1")
    [notice] = (await house.ask(b"page 2")).notices
    assert (notice.kind, notice.handle, notice.page) == (NoticeKind.SEEN_BEFORE, first.handle, 1)
    assert notice.seen > 1_750_000_000
    assert notice.differences == ()


@pytest.mark.parametrize(
    ("named", "differences", "kinds"),
    [
        ("number\n4711", TOTAL, [NoticeKind.CHANGED]),
        ("number\n4711", SELLER, [NoticeKind.SAME_NUMBER]),
        ("date,total,time\n1\n2\n3", TOTAL, [NoticeKind.CHANGED]),
        ("date,total,time\n1\n2\n3", SELLER, []),
        ("", TOTAL, []),
    ],
)
async def test_what_differs_says_what_it_is(
    house: House, named: str, differences: tuple[Difference, ...], kinds: list[NoticeKind]
) -> None:
    """A change of one document; another seller's of that number; no notice of two shops' like slips."""
    house.engine.named, house.engine.differs = named, differences
    await house.ask(b"page 1")
    notices = (await house.ask(b"page 2")).notices
    assert [one.kind for one in notices] == kinds
    assert all(one.differences == differences for one in notices)


async def test_what_was_said_is_said_with_every_answer(house: House) -> None:
    """Warm, replayed and extracted: what was told when the page was first read, and nothing newer."""
    await house.ask(b"page 1")
    told = (await house.ask(b"page 2")).notices
    await house.ask(b"page 3")
    warm = await house.ask(b"page 2", "And the date?")
    again = await house.ask(b"page 2")
    assert (warm.mode, again.mode) == (ServeMode.WARM, ServeMode.REPLAY)
    assert warm.notices == again.notices == told
    order = Order("clinic", Source(b"page 2"), FAR, Wish())
    assert (await house.extractor.extract(order)).notices == (told,)


async def test_the_last_three_are_told_of(house: House) -> None:
    """The newest first."""
    handles = [(await house.ask(b"page %d" % number)).handle for number in range(5)]
    told = (await house.ask(b"page 9")).notices
    assert [one.handle for one in told] == handles[:-4:-1]


async def test_what_may_not_be_kept_is_noticed_by_nobody(house: House) -> None:
    """It is told of others; no other is told of it."""
    first = await house.ask(b"page 1")
    secret = await house.ask(b"page 2", wish=Wish(no_store=True))
    assert [one.handle for one in secret.notices] == [first.handle]
    third = await house.ask(b"page 3")
    assert [one.handle for one in third.notices] == [first.handle]


async def test_another_tenants_page_is_not_noticed(house: House) -> None:
    """Whatever its number."""
    await house.ask(b"page 1")
    assert (await house.ask(b"page 2", tenant="shop")).notices == ()


async def test_a_reading_that_is_no_more_is_not_compared_with(house: House) -> None:
    """Another OCR reads otherwise: what differs then says nothing about the paper."""
    await house.ask(b"page 1")
    house.engine.ocr_fingerprint = "a newer reader"
    assert (await house.ask(b"page 2")).notices == ()


async def test_the_pages_of_one_document_are_not_compared(house: House) -> None:
    """Each bears the document's number; the same page of another file is."""
    order = Order("clinic", Source(b"three pages 1"), FAR, Wish())
    assert (await house.extractor.extract(order)).notices == ((), (), ())
    again = await house.extractor.extract(Order("clinic", Source(b"three pages 2"), FAR, Wish()))
    assert [len(notices) for notices in again.notices] == [1, 1, 1]


async def test_the_same_pixels_in_another_file_were_seen_before(house: House) -> None:
    """They share all that is kept of the page, and have a handle of their own."""
    first = await house.ask(b"file 1 of page")
    [notice] = (await house.ask(b"file 2 of page")).notices
    assert (notice.kind, notice.handle) == (NoticeKind.SEEN_BEFORE, first.handle)


async def test_a_fault_of_the_rules_costs_the_notice_and_not_the_answer(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what could not be compared once is compared another time."""

    async def fails(before: PageText, now: PageText) -> tuple[tuple[Difference, ...], float]:
        raise InternalFault("a fault")

    await house.ask(b"page 1")
    with monkeypatch.context() as patched:
        patched.setattr(house.engine, "differ", fails)
        assert (await house.ask(b"page 2")).notices == ()
    assert len((await house.ask(b"page 2", "And the date?")).notices) == 1


async def test_locked_memory_costs_the_notice_and_not_the_answer(house: House) -> None:
    """What cannot be looked up is not told."""
    await house.ask(b"page 1")
    async with house.locked():
        answer = await house.ask(b"page 2")
    assert answer.text
    house.set(Config())
    assert len((await house.ask(b"page 2", "And the date?")).notices) == 1
