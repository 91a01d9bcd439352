"""A program that fills the small file system it is given, and says as JSON how the memory took it."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from edge_clm.config import Memory
from edge_clm.errors import DiskFull
from edge_clm.memory.store import Store
from edge_clm.types import Capture, Snapshot
from tests.memory.samples import snapshot

TOO_MUCH = 2**40


async def main(root: Path) -> dict[str, object]:
    ballast = root / "ballast"
    ballast.write_bytes(bytes(512 * 1024))
    config = Memory(directory=str(root / "memory"), capture_bytes=TOO_MUCH)
    told: dict[str, object] = {}
    async with await Store.open(config) as store:
        captures = await _fill_with_captures(store)
        told["captures_before_full"] = len(captures)
        told["files_are_rows"] = await _files_are_rows(store, root / "memory")
        told["whole"] = [
            await store.capture_data("clinic", c.handle) == picture(n)
            for n, c in enumerate(captures)
        ]
        answers = await _fill_with_snapshots(store)
        told["answers_before_full"] = answers
        told["answers_whole"] = [
            await store.snapshot("clinic", snapshot(n).joint_hash) == _long(n)
            for n in range(answers)
        ]
        told["refused_answer"] = await store.snapshot("clinic", snapshot(answers).joint_hash)
        ballast.unlink()
        await store.put_snapshot(_long(answers))
        late = await store.put_capture("clinic", picture(len(captures)), "image/png", 1)
        told["works_again"] = late.kept
    async with await Store.open(config) as store:
        told["reopened"] = (await store.counts())["snapshots"] == answers + 1
    with closing(sqlite3.connect(root / "memory" / "memory.sqlite3")) as reader:
        told["check"] = reader.execute("PRAGMA integrity_check").fetchone()[0]
    return told


def picture(number: int) -> bytes:
    return number.to_bytes(2, "big") * 100_000


def _long(number: int) -> Snapshot:
    return snapshot(number, text="long " * 4000)


async def _fill_with_captures(store: Store) -> list[Capture]:
    kept: list[Capture] = []
    try:
        while True:
            kept.append(await store.put_capture("clinic", picture(len(kept)), "image/png", 1))
    except DiskFull:
        return kept


async def _fill_with_snapshots(store: Store) -> int:
    number = 0
    try:
        while True:
            await store.put_snapshot(_long(number))
            number += 1
    except DiskFull:
        return number


async def _files_are_rows(store: Store, directory: Path) -> bool:
    sizes = [entry.stat().st_size for entry in os.scandir(directory / "captures")]
    counts = await store.counts()
    return (counts["captures_kept"], counts["capture_bytes"]) == (len(sizes), sum(sizes))


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(Path(sys.argv[1])))))
