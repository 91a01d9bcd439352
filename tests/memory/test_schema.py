from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import aiosqlite
import pytest

from edge_clm.config import Memory
from edge_clm.errors import ConfigInvalid
from edge_clm.memory.schema import CAPTURES, MIGRATIONS, POINTS, migrate
from edge_clm.memory.store import Store
from edge_clm.types import Capture, View
from tests.memory.samples import snapshot

LAYOUT_1 = Path(__file__).with_name("layout_1.sql")


def _schema(database: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(database)) as reader:
        rows = reader.execute("SELECT name, sql FROM sqlite_schema WHERE sql NOT NULL").fetchall()
    # Spaces say nothing about what a table holds.
    return sorted((name, "".join(sql.split()).replace("IFNOTEXISTS", "")) for name, sql in rows)


async def test_an_old_database_is_migrated(config: Memory, database: Path, tmp_path: Path) -> None:
    """A file of the first layout opens with its rows, takes new ones, and is then like a new file."""
    database.parent.mkdir()
    with closing(sqlite3.connect(database)) as old:
        old.executescript(LAYOUT_1.read_text(encoding="utf-8"))
    async with await Store.open(config) as store:
        assert await store.tenant_key("clinic") == bytes(range(32))
        assert await store.capture("clinic", "c_old") == Capture(
            "clinic", "c_old", "ab", "image/jpeg", 1, 4, kept=False
        )
        assert await store.view("clinic", "c_old", 1) == View("c_old", 1, "cd", 1600, 1200, "ef")
        await store.put_snapshot(snapshot(1))
        assert await store.snapshot("clinic", snapshot(1).joint_hash) == snapshot(1)
    async with await Store.open(Memory(directory=str(tmp_path / "new"))):
        pass
    assert _schema(database) == _schema(tmp_path / "new" / database.name)


async def test_pages_known_without_points_become_known_anew(tmp_path: Path) -> None:
    """Their anchors go, with what adopted them, and nothing else does."""
    path = tmp_path / "old.sqlite3"
    steps = MIGRATIONS[: MIGRATIONS.index(POINTS)]
    async with aiosqlite.connect(path, isolation_level=None) as connection:
        await connection.execute("PRAGMA foreign_keys = ON")
        await migrate(connection, path, steps)
        await connection.executescript(
            """INSERT INTO tenants (name, key, created) VALUES ('clinic', zeroblob(32), 0);
            INSERT INTO captures VALUES ('clinic', 'c', 'ab', 'image/jpeg', 1, 4, 1, 0, 0);
            INSERT INTO anchors VALUES (1, 'clinic', 'key', 'c', 1, x'00', 'eye', 'number', 0);
            INSERT INTO adoptions VALUES ('clinic', 'other', 1);"""
        )
        await migrate(connection, path)
        rows = await connection.execute_fetchall(
            """SELECT (SELECT count(*) FROM anchors), (SELECT count(*) FROM adoptions),
                (SELECT count(*) FROM captures)"""
        )
    assert list(rows) == [(0, 0, 1)]


async def test_migrations_are_recorded_once(config: Memory, database: Path) -> None:
    """Every step is on record, and a second start adds none."""
    for _ in range(2):
        async with await Store.open(config):
            pass
    with closing(sqlite3.connect(database)) as reader:
        rows = reader.execute("SELECT number, name FROM migrations ORDER BY number").fetchall()
    assert rows == [(number, name) for number, (name, _) in enumerate(MIGRATIONS, start=1)]


async def test_a_newer_database_is_refused_and_left_alone(config: Memory, database: Path) -> None:
    """A file of a newer edge_clm is an error that says what to do, and is not touched."""
    async with await Store.open(config):
        pass
    with closing(sqlite3.connect(database)) as newer:
        newer.execute("INSERT INTO migrations VALUES (99, 'from the future', 0)")
        newer.commit()
    before = await asyncio.to_thread(database.read_bytes)
    with pytest.raises(ConfigInvalid, match=r"layout 99.*newer edge_clm.*memory\.directory"):
        await Store.open(config)
    assert await asyncio.to_thread(database.read_bytes) == before


async def test_a_failing_migration_leaves_the_layout_before(tmp_path: Path) -> None:
    """A step that fails half way is undone whole, and not recorded."""
    path = tmp_path / "half.sqlite3"
    broken = ("broken", ("CREATE TABLE extra (a TEXT) STRICT", "DROP TABLE nothing"))
    async with aiosqlite.connect(path, isolation_level=None) as connection:
        with pytest.raises(sqlite3.OperationalError):
            await migrate(connection, path, [CAPTURES, broken])
        assert not connection.in_transaction
    names = [name for name, _ in _schema(path)]
    assert "captures" in names
    assert "extra" not in names
    with closing(sqlite3.connect(path)) as reader:
        assert reader.execute("SELECT max(number) FROM migrations").fetchone() == (1,)
