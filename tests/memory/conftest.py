"""A memory of its own for every test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from edge_clm.config import Memory
from edge_clm.memory.store import Store


@pytest.fixture
def config(tmp_path: Path) -> Memory:
    return Memory(directory=str(tmp_path / "memory"), capture_bytes=1000)


@pytest.fixture
async def store(config: Memory) -> AsyncIterator[Store]:
    async with await Store.open(config) as opened:
        yield opened


@pytest.fixture
def files(config: Memory) -> Path:
    """Where the files of captures lie."""
    return Path(config.directory) / "captures"


@pytest.fixture
def database(config: Memory) -> Path:
    return Path(config.directory) / "memory.sqlite3"
