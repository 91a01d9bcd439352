"""Who may read what is kept: its owner, whatever the umask was and whoever made the directory."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge_clm.config import Memory
from edge_clm.memory.database import Database
from edge_clm.memory.files import close_to_others
from edge_clm.memory.store import Store
from tests.memory.samples import snapshot


@pytest.fixture(autouse=True)
def open_handed() -> Iterator[None]:
    """The usual umask, under which files are made for everybody to read."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def standing(config: Memory) -> Path:
    """The memory's directory, made beforehand by somebody careless."""
    directory = Path(config.directory)
    directory.mkdir(mode=0o755)
    return directory


def modes(directory: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()}


async def test_every_file_is_its_owners_alone(config: Memory, standing: Path) -> None:
    """In a directory that existed, open to all, nothing is left for others to read."""
    async with await Store.open(config) as store:
        await store.put_snapshot(snapshot(1))
        await store.put_capture("clinic", b"page", "image/jpeg", 1)
        seen = modes(standing)
        assert seen.pop("captures") == 0o700
        assert set(seen) >= {"memory.sqlite3", "memory.sqlite3-wal", "memory.sqlite3-shm"}
        assert set(seen.values()) == {0o600}
        assert set(modes(standing / "captures").values()) == {0o600}
    assert modes(standing.parent)[standing.name] == 0o700


async def test_a_database_made_open_is_closed(tmp_path: Path) -> None:
    """One that an earlier version, or a copy, left readable to all is closed when it is opened."""
    path = tmp_path / "db"
    first = await Database.open(path, busy_timeout_ms=1000)
    await first.close()
    path.chmod(0o644)
    again = await Database.open(path, busy_timeout_ms=1000)
    try:
        assert set(modes(tmp_path).values()) == {0o600}
    finally:
        await again.close()


def test_a_shared_directory_stays_shared(tmp_path: Path) -> None:
    """A sticky directory is everybody's by design; a plain one is closed, and absence is no error."""
    tmp_path.chmod(0o1777)
    close_to_others(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o1777
    tmp_path.chmod(0o2775)
    close_to_others(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o2700
    close_to_others(tmp_path / "absent")
