"""What nobody waits for: done one after the other, when nothing else is to be done."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Coroutine
from typing import Any

from edge_clm.admission import Admission
from edge_clm.errors import EdgeClmError

_MOST = 8
"""How much may wait; each may hold a file in memory. What comes beyond that is not done."""
_PATIENCE_S = 10.0
"""How long work waits for the engine to have nothing else to do; then it is done beside that."""
_POLL_S = 0.1

log = logging.getLogger(__name__)


class Idle:
    """Does small works in the background, in the order in which they came. Belongs to one event loop."""

    def __init__(self, admission: Admission) -> None:
        self._admission = admission
        self._waiting: deque[Coroutine[Any, Any, None]] = deque()
        self._task: asyncio.Task[None] | None = None

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        """Does it when there is time; never, where too much waits already or the daemon ends first.

        What fails is logged and forgotten.
        """
        if len(self._waiting) >= _MOST:
            work.close()
            log.debug("too much waits for an idle moment: one thing less is done")
            return
        self._waiting.append(work)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    async def settled(self) -> None:
        """Returns once all that was to be done has been."""
        if self._task:
            await self._task

    async def aclose(self) -> None:
        """Lets go of what has not been done."""
        if self._task:
            self._task.cancel()
            await asyncio.wait({self._task})
        while self._waiting:
            self._waiting.popleft().close()

    async def _run(self) -> None:
        while self._waiting:
            await self._idle()
            try:
                await self._waiting.popleft()
            except EdgeClmError as error:
                log.info("something for an idle moment was not done: %s", error.reason)
            except Exception:
                # Whatever it is, what waits behind it is not to be lost for it.
                log.exception("something for an idle moment failed")

    async def _idle(self) -> None:
        clock = asyncio.get_running_loop().time
        give_up = clock() + _PATIENCE_S
        busy = self._admission
        while (busy.busy or busy.waiting) and clock() < give_up:  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(_POLL_S)
