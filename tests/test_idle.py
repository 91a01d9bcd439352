"""Work that nobody waits for."""

from __future__ import annotations

import asyncio
import logging

import pytest

from edge_clm.admission import Admission
from edge_clm.errors import EngineLost
from edge_clm.idle import Idle

FAR = 1e9


@pytest.fixture
def admission() -> Admission:
    return Admission(1, 8, 8)


async def test_work_waits_for_an_idle_moment(admission: Admission) -> None:
    """While the engine is used it is not done; afterwards it is, in order."""
    idle, done = Idle(admission), list[int]()

    async def work(number: int) -> None:
        done.append(number)

    async with admission.slot("clinic", FAR):
        for number in range(3):
            idle.later(work(number))
        await asyncio.sleep(0.05)
        assert done == []
    await idle.settled()
    assert done == [0, 1, 2]
    idle.later(work(3))
    await idle.settled()
    assert done[-1] == 3


async def test_what_fails_keeps_nothing_else_from_being_done(
    admission: Admission, caplog: pytest.LogCaptureFixture
) -> None:
    """One of our own errors is told by its reason, since its text may hold content; another as a fault."""
    idle, done = Idle(admission), list[int]()

    async def fail() -> None:
        raise EngineLost("a secret")

    async def break_() -> None:
        raise ValueError("of ours")

    async def work() -> None:
        done.append(1)

    with caplog.at_level(logging.INFO):
        idle.later(fail())
        idle.later(break_())
        idle.later(work())
        await idle.settled()
    assert done == [1]
    assert "ENGINE_LOST" in caplog.text
    assert "secret" not in caplog.text
    assert "failed" in caplog.text


async def test_no_more_waits_than_fits(admission: Admission) -> None:
    """What comes beyond that is let go of at once, and so is all that waits when the daemon ends."""
    idle, done = Idle(admission), list[int]()

    async def work(number: int) -> None:
        done.append(number)

    async with admission.slot("clinic", FAR):
        for number in range(20):
            idle.later(work(number))
        await asyncio.sleep(0)
        await idle.aclose()
    assert done == []
    for number in range(20):
        idle.later(work(number))
    await idle.settled()
    assert done == list(range(8))
