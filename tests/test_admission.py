"""Admission: bounded, fair, and never losing a slot."""

from __future__ import annotations

import asyncio
import random

import pytest

from edge_clm.admission import Admission
from edge_clm.errors import DeadlineTooShort, Draining, QueueFull, TenantQueueFull

FAR = 1e9


async def hold(admission: Admission, tenant: str, order: list[str], gate: asyncio.Event) -> None:
    async with admission.slot(tenant, FAR):
        order.append(tenant)
        await gate.wait()


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_tenants_take_turns() -> None:
    """A tenant with one request is not held up by another's many."""
    admission, order, gate = Admission(1, 64, 32), list[str](), asyncio.Event()
    gate.set()
    async with asyncio.TaskGroup() as group, admission.slot("first", FAR):
        for tenant in ["greedy"] * 5 + ["modest"]:
            group.create_task(hold(admission, tenant, order, gate))
        await settle()
        assert admission.waiting == 6
    assert order.index("modest") <= 1
    assert admission.busy == 0
    assert admission.waiting == 0


async def test_full_queue_is_refused_with_a_hint() -> None:
    """Whoever comes when the queue is full is told so at once, and when to come back."""
    admission, gate = Admission(1, 2, 2), asyncio.Event()
    tasks = [asyncio.create_task(hold(admission, t, [], gate)) for t in ("a", "b", "c")]
    await settle()
    with pytest.raises(QueueFull) as caught:
        async with admission.slot("d", FAR):
            pass
    assert caught.value.retry_after_s
    gate.set()
    await asyncio.gather(*tasks)
    assert admission.busy == 0


async def test_one_tenant_cannot_fill_the_queue() -> None:
    """A tenant's own share of the queue is bounded, and others still get in."""
    admission, gate = Admission(1, 8, 1), asyncio.Event()
    tasks = [asyncio.create_task(hold(admission, "a", [], gate)) for _ in range(2)]
    await settle()
    with pytest.raises(TenantQueueFull):
        async with admission.slot("a", FAR):
            pass
    tasks.append(asyncio.create_task(hold(admission, "b", [], gate)))
    await settle()
    gate.set()
    await asyncio.gather(*tasks)


async def test_hopeless_deadline_is_refused() -> None:
    """A request that would still wait at its deadline is refused before it waits."""
    admission, gate = Admission(1, 8, 8), asyncio.Event()
    async with admission.slot("a", FAR):
        await asyncio.sleep(0.05)
    task = asyncio.create_task(hold(admission, "a", [], gate))
    await settle()
    with pytest.raises(DeadlineTooShort):
        async with admission.slot("b", asyncio.get_running_loop().time()):
            pass
    gate.set()
    await task


async def test_closing_refuses_those_who_wait() -> None:
    """Closing turns the waiting away and lets those inside finish."""
    admission, gate, order = Admission(1, 8, 8), asyncio.Event(), list[str]()
    inside = asyncio.create_task(hold(admission, "a", order, gate))
    await settle()
    waiting = asyncio.create_task(hold(admission, "b", order, gate))
    await settle()
    admission.close()
    with pytest.raises(Draining):
        await waiting
    with pytest.raises(Draining):
        async with admission.slot("c", FAR):
            pass
    gate.set()
    await inside
    assert order == ["a"]
    assert admission.waiting == 0


@pytest.mark.parametrize("seed", range(20))
async def test_cancels_never_lose_a_slot(seed: int) -> None:
    """Whatever is cancelled whenever, no more than the slots are used and all come back."""
    chance = random.Random(seed)
    admission, inside, most = Admission(2, 500, 500), 0, 0

    async def work(tenant: str) -> None:
        nonlocal inside, most
        async with admission.slot(tenant, FAR):
            inside += 1
            most = max(most, inside)
            try:
                for _ in range(chance.randrange(4)):
                    await asyncio.sleep(0)
            finally:
                inside -= 1

    tasks = [asyncio.create_task(work(chance.choice("abc"))) for _ in range(200)]
    for _ in range(300):
        chance.choice(tasks).cancel()
        if chance.random() < 0.5:
            await asyncio.sleep(0)
    await asyncio.gather(*tasks, return_exceptions=True)
    assert most <= 2
    assert (admission.busy, admission.waiting) == (0, 0)


async def test_long_work_lets_other_tenants_go_first() -> None:
    """Between its parts, long work lets each other tenant have a turn, and no more of its own."""
    admission, order, gate = Admission(1, 64, 32), list[str](), asyncio.Event()
    gate.set()

    async def work() -> None:
        async with admission.slot("long", FAR) as slot:
            for part in range(3):
                await slot.let_others()
                order.append(f"part {part}")
                await settle()

    async with asyncio.TaskGroup() as group, admission.slot("first", FAR):
        group.create_task(work())
        await settle()
        for tenant in ("other", "long", "third", "other"):
            group.create_task(hold(admission, tenant, order, gate))
        await settle()
    # Its own tenant's next request comes last; the others are not held up until it has ended.
    assert order[-1] == "long"
    assert order.index("third") < order.index("part 2")
    assert (admission.busy, admission.waiting) == (0, 0)


async def test_work_that_is_cancelled_while_others_go_first_loses_no_slot() -> None:
    """Whoever leaves, or is sent away, while another has the slot leaves the count right."""
    admission, gate = Admission(1, 64, 32), asyncio.Event()

    async def work() -> None:
        async with admission.slot("long", FAR) as slot:
            await settle()
            await slot.let_others()

    for ending in ("cancel", "close"):
        task = asyncio.create_task(work())
        await asyncio.sleep(0)
        other = asyncio.create_task(hold(admission, "other", [], gate))
        await settle()
        await settle()
        assert (admission.busy, admission.waiting) == (1, 1)
        if ending == "cancel":
            task.cancel()
            await asyncio.wait([task])
            assert (admission.busy, admission.waiting) == (1, 0)
            gate.set()
            await other
            gate.clear()
            assert (admission.busy, admission.waiting) == (0, 0)
        else:
            admission.close()
            await asyncio.wait([task])
            assert isinstance(task.exception(), Draining)
            gate.set()
            await other
    assert (admission.busy, admission.waiting) == (0, 0)
