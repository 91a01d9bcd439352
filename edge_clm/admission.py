"""Who may use the engine, and in which order: a bounded queue that is fair to tenants."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from edge_clm.errors import DeadlineTooShort, Draining, QueueFull, TenantQueueFull

_SMOOTHING = 0.2
"""Weight of the newest service time in the running mean."""


class Admission:
    """Hands out a fixed number of slots; tenants take turns, each tenant's requests in order.

    Raises QueueFull, TenantQueueFull and DeadlineTooShort with a retry hint, and Draining once
    closed. Belongs to one event loop.
    """

    def __init__(self, slots: int, queue: int, queue_per_tenant: int) -> None:
        self.waiting = 0
        self.busy = 0
        self._slots = slots
        self._queue = queue
        self._queue_per_tenant = queue_per_tenant
        self._turns: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._service_s = 0.0
        self._closed = False

    def expected_wait_s(self) -> float:
        """Seconds that a request arriving now would wait, from the service times seen so far."""
        if self.busy < self._slots:
            return 0.0
        return self._service_s * (self.waiting + 1) / self._slots

    def close(self) -> None:
        """Refuses whoever waits or comes from now on; those inside finish."""
        self._closed = True
        for turn in self._turns.values():
            for waiter in turn:
                if not waiter.done():
                    waiter.set_exception(Draining("the daemon is shutting down"))
        self._turns.clear()

    def refuse_when_closed(self) -> None:
        """Raises Draining once closed."""
        if self._closed:
            raise Draining("the daemon is shutting down")

    def refuse_early(self, tenant: str, deadline: float) -> None:
        """Raises at once what waiting would end in; `deadline` in the event loop's time."""
        self.refuse_when_closed()
        wait = self.expected_wait_s()
        hint = min(max(wait, 0.5), 60.0)
        if self.waiting >= self._queue:
            raise QueueFull(f"{self.waiting} requests wait already", retry_after_s=hint)
        if len(self._turns.get(tenant, ())) >= self._queue_per_tenant:
            raise TenantQueueFull("too many requests of this tenant wait", retry_after_s=hint)
        if asyncio.get_running_loop().time() + wait > deadline:
            raise DeadlineTooShort(f"the wait is about {wait:.1f} s", retry_after_s=hint)

    @asynccontextmanager
    async def slot(self, tenant: str, deadline: float) -> AsyncIterator[Slot]:
        """Waits for a slot and holds it."""
        self.refuse_early(tenant, deadline)
        if self.busy >= self._slots or self._turns:
            await self._wait(tenant)
        else:
            self.busy += 1
        slot = Slot(self, tenant)
        try:
            yield slot
        finally:
            spent = slot.worked_s()
            self._service_s += _SMOOTHING * (spent - self._service_s) if self._service_s else spent
            if slot.held:
                self._release()

    async def _let_others(self, slot: Slot) -> None:
        if not any(tenant != slot.tenant for tenant in self._turns):
            return
        slot.put_down()
        self._release()
        await self._wait(slot.tenant, first=True)
        slot.take_up()

    async def _wait(self, tenant: str, *, first: bool = False) -> None:
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        turn = self._turns.setdefault(tenant, deque())
        (turn.appendleft if first else turn.append)(waiter)
        self.waiting += 1
        try:
            await waiter
        except asyncio.CancelledError:
            # The slot may have been handed over in the same turn of the loop: pass it on.
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self._release()
            else:
                self._drop(tenant, waiter)
            raise
        finally:
            self.waiting -= 1

    def _drop(self, tenant: str, waiter: asyncio.Future[None]) -> None:
        turn = self._turns.get(tenant)
        if turn is None or waiter not in turn:
            return
        turn.remove(waiter)
        if not turn:
            del self._turns[tenant]

    def _release(self) -> None:
        """Hands the slot to the next tenant's oldest request, or frees it."""
        while self._turns:
            tenant, turn = self._turns.popitem(last=False)
            waiter = turn.popleft()
            if turn:
                self._turns[tenant] = turn
            if not waiter.done():
                waiter.set_result(None)
                return
        self.busy -= 1


class Slot:
    """The right to use the engine, for as long as it is held."""

    def __init__(self, admission: Admission, tenant: str) -> None:
        self.tenant = tenant
        self.held = True
        self._admission = admission
        self._clock = asyncio.get_running_loop().time
        self._since = self._clock()
        self._before_s = 0.0

    async def let_others(self) -> None:
        """Between two parts of long work: lets a request of each other tenant that waits go first.

        Comes back at the head of its own tenant's requests. Raises Draining once the queue is closed;
        the slot is then not held any more.
        """
        await self._admission._let_others(self)

    def put_down(self) -> None:
        """Stops counting the time as worked."""
        self._before_s, self.held = self.worked_s(), False

    def take_up(self) -> None:
        """Counts on."""
        self._since, self.held = self._clock(), True

    def worked_s(self) -> float:
        """Seconds that the slot has been held, all in all."""
        return self._before_s + (self._clock() - self._since if self.held else 0.0)
