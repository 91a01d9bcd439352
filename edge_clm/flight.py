"""Single flight: simultaneous identical work is done once, and everybody gets all of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable
from contextlib import aclosing
from typing import Generic, TypeVar

T = TypeVar("T")


class _Flight(Generic[T]):
    """One piece of work under way: what it has yielded so far, and how many listen."""

    def __init__(self) -> None:
        self.items: list[T] = []
        self.listeners = 0
        self.ended = False
        self.error: BaseException | None = None
        self.task: asyncio.Task[None] | None = None
        self._news = asyncio.Event()

    async def run(self, work: AsyncGenerator[T, None]) -> None:
        try:
            async with aclosing(work):
                async for item in work:
                    self.items.append(item)
                    self._tell()
        except BaseException as error:
            self.error = error
            if not isinstance(error, Exception):
                raise
        finally:
            self.ended = True
            self._tell()

    def forget(self) -> None:
        """Lets go of what it holds, once nobody listens any more.

        An error holds the frames it came through, those hold the flight, and that holds the error:
        a ring with somebody's file in it, which would stay until a garbage collection.
        """
        self.error = None
        self.items.clear()

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def news(self, seen: int) -> None:
        """Returns once there are more than `seen` items or the work has ended."""
        while len(self.items) <= seen and not self.ended:
            await self._news.wait()


class Flights(Generic[T]):
    """Work under way, by key.

    The work outlives any one listener and is cancelled when the last one leaves, so that one
    client's cancel never hurts another. A failure of the work is raised in every listener.
    """

    def __init__(self) -> None:
        self._flights: dict[Hashable, _Flight[T]] = {}

    def __len__(self) -> int:
        return len(self._flights)

    async def join(
        self, key: Hashable, start: Callable[[], AsyncGenerator[T, None]]
    ) -> AsyncGenerator[T, None]:
        """Yields everything that the work under `key` yields, starting it where none is under way."""
        flight = self._flights.get(key)
        if flight is None or flight.ended:
            flight = self._take_off(key, start)
        flight.listeners += 1
        seen = 0
        try:
            while True:
                await flight.news(seen)
                while seen < len(flight.items):
                    seen += 1
                    yield flight.items[seen - 1]
                if flight.ended and seen == len(flight.items):
                    break
            if flight.error is not None:
                raise flight.error
        finally:
            flight.listeners -= 1
            if not flight.listeners:
                if not flight.ended:
                    await self._abandon(key, flight)
                flight.forget()

    async def once(self, key: Hashable, work: Callable[[], Awaitable[T]]) -> T:
        """What `work` returns, done once for all who ask under `key` meanwhile."""

        async def single() -> AsyncGenerator[T, None]:
            yield await work()

        async with aclosing(self.join(key, single)) as results:
            return await anext(results)

    def _take_off(self, key: Hashable, start: Callable[[], AsyncGenerator[T, None]]) -> _Flight[T]:
        flight: _Flight[T] = _Flight()
        self._flights[key] = flight
        flight.task = asyncio.create_task(flight.run(start()))
        flight.task.add_done_callback(lambda _: self._land(key, flight))
        return flight

    def _land(self, key: Hashable, flight: _Flight[T]) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]

    async def _abandon(self, key: Hashable, flight: _Flight[T]) -> None:
        # Out of the table first: whoever asks from now on must not board work that is being stopped.
        self._land(key, flight)
        if flight.task is not None:
            flight.task.cancel()
            await asyncio.wait([flight.task])
