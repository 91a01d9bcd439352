"""Uses of rows, gathered in memory and written together, so that no look-up waits for a write."""

from __future__ import annotations

import asyncio
import logging
import time
from enum import Enum

import aiosqlite

from edge_clm.errors import EdgeClmError
from edge_clm.memory.database import Database

log = logging.getLogger(__name__)


class Used(Enum):
    """What was used, and the statement that records it: (uses, when, tenant, key)."""

    CAPTURE = "UPDATE captures SET last_used = max(last_used, ?2) WHERE tenant = ?3 AND handle = ?4"
    PAGE = "UPDATE pages SET last_used = max(last_used, ?2) WHERE tenant = ?3 AND page_key = ?4"
    SNAPSHOT = (
        "UPDATE snapshots SET uses = uses + ?1, last_used = max(last_used, ?2)"
        " WHERE tenant = ?3 AND id = ?4"
    )


Key = tuple[Used, str, str]
Uses = tuple[int, float]


class Touches:
    """Counts uses at once and writes them within `delay_s` seconds."""

    def __init__(self, database: Database, delay_s: float = 0.5) -> None:
        self._database = database
        self._delay_s = delay_s
        self._waiting: dict[Key, Uses] = {}
        self._any = asyncio.Event()
        self._task = asyncio.create_task(self._run())

    def add(self, used: Used, tenant: str, key: str) -> None:
        """Counts one use, now; never waits."""
        self._merge((used, tenant, key), (1, time.time()))

    async def flush(self) -> None:
        """Writes what has been counted; on StoreUnavailable or DiskFull it stays counted."""
        taken, self._waiting = self._waiting, {}
        self._any.clear()
        if not taken:
            return
        try:
            await self._database.write(lambda connection: _write(connection, taken))
        except EdgeClmError:
            for key, uses in taken.items():
                self._merge(key, uses)
            raise

    async def stop(self) -> None:
        """Ends the writing in the background and writes the rest."""
        self._task.cancel()
        await asyncio.wait({self._task})
        await self._flush_or_say()

    def _merge(self, key: Key, uses: Uses) -> None:
        count, when = self._waiting.get(key, (0, 0.0))
        self._waiting[key] = (count + uses[0], max(when, uses[1]))
        self._any.set()

    async def _run(self) -> None:
        while True:
            await self._any.wait()
            await asyncio.sleep(self._delay_s)
            await self._flush_or_say()

    async def _flush_or_say(self) -> None:
        try:
            await self.flush()
        except EdgeClmError as error:
            log.warning("%d uses not written: %s", len(self._waiting), error.reason)


async def _write(connection: aiosqlite.Connection, uses: dict[Key, Uses]) -> None:
    for used in Used:
        rows = [(*uses[key], *key[1:]) for key in uses if key[0] is used]
        if rows:
            await connection.executemany(used.value, rows)
