"""Single flight: done once, given to all, stopped when nobody listens."""

from __future__ import annotations

import asyncio
import functools
import gc
import weakref
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from edge_clm.flight import Flights


class Work:
    """Counts how often it is started and whether it was cut short."""

    def __init__(self, items: int = 3) -> None:
        self.starts = 0
        self.cut = False
        self.go = asyncio.Event()
        self._items = items

    async def __call__(self) -> AsyncGenerator[int, None]:
        self.starts += 1
        try:
            for item in range(self._items):
                yield item
                await self.go.wait()
        except (asyncio.CancelledError, GeneratorExit):
            self.cut = True
            raise


async def collect(flights: Flights[int], work: Work) -> list[int]:
    return [item async for item in flights.join("key", work)]


async def test_everybody_gets_all_of_it() -> None:
    """Those who join late get what was yielded before them, and the work runs once."""
    flights, work = Flights[int](), Work()
    early = asyncio.create_task(collect(flights, work))
    await asyncio.sleep(0.01)
    late = asyncio.create_task(collect(flights, work))
    await asyncio.sleep(0.01)
    work.go.set()
    assert await early == await late == [0, 1, 2]
    assert work.starts == 1
    assert len(flights) == 0


async def test_one_leaves_and_the_work_goes_on() -> None:
    """The work outlives the one who started it as long as somebody listens."""
    flights, work = Flights[int](), Work()
    leader = asyncio.create_task(collect(flights, work))
    await asyncio.sleep(0.01)
    follower = asyncio.create_task(collect(flights, work))
    await asyncio.sleep(0.01)
    leader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leader
    work.go.set()
    assert await follower == [0, 1, 2]
    assert not work.cut


async def test_the_last_one_leaves_and_the_work_stops() -> None:
    """Work that nobody waits for is cancelled, and the next caller starts anew."""
    flights, work = Flights[int](), Work()
    async with aclosing(flights.join("key", work)) as items:
        assert await anext(items) == 0
    assert work.cut
    assert len(flights) == 0
    again = Work(1)
    again.go.set()
    assert await collect(flights, again) == [0]


async def test_a_failure_reaches_everybody() -> None:
    """All listeners of work that fails get its error."""
    flights = Flights[int]()

    async def fail() -> AsyncGenerator[int, None]:
        await asyncio.sleep(0.01)
        raise ValueError("it failed")
        yield 0

    async def listen() -> None:
        async for _ in flights.join("key", fail):
            pass

    results = await asyncio.gather(listen(), listen(), return_exceptions=True)
    assert [type(r) for r in results] == [ValueError, ValueError]


async def test_a_failure_holds_nothing() -> None:
    """What failed work had in hand is free as soon as its last listener has heard."""

    class File:
        pass

    flights, kept = Flights[int](), list[weakref.ref[File]]()

    async def work(file: File) -> int:
        await asyncio.sleep(0)
        raise ValueError("it failed")

    async def ask() -> None:
        file = File()
        kept.append(weakref.ref(file))
        with pytest.raises(ValueError, match="failed"):
            await flights.once("key", functools.partial(work, file))

    gc.collect()
    gc.disable()
    try:
        for _ in range(5):
            await ask()
        await asyncio.sleep(0.01)
        assert [ref() for ref in kept[:-1]] == [None] * 4
    finally:
        gc.enable()


async def test_once_returns_the_one_result() -> None:
    """A single result is worked out once for all who ask meanwhile."""
    flights, starts = Flights[int](), 0

    async def work() -> int:
        nonlocal starts
        starts += 1
        await asyncio.sleep(0.01)
        return 7

    assert await asyncio.gather(*(flights.once("key", work) for _ in range(5))) == [7] * 5
    assert starts == 1
