"""Whether calls are let in, how many are inside, and until when each may run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from edge_clm.errors import DeadlineExceeded, Draining, NotReady, QueueFull
from edge_clm.server.call import ADMIN, OURS, Call, Context, current

_COME_BACK_S = 1.0
_GOING = "the daemon is shutting down"


class Gate:
    """Shut until the daemon can serve and for good once it drains, and never fuller than it may be.

    Health and reflection pass it by, and operators come in while it is full or not open yet. Belongs
    to one event loop.
    """

    def __init__(self, max_deadline_s: float, calls: int) -> None:
        """`max_deadline_s` seconds is the longest any call may take, with or without its own deadline;
        `calls` is how many may be inside at once, uploads and those that wait for the engine included.
        """
        self._max_deadline_s = max_deadline_s
        self._calls = calls
        self._opened = False
        self._shut = False
        self._inside: list[tuple[Call, asyncio.Timeout]] = []
        self._empty = asyncio.Event()
        self._empty.set()

    def open(self) -> None:
        """Lets calls in, unless the gate was shut already."""
        self._opened = True

    def shut(self) -> None:
        """Lets no further call in, whatever happens; those inside go on.

        But for those whose request is still coming in: nothing of theirs is lost by sending it
        again, and a caller that has gone quiet would hold up the end.
        """
        self._shut = True
        for call, end in self._inside:
            # One whose own deadline passes in this very turn ends by itself.
            if not call.whole and not end.expired():
                end.reschedule(asyncio.get_running_loop().time())

    async def emptied(self) -> None:
        """Waits until nobody is inside."""
        await self._empty.wait()

    @asynccontextmanager
    async def around(self, method: str, context: Context) -> AsyncIterator[None]:
        """Runs a call of our own under its deadline.

        Raises NotReady before the gate is open, Draining once it is shut, QueueFull while as many
        are inside as may be, DeadlineExceeded when the deadline passes.
        """
        if not method.startswith(OURS):
            yield
            return
        self._admit(method)
        with_end = asyncio.timeout(self._allowed_s(context))
        try:
            async with with_end, self._counted(current(), with_end):
                current().deadline = with_end.when() or 0.0
                yield
        except TimeoutError as error:
            if not with_end.expired():
                raise
            if self._shut and not current().whole:
                raise Draining(_GOING, retry_after_s=_COME_BACK_S) from error
            raise DeadlineExceeded("the deadline passed while the call was served") from error

    def _admit(self, method: str) -> None:
        if self._shut:
            raise Draining(_GOING, retry_after_s=_COME_BACK_S)
        if method.startswith(ADMIN):
            return
        if not self._opened:
            raise NotReady("the daemon is still loading", retry_after_s=_COME_BACK_S)
        if len(self._inside) >= self._calls:
            message = f"{len(self._inside)} calls are being served already"
            raise QueueFull(message, retry_after_s=_COME_BACK_S)

    def _allowed_s(self, context: Context) -> float:
        remaining: float | None = context.time_remaining()
        return self._max_deadline_s if remaining is None else min(remaining, self._max_deadline_s)

    @asynccontextmanager
    async def _counted(self, call: Call, end: asyncio.Timeout) -> AsyncIterator[None]:
        entry = (call, end)
        self._inside.append(entry)
        self._empty.clear()
        try:
            yield
        finally:
            self._inside.remove(entry)
            if not self._inside:
                self._empty.set()
