"""Why an answer came about as it did: what is told of every way that it can take."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from edge_clm.config import Memory
from edge_clm.identify import Source
from edge_clm.inquiry import Inquiry
from edge_clm.memory.store import Store
from edge_clm.paper import PageKind
from edge_clm.policy import Wish
from edge_clm.types import Answer, Drafted, ServeMode, Verdict
from tests.test_answer import FAR, House
from tests.test_rephotograph import Shop, Sighted


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    async with await Store.open(Memory(directory=str(tmp_path)), busy_timeout_ms=50) as store:
        yield Shop(store, tmp_path, Sighted())


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with await Store.open(Memory(directory=str(tmp_path / "h")), busy_timeout_ms=50) as store:
        yield House(store, tmp_path / "h")


def why(answer: Answer) -> list[str]:
    return [f"{one.step} {one.outcome}" for one in answer.reasons]


async def test_a_page_that_was_never_seen(shop: Shop) -> None:
    """Nothing was kept, nothing looks like it: it was read, its state made, the answer kept."""
    assert why(await shop.ask(b"photograph 1")) == [
        *("lookup nothing_kept", "page not_read", "recall nothing_like_it"),
        *("state made", "store kept"),
    ]


async def test_a_second_photograph(shop: Shop) -> None:
    """Which page it looks like and how much, what comparing told, and what became of the draft."""
    first = await shop.ask(b"photograph 1")
    shop.engine.drafted = Drafted(2, 0)
    verified = await shop.ask(b"photograph 2")
    assert why(verified) == [
        *("lookup nothing_kept", "page not_read", "recall likely", "compare same"),
        *("state in_memory", "draft confirmed", "compare same"),
    ]
    assert verified.reasons[2].detail == f"{first.handle} page 1, likeness 1.000"
    assert verified.reasons[5].detail == "2 of 2 tokens"
    again = await shop.ask(None, handle=verified.handle)
    assert (again.mode, why(again)) == (ServeMode.REPLAY, ["lookup found"])
    other = await shop.ask(None, "And the date?", handle=verified.handle)
    assert "recall proven_before" in why(other)


async def test_a_photograph_that_is_not_proven(shop: Shop) -> None:
    """What comparing told, before it was read."""
    await shop.ask(b"photograph 1")
    shop.engine.verdicts = [Verdict.UNSURE]
    cold = await shop.ask(b"photograph 2")
    assert why(cold)[2:5] == ["recall likely", "compare unsure", "state made"]
    assert cold.reasons[3].detail == "for a reason"


async def test_an_answer_that_may_not_be_given_for_another_photograph(shop: Shop) -> None:
    """It says more than what could be proven."""
    await shop.ask(b"photograph 1")
    shop.engine.says = "4.20, paid by Visa."
    assert "answer says_more_than_its_evidence" in why(await shop.ask(b"photograph 2", "How much?"))


async def test_what_comparing_would_cost_too_much(shop: Shop) -> None:
    """The page looks alike, and was not compared with."""
    shop.engine.compare_ms = 1000.0
    for data in (b"photograph 1", b"photograph 2"):
        await shop.ask(data)
    assert "recall not_worth_it" in why(await shop.ask(b"photograph 3"))


@pytest.mark.parametrize(
    ("wish", "lookup", "recall", "store"),
    [
        (Wish(fresh=True), "fresh_wanted", "fresh_wanted", "kept"),
        (Wish(no_store=True), "nothing_kept", "no_store_wanted", "no_store_wanted"),
    ],
)
async def test_what_the_caller_wished(
    shop: Shop, wish: Wish, lookup: str, recall: str, store: str
) -> None:
    """Each point that a wish decides says that it did."""
    told = why(await shop.ask(b"photograph 1", wish=wish))
    assert {f"lookup {lookup}", f"recall {recall}", f"store {store}"} < set(told)


async def test_what_bars_a_replay(house: House) -> None:
    """Too old for the caller; drawn by lot; about the whole page, where pages are not recalled at all."""
    await house.ask(b"a page")
    assert why(await house.ask(b"a page", wish=Wish(max_age_s=1e-9)))[0] == "lookup too_old"
    drawn = Inquiry("clinic", Source(b"a page"), FAR, "What is the total?", temperature=0.5)
    told = why(await house.whole(drawn))
    assert (told[0], told[-1]) == ("lookup sampled", "store sampled")
    assert "recall switched_off" in why(await house.ask(b"another"))


async def test_a_report_in_another_file_is_confirmed(house: House) -> None:
    """The same pixels in other bytes: the model is asked again, with its answer as a draft."""
    house.engine.kind = PageKind.LAB_REPORT
    first = await house.ask(b"file 1 of page")
    house.engine.drafted = Drafted(2, 0)
    other = await house.ask(b"file 2 of page")
    assert (other.mode, why(other)[0]) == (ServeMode.VERIFIED, "lookup report_in_another_file")
    assert (await house.ask(b"file 1 of page")).mode is ServeMode.REPLAY
    assert house.engine.tasks[-1].page_key == house.engine.tasks[0].page_key
    assert first.mode is ServeMode.COLD


async def test_locked_memory_is_named(house: House) -> None:
    """Nothing was found because nothing could be looked up, and nothing kept."""
    async with house.locked():
        for _ in range(3):
            told = why(await house.ask(b"a page"))
    assert "store memory_unreachable" in told
