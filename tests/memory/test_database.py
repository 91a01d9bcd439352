from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from edge_clm.config import Memory
from edge_clm.errors import StoreUnavailable
from edge_clm.memory.database import Database
from edge_clm.memory.store import Store
from tests.memory.samples import OCR, listing, overwrite, page_text, sha, snapshot

QUICK_MS = 60


def _settings(database: Path) -> dict[str, object]:
    with closing(sqlite3.connect(database)) as reader:
        return {
            "journal_mode": reader.execute("PRAGMA journal_mode").fetchone()[0],
            "quick_check": reader.execute("PRAGMA quick_check").fetchone()[0],
        }


async def test_the_writer_is_set_up_as_designed(tmp_path: Path) -> None:
    """WAL with a bounded log, flushed at checkpoints, foreign keys held, deleted content erased."""
    database = await Database.open(tmp_path / "db", busy_timeout_ms=5000)
    names = ("journal_mode", "synchronous", "foreign_keys", "secure_delete", "busy_timeout")

    async def ask(connection: object) -> list[object]:
        rows = [await connection.execute_fetchall(f"PRAGMA {name}") for name in names]  # type: ignore[attr-defined]
        limit = await connection.execute_fetchall("PRAGMA journal_size_limit")  # type: ignore[attr-defined]
        return [next(iter(row))[0] for row in (*rows, limit)]

    try:
        assert await database.write(ask) == ["wal", 1, 1, 1, 5000, 64 * 1024 * 1024]
        assert (await database.write(ask, durable=True))[1] == 2
        assert (await database.write(ask))[1] == 1
    finally:
        await database.close()


async def test_readers_cannot_write(tmp_path: Path) -> None:
    """A look-up never changes anything."""
    database = await Database.open(tmp_path / "db", busy_timeout_ms=5000)
    try:
        with pytest.raises(StoreUnavailable):
            await database.read("DELETE FROM snapshots")
    finally:
        await database.close()


async def test_a_locked_database_is_unavailable_to_writers_only(
    config: Memory, database: Path
) -> None:
    """While another process holds the write lock writes fail in time and reads go on; then all is well."""
    async with await Store.open(config, busy_timeout_ms=QUICK_MS) as store:
        await store.put_snapshot(snapshot(1))
        with closing(sqlite3.connect(database, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            with pytest.raises(StoreUnavailable):
                await store.put_snapshot(snapshot(2))
            with pytest.raises(StoreUnavailable):
                await store.put_capture("clinic", b"page", "image/jpeg", 1)
            with pytest.raises(StoreUnavailable):
                await store.feedback("clinic", "answer-1", False, "")
            await store.touch_snapshot("clinic", "answer-1")
            await asyncio.sleep(0.7)  # Long enough that writing the use is tried, and fails.
            assert await store.snapshot("clinic", snapshot(1).joint_hash) == snapshot(1)
            assert await store.snapshot("clinic", snapshot(2).joint_hash) is None
            other.execute("ROLLBACK")
        await store.put_snapshot(snapshot(2))
        assert await store.snapshot("clinic", snapshot(2).joint_hash) == snapshot(2)
        assert await store.capture_by_bytes("clinic", sha(b"page")) is None
    with closing(sqlite3.connect(database)) as reader:
        assert reader.execute("SELECT sum(uses) FROM snapshots").fetchone() == (1,)


async def test_writers_behind_a_lock_do_not_wait_for_each_other(
    config: Memory, database: Path
) -> None:
    """Of many writers at a locked database each fails within its own patience, none with another error."""
    async with await Store.open(config, busy_timeout_ms=QUICK_MS) as store:
        await store.tenant_key("clinic")
        with closing(sqlite3.connect(database, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            puts = [store.put_snapshot(snapshot(n)) for n in range(12)]
            results = await asyncio.gather(*puts, return_exceptions=True)
            other.execute("ROLLBACK")
        assert {type(result) for result in results} == {StoreUnavailable}
        assert (await store.counts())["snapshots"] == 0


async def test_a_database_held_by_another_process_does_not_open(
    config: Memory, database: Path
) -> None:
    """A file that someone else has for himself is unavailable, and opens once it is let go."""
    async with await Store.open(config):
        pass
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreUnavailable):
            await Store.open(config, busy_timeout_ms=QUICK_MS)
    async with await Store.open(config):
        pass


@pytest.mark.parametrize("part", ["header", "middle"])
async def test_a_damaged_database_is_refused_by_name(
    config: Memory, database: Path, part: str
) -> None:
    """A file damaged anywhere does not open; the error names it and what to do."""
    async with await Store.open(config) as store:
        for number in range(60):
            await store.put_snapshot(snapshot(number, text="long" * 200))
    size = listing(database.parent)[database.name]
    start, length = (0, 100) if part == "header" else (size // 2, 8192)
    overwrite(database, start, b"\xa5" * length)
    with pytest.raises(StoreUnavailable, match=rf"{database} is damaged; move it away"):
        await Store.open(config)


async def test_a_cancelled_caller_leaves_no_transaction_open(
    config: Memory, database: Path
) -> None:
    """Wherever a write's caller is cancelled the write ends whole, and the database is free."""
    async with await Store.open(config) as store:
        await store.tenant_key("clinic")
        for number in range(40):
            put = asyncio.create_task(store.put_snapshot(snapshot(number)))
            await _cancel_after(put, number)
        await store.put_snapshot(snapshot(1000))
        for number in range(40):
            assert await store.snapshot("clinic", snapshot(number).joint_hash) == snapshot(number)
        with closing(sqlite3.connect(database, timeout=5, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            other.execute("ROLLBACK")


async def test_a_cancelled_put_leaves_no_file_without_a_row(config: Memory, database: Path) -> None:
    """Wherever the caller of a put is cancelled, files and rows agree."""
    async with await Store.open(config) as store:
        for number in range(40):
            put = store.put_capture("clinic", b"%d" % number, "image/png", 1)
            await _cancel_after(asyncio.create_task(put), number)
    with closing(sqlite3.connect(database)) as reader:
        kept = {row[0] for row in reader.execute("SELECT handle FROM captures WHERE kept")}
    assert listing(database.parent / "captures").keys() == kept


async def _cancel_after(task: asyncio.Task[Any], turns: int) -> None:
    """Cancels a task that has begun, later for each turn, from at once to when it may have ended."""
    await asyncio.sleep(0)
    await asyncio.sleep(turns / 10_000)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_readers_see_whole_rows_while_a_writer_writes(store: Store) -> None:
    """Concurrent look-ups meet each row either not at all or complete."""
    done = asyncio.Event()

    async def write() -> None:
        for number in range(150):
            await store.put_snapshot(snapshot(number))
            await store.put_page("clinic", sha(b"page"), page_text(*["word"] * number), OCR)
        done.set()

    async def read() -> int:
        seen = 0
        while not done.is_set():
            for number in range(0, 150, 7):
                found = await store.snapshot("clinic", snapshot(number).joint_hash)
                assert found in (None, snapshot(number))
                seen += found is not None
            text = await store.page_text("clinic", sha(b"page"), OCR)
            assert text is None or text == page_text(*["word"] * len(text.lines))
        return seen

    _, *seen = await asyncio.gather(write(), *(read() for _ in range(6)))
    assert all(seen)
    assert (await store.counts())["snapshots"] == 150


async def test_close_empties_the_log(config: Memory, database: Path) -> None:
    """After a close the database file alone holds everything."""
    async with await Store.open(config) as store:
        for number in range(20):
            await store.put_snapshot(snapshot(number))
        assert (await store.counts())["wal_bytes"] > 0
    assert not database.with_name(database.name + "-wal").exists()
    assert _settings(database) == {"journal_mode": "wal", "quick_check": "ok"}


async def test_a_closed_memory_is_unavailable(config: Memory) -> None:
    """After close, which may come twice, every call says so instead of hanging."""
    store = await Store.open(config)
    await store.tenant_key("clinic")
    await store.close()
    await store.close()
    with pytest.raises(StoreUnavailable):
        await store.snapshot("clinic", sha(b""))
    with pytest.raises(StoreUnavailable):
        await store.put_snapshot(snapshot(1))


async def test_close_waits_for_writes_under_way(config: Memory) -> None:
    """A write that has begun when the memory is closed is kept."""
    store = await Store.open(config)
    await store.tenant_key("clinic")
    puts = [asyncio.create_task(store.put_snapshot(snapshot(n))) for n in range(10)]
    await asyncio.sleep(0)
    await store.close()
    await asyncio.gather(*puts)
    async with await Store.open(config) as again:
        assert (await again.counts())["snapshots"] == 10
