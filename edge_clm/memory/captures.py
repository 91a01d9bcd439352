"""Captures: a row for ever, and the file itself while the byte budget has room for it."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import aiosqlite

from edge_clm.memory.database import Database, Row
from edge_clm.memory.files import CaptureFiles
from edge_clm.memory.keys import handle_of
from edge_clm.memory.touches import Touches, Used
from edge_clm.types import Capture

log = logging.getLogger(__name__)

_SELECT = "SELECT tenant, handle, bytes_sha256, media_type, pages, size, kept FROM captures"
_INSERT = """INSERT INTO captures
    (tenant, handle, bytes_sha256, media_type, pages, size, kept, created, last_used)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)
    ON CONFLICT (tenant, handle) DO UPDATE SET kept = excluded.kept, last_used = excluded.last_used"""
_LET_GO = "UPDATE captures SET kept = 0 WHERE tenant = ? AND handle = ?"
# Oldest first, until what they free makes up for what would be too much.
_EVICT = """WITH files AS (
        SELECT tenant, handle, sum(size) OVER (ORDER BY last_used, handle) - size AS freed_before,
            sum(size) OVER () AS total
        FROM captures WHERE kept)
    UPDATE captures SET kept = 0 WHERE (tenant, handle) IN
        (SELECT tenant, handle FROM files WHERE freed_before < total + ?1 - ?2)
    RETURNING handle"""


class Captures:
    """Keeps captures; `budget` bounds the bytes of their files, at every moment."""

    def __init__(
        self, database: Database, files: CaptureFiles, touches: Touches, budget: int
    ) -> None:
        self._database = database
        self._files = files
        self._touches = touches
        self._budget = budget
        self._changing = asyncio.Lock()

    async def sweep(self) -> None:
        """Makes files and rows agree again after a crash, and holds a budget that has shrunk."""
        await asyncio.to_thread(self._files.prepare)
        found = await asyncio.to_thread(self._files.sizes)
        kept = [_capture(row) for row in await self._database.read(f"{_SELECT} WHERE kept")]
        lost = [capture for capture in kept if found.get(capture.handle) != capture.size]
        await self._let_go(lost)
        orphans = found.keys() - ({c.handle for c in kept} - {c.handle for c in lost})
        await asyncio.to_thread(self._files.remove, *orphans)
        await self._make_room(0)
        if lost or orphans:
            log.info(
                "swept %d rows without a file, %d files without a row", len(lost), len(orphans)
            )

    async def put(
        self, tenant: str, tenant_key: bytes, data: bytes, media_type: str, pages: int
    ) -> Capture:
        """See `Store.put_capture`."""
        digest = await asyncio.to_thread(_sha256, data)
        capture = Capture(
            tenant=tenant,
            handle=handle_of(tenant_key, digest),
            bytes_sha256=digest,
            media_type=media_type,
            pages=pages,
            size=len(data),
            kept=len(data) <= self._budget,
        )
        return await self._database.finish(self._put, capture, data)

    async def by_handle(self, tenant: str, handle: str) -> Capture | None:
        """The capture of that handle."""
        return await self._find(f"{_SELECT} WHERE tenant = ? AND handle = ?", tenant, handle)

    async def by_bytes(self, tenant: str, bytes_sha256: str) -> Capture | None:
        """The capture of the file with that hex SHA-256."""
        return await self._find(
            f"{_SELECT} WHERE tenant = ? AND bytes_sha256 = ?", tenant, bytes_sha256
        )

    async def data(self, tenant: str, handle: str) -> bytes | None:
        """The capture's file, as it came; None where it is not kept, or damaged."""
        capture = await self.by_handle(tenant, handle)
        if capture is None or not capture.kept:
            return None
        data = await asyncio.to_thread(self._files.read, handle, capture.bytes_sha256)
        if data is None:
            await self._database.finish(self._drop_damaged, capture)
        return data

    async def _find(self, sql: str, tenant: str, key: str) -> Capture | None:
        rows = await self._database.read(sql, (tenant, key))
        if not rows:
            return None
        capture = _capture(rows[0])
        self._touches.add(Used.CAPTURE, tenant, capture.handle)
        return capture

    async def _put(self, capture: Capture, data: bytes) -> Capture:
        async with self._alone():
            known = await self.by_handle(capture.tenant, capture.handle)
            if known and known.kept == capture.kept and await self._in_place(known):
                return known
            # The first row stands: a handle never changes what it names.
            capture = replace(known, kept=capture.kept) if known else capture
            if capture.kept:
                await self._make_room(capture.size)
                await asyncio.to_thread(self._files.write, capture.handle, data)
            await self._record(capture)
            return capture

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Holds the right to change files and their rows together; raises StoreUnavailable."""
        await self._database.take(self._changing)
        try:
            yield
        finally:
            self._changing.release()

    async def _in_place(self, capture: Capture) -> bool:
        """True when the file, if one should be there, is there."""
        if not capture.kept:
            return True
        return await asyncio.to_thread(self._files.size, capture.handle) == capture.size

    async def _record(self, capture: Capture) -> None:
        try:
            await self._database.write(lambda connection: _insert(connection, capture))
        except BaseException:
            if capture.kept:
                await asyncio.to_thread(self._files.remove, capture.handle)
            raise

    async def _make_room(self, size: int) -> None:
        # What was used a moment ago must not be what goes.
        await self._touches.flush()
        gone = await self._database.write(lambda connection: _evict(connection, size, self._budget))
        await asyncio.to_thread(self._files.remove, *gone)

    async def _drop_damaged(self, capture: Capture) -> None:
        async with self._alone():
            # Between the read and this turn the file may have been evicted, or put anew.
            if await asyncio.to_thread(self._files.read, capture.handle, capture.bytes_sha256):
                return
            await self._let_go([capture])
            await asyncio.to_thread(self._files.remove, capture.handle)
            log.warning("the file of capture %s is gone or damaged", capture.handle)

    async def _let_go(self, captures: Sequence[Capture]) -> None:
        if captures:
            rows = [(capture.tenant, capture.handle) for capture in captures]
            await self._database.write(lambda connection: connection.executemany(_LET_GO, rows))


async def _insert(connection: aiosqlite.Connection, capture: Capture) -> None:
    await connection.execute_fetchall(
        _INSERT,
        (
            capture.tenant,
            capture.handle,
            capture.bytes_sha256,
            capture.media_type,
            capture.pages,
            capture.size,
            capture.kept,
            time.time(),
        ),
    )


async def _evict(connection: aiosqlite.Connection, size: int, budget: int) -> list[str]:
    return [str(row[0]) for row in await connection.execute_fetchall(_EVICT, (size, budget))]


def _capture(row: Row) -> Capture:
    tenant, handle, digest, media_type, pages, size, kept = row
    return Capture(tenant, handle, digest, media_type, pages, size, bool(kept))


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
