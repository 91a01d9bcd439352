"""The cache breaker: faults of memory are misses, and are not waited for again and again."""

from __future__ import annotations

import asyncio

import pytest

from edge_clm.breaker import CacheBreaker
from edge_clm.errors import DiskFull, EdgeClmError, InternalFault, StoreUnavailable


class Memory:
    """Fails as told, and counts how often it was asked."""

    def __init__(self, error: EdgeClmError | None) -> None:
        self.error = error
        self.asked = 0

    async def ask(self) -> str:
        self.asked += 1
        if self.error:
            raise self.error
        return "found"


@pytest.mark.parametrize("error", [StoreUnavailable("locked"), DiskFull("full")])
async def test_fault_is_a_miss_and_is_left_alone(error: EdgeClmError) -> None:
    """After a fault the next questions are misses without asking."""
    memory, breaker = Memory(error), CacheBreaker(open_s=3600)
    assert [await breaker.read(memory.ask(), None) for _ in range(3)] == [None] * 3
    assert memory.asked == 1
    assert breaker.faults == 1


async def test_full_disk_still_gives_what_it_has() -> None:
    """A write that fails leaves look-ups as they are."""
    breaker = CacheBreaker(open_s=3600)
    assert await breaker.write(Memory(DiskFull("full")).ask(), None) is None
    assert await breaker.read(Memory(None).ask(), None) == "found"


async def test_which_half_is_broken_can_be_seen() -> None:
    """A full disk stops writing alone, and is told as long as it holds."""
    breaker = CacheBreaker(open_s=3600)
    assert (breaker.reading_stopped, breaker.writing_stopped) == (False, False)
    await breaker.write(Memory(DiskFull("full")).ask(), None)
    assert (breaker.reading_stopped, breaker.writing_stopped) == (False, True)


async def test_memory_is_asked_again() -> None:
    """Once the time is over memory is asked again, and what it says counts."""
    memory, breaker = Memory(StoreUnavailable("locked")), CacheBreaker(open_s=0)
    assert await breaker.read(memory.ask(), None) is None
    memory.error = None
    assert await breaker.read(memory.ask(), None) == "found"


async def test_slow_look_up_is_a_miss() -> None:
    """What does not come back in time is given up: a look-up soon, a write later."""

    async def never() -> str:
        await asyncio.Event().wait()
        return "late"

    async def late() -> str:
        await asyncio.sleep(0.05)
        return "written"

    breaker = CacheBreaker(open_s=3600, patience_s=0.01)
    assert await breaker.read(never(), None) is None
    assert await breaker.write(late(), None) == "written"
    impatient = CacheBreaker(open_s=3600, write_patience_s=0.01)
    assert await impatient.write(never(), None) is None


async def test_other_errors_are_not_hidden() -> None:
    """Only an unreachable memory is a miss; a fault of our own stays an error."""
    with pytest.raises(InternalFault):
        await CacheBreaker().read(Memory(InternalFault("ours")).ask(), None)
