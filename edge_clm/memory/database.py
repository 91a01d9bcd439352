"""One SQLite file: one writer under one lock, a few readers, short transactions."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

import aiosqlite

from edge_clm.errors import StoreUnavailable
from edge_clm.memory.failures import damaged, translated
from edge_clm.memory.files import close_to_others
from edge_clm.memory.schema import migrate

T = TypeVar("T")
P = ParamSpec("P")
Row = sqlite3.Row | tuple[Any, ...]

READERS: Final = 3
_WAL_LIMIT: Final = 64 * 1024 * 1024
log = logging.getLogger(__name__)


class Database:
    """Reads through a small pool, writes one transaction at a time."""

    def __init__(
        self,
        path: Path,
        writer: aiosqlite.Connection,
        readers: Iterable[aiosqlite.Connection],
        lifetime: AsyncExitStack,
        busy_timeout_ms: int,
    ) -> None:
        self.path = path
        self._writer = writer
        self._reading = dict.fromkeys(readers, 0)
        self._lifetime = lifetime
        self._patience_s = busy_timeout_ms / 1000
        self._turn = asyncio.Lock()
        self._running: set[asyncio.Task[Any]] = set()
        self._closed = False

    @classmethod
    async def open(cls, path: Path, *, busy_timeout_ms: int) -> Database:
        """Opens, checks and migrates the database at `path`, closed to other users from the start.

        Raises StoreUnavailable for a damaged, locked or unreachable file, ConfigInvalid for one that a
        newer edge_clm has written, DiskFull.
        """
        # At debug level aiosqlite logs the values of every statement: questions, page texts, answers.
        logging.getLogger("aiosqlite").setLevel(logging.INFO)
        with translated(path):
            await asyncio.to_thread(_keep_private, path)
            async with AsyncExitStack() as stack:
                writer = await stack.enter_async_context(_connection(path, busy_timeout_ms))
                await _prepare_writer(writer, path)
                # After the readers are closed (the stack unwinds backwards) nothing holds the WAL.
                stack.push_async_callback(_checkpoint, writer)
                readers = [
                    await stack.enter_async_context(_connection(path, busy_timeout_ms))
                    for _ in range(READERS)
                ]
                for reader in readers:
                    await reader.execute_fetchall("PRAGMA query_only = ON")
                return cls(path, writer, readers, stack.pop_all(), busy_timeout_ms)

    async def read(self, sql: str, parameters: Iterable[Any] = ()) -> list[Row]:
        """Runs one SELECT and returns its rows; raises StoreUnavailable."""
        self._require_open()
        reader = min(self._reading, key=self._reading.__getitem__)
        self._reading[reader] += 1
        try:
            with translated(self.path):
                # One call: the statement is done when it returns, so that no reader ever pins the WAL.
                return list(await reader.execute_fetchall(sql, parameters))
        finally:
            self._reading[reader] -= 1

    async def write(
        self, work: Callable[[aiosqlite.Connection], Awaitable[T]], *, durable: bool = False
    ) -> T:
        """Runs `work` in a transaction of its own, whole or not at all, whatever becomes of the caller.

        What is committed survives the death of the process; `durable` makes it survive a power cut too,
        at the cost of a disk flush. Raises StoreUnavailable when the database stays locked, DiskFull.
        """
        return await self.finish(self._transact, work, durable)

    async def finish(
        self, work: Callable[P, Coroutine[Any, Any, T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Runs `work` to its end even when the caller is cancelled meanwhile."""
        self._require_open()
        task = asyncio.create_task(work(*args, **kwargs))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.add_done_callback(_report)
            raise

    async def close(self) -> None:
        """Waits for running writes, empties the WAL into the database and closes every connection."""
        while self._running:
            await asyncio.wait(self._running)
        if self._closed:
            return
        self._closed = True
        with translated(self.path):
            await self._lifetime.aclose()

    def wal_bytes(self) -> int:
        """Size of the write-ahead log in bytes; 0 where there is none."""
        with suppress(FileNotFoundError):
            return self.path.with_name(self.path.name + "-wal").stat().st_size
        return 0

    async def _transact(
        self, work: Callable[[aiosqlite.Connection], Awaitable[T]], durable: bool
    ) -> T:
        await self.take(self._turn)
        try:
            with translated(self.path):
                return await self._commit(work, durable)
        finally:
            self._turn.release()

    async def take(self, turn: asyncio.Lock) -> None:
        """Acquires a lock that is held while writing; raises StoreUnavailable in place of a long wait.

        Without a bound, writers queued behind a locked database would wait for one timeout each.
        """
        try:
            async with asyncio.timeout(self._patience_s):
                await turn.acquire()
        except TimeoutError as error:
            raise StoreUnavailable(f"{self.path} is busy writing") from error

    async def _commit(
        self, work: Callable[[aiosqlite.Connection], Awaitable[T]], durable: bool
    ) -> T:
        writer = self._writer
        try:
            if durable:
                await writer.execute_fetchall("PRAGMA synchronous = FULL")
            await writer.execute_fetchall("BEGIN IMMEDIATE")
            result = await work(writer)
            await writer.execute_fetchall("COMMIT")
        except BaseException:
            await writer.rollback()
            raise
        finally:
            if durable:
                await writer.execute_fetchall("PRAGMA synchronous = NORMAL")
        return result

    def _require_open(self) -> None:
        if self._closed:
            raise StoreUnavailable(f"{self.path} is closed")


def _keep_private(path: Path) -> None:
    """Makes the file where there is none; SQLite gives its log the permissions of the database."""
    with suppress(FileExistsError):
        # Never opened where it exists: closing it would drop the locks that this process has on it.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    for part in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
        close_to_others(part)


def _connection(path: Path, busy_timeout_ms: int) -> aiosqlite.Connection:
    return aiosqlite.connect(path, timeout=busy_timeout_ms / 1000, isolation_level=None)


async def _prepare_writer(writer: aiosqlite.Connection, path: Path) -> None:
    rows = await writer.execute_fetchall("PRAGMA journal_mode = WAL")
    mode = next(iter(rows))[0]
    if mode != "wal":
        raise StoreUnavailable(f"{path}: its file system cannot hold a write-ahead log")
    for pragma in (
        "synchronous = NORMAL",
        "foreign_keys = ON",
        "secure_delete = ON",
        f"journal_size_limit = {_WAL_LIMIT}",
    ):
        await writer.execute_fetchall(f"PRAGMA {pragma}")
    checked = await writer.execute_fetchall("PRAGMA quick_check(1)")
    if next(iter(checked))[0] != "ok":
        raise damaged(path)
    await migrate(writer, path)


async def _checkpoint(writer: aiosqlite.Connection) -> None:
    try:
        await writer.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:
        # Nothing is lost: the next start reads the log as it is.
        log.warning("the write-ahead log was not emptied: %s", type(error).__name__)


def _report(task: asyncio.Task[Any]) -> None:
    error = None if task.cancelled() else task.exception()
    if error is not None:
        log.warning("a write that nobody waits for any more failed: %s", type(error).__name__)
