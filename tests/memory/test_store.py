from __future__ import annotations

import asyncio
import json
import logging
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from edge_clm.config import Memory
from edge_clm.errors import AddressTaken, InternalFault, StoreUnavailable
from edge_clm.memory.store import Store
from tests.memory.samples import OCR, listing, overwrite, page_text, sha, snapshot, view
from tests.memory.writer import BUDGET, picture

ROOT = Path(__file__).parents[2]


async def test_tenants_have_lasting_keys_of_their_own(config: Memory) -> None:
    """A tenant's key is 32 bytes, the same after a restart, and nobody else's."""
    async with await Store.open(config) as store:
        keys = await asyncio.gather(*(store.tenant_key("clinic") for _ in range(5)))
        assert len(set(keys)) == 1
        assert len(keys[0]) == 32
        assert await store.tenant_key("shop") != keys[0]
    async with await Store.open(config) as store:
        assert await store.tenant_key("clinic") == keys[0]


async def test_a_tenant_sees_nothing_of_another(store: Store) -> None:
    """Handle, digest, page key, joint hash and answer id of one tenant name nothing for another."""
    capture = await store.put_capture("clinic", b"page", "image/jpeg", 1)
    await store.put_view("clinic", view(capture.handle))
    await store.put_page("clinic", sha(b"page"), page_text("word"), OCR)
    await store.put_snapshot(snapshot(1))
    await store.tenant_key("shop")
    assert await store.capture("shop", capture.handle) is None
    assert await store.capture_by_bytes("shop", capture.bytes_sha256) is None
    assert await store.capture_data("shop", capture.handle) is None
    assert await store.view("shop", capture.handle, 1) is None
    assert await store.page_text("shop", sha(b"page"), OCR) is None
    assert await store.snapshot("shop", snapshot(1).joint_hash) is None
    with pytest.raises(InternalFault):
        await store.put_view("shop", view(capture.handle))
    assert not await store.feedback("shop", "answer-1", False, "")
    assert await store.snapshot("clinic", snapshot(1).joint_hash) == snapshot(1)


async def test_two_tenants_keep_the_same_things_apart(store: Store) -> None:
    """Equal bytes, page keys, joint hashes and ids of two tenants are two rows, each with its own fate."""
    ours = await store.put_capture("clinic", b"page", "image/jpeg", 1)
    theirs = await store.put_capture("shop", b"page", "image/jpeg", 1)
    assert ours.handle != theirs.handle
    await store.put_page("clinic", sha(b"page"), page_text("ours"), OCR)
    await store.put_page("shop", sha(b"page"), page_text("theirs"), OCR)
    assert await store.page_text("clinic", sha(b"page"), OCR) == page_text("ours")
    await store.put_snapshot(snapshot(1))
    await store.put_snapshot(snapshot(1, tenant="shop"))
    await store.feedback("shop", "answer-1", False, "")
    assert await store.snapshot("shop", snapshot(1).joint_hash) is None
    assert await store.snapshot("clinic", snapshot(1).joint_hash) == snapshot(1)


async def test_everything_survives_a_restart(config: Memory) -> None:
    """Captures with their files, views, page texts, snapshots and disputes are there after a restart."""
    async with await Store.open(config) as store:
        capture = await store.put_capture("clinic", b"page", "image/jpeg", 1)
        await store.put_view("clinic", view(capture.handle))
        await store.put_page("clinic", sha(b"page"), page_text("word"), OCR)
        await store.put_snapshot(snapshot(1))
        await store.put_snapshot(snapshot(2))
        await store.feedback("clinic", "answer-2", False, "")
        before = await store.counts()
    async with await Store.open(config) as store:
        assert await store.capture_by_bytes("clinic", sha(b"page")) == capture
        assert await store.capture_data("clinic", capture.handle) == b"page"
        assert await store.view("clinic", capture.handle, 1) == view(capture.handle)
        assert await store.page_text("clinic", sha(b"page"), OCR) == page_text("word")
        assert await store.snapshot("clinic", snapshot(1).joint_hash) == snapshot(1)
        assert await store.snapshot("clinic", snapshot(2).joint_hash) is None
        after = await store.counts()
    assert before | {"wal_bytes": 0} == after | {"wal_bytes": 0}


async def test_counts_tell_what_is_kept(store: Store) -> None:
    """Rows and bytes are counted for the metrics."""
    await store.put_capture("clinic", b"page", "image/jpeg", 1)
    await store.put_capture("clinic", b"x" * 1001, "image/jpeg", 1)
    await store.put_page("clinic", sha(b"page"), page_text("word"), OCR)
    await store.put_snapshot(snapshot(1))
    counts = await store.counts()
    assert counts.pop("database_bytes") > 0
    assert counts.pop("wal_bytes") > 0
    assert counts == {
        "tenants": 1,
        "captures": 2,
        "captures_kept": 1,
        "capture_bytes": 4,
        "views": 0,
        "pages": 1,
        "anchors": 0,
        "adoptions": 0,
        "snapshots": 1,
        "snapshots_disputed": 0,
        "feedback": 0,
    }


async def test_two_daemons_cannot_share_a_memory(config: Memory) -> None:
    """A second one is told which process has it, and gets in once the first is gone."""
    async with await Store.open(config):
        with pytest.raises(AddressTaken, match=r"process \d+ already uses .*memory\.directory"):
            await Store.open(config)
    async with await Store.open(config):
        pass


async def test_the_memory_is_closed_to_other_users(store: Store, config: Memory) -> None:
    """The directory is its owner's alone, whatever lies in it."""
    await store.put_capture("clinic", b"page", "image/jpeg", 1)
    for directory in (Path(config.directory), Path(config.directory) / "captures"):
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700


async def test_a_directory_that_cannot_be_made_is_store_unavailable(tmp_path: Path) -> None:
    """Where a file lies in the way the error says so."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreUnavailable, match="file/memory"):
        await Store.open(Memory(directory=str(tmp_path / "file" / "memory")))


async def test_a_failed_open_leaves_nothing_running(config: Memory, database: Path) -> None:
    """Neither a thread nor the lock outlives an open that failed."""
    async with await Store.open(config):
        pass
    overwrite(database, 0, b"this is no database " * 10)
    before = set(threading.enumerate())
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="is damaged"):
            await Store.open(config)
    for thread in set(threading.enumerate()) - before:
        if "asyncio" not in thread.name:
            # A connection is closed a moment before its thread ends.
            await asyncio.to_thread(thread.join, 20)
            assert not thread.is_alive()


async def test_nothing_that_is_kept_is_logged(
    config: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    """Even at debug level no question, page text, answer or correction reaches the log."""
    caplog.set_level(logging.DEBUG)
    async with await Store.open(config) as store:
        capture = await store.put_capture("clinic", b"SECRET", "image/jpeg", 1)
        await store.put_page("clinic", sha(b"page"), page_text("SECRET"), OCR)
        await store.put_snapshot(snapshot(1, text="SECRET"))
        await store.feedback("clinic", "answer-1", False, "SECRET")
        await store.snapshot("clinic", snapshot(1).joint_hash)
        (Path(config.directory) / "captures" / capture.handle).unlink()
        await store.capture_data("clinic", capture.handle)
    assert "is gone or damaged" in caplog.text
    assert "SECRET" not in caplog.text


def test_a_process_that_fails_with_an_open_memory_ends(tmp_path: Path) -> None:
    """An exception out of the memory's block ends the process with that exception, not with a hang."""
    program = (
        "import asyncio, sys\n"
        "from edge_clm.config import Memory\n"
        "from edge_clm.memory.store import Store\n"
        "async def main():\n"
        "    async with await Store.open(Memory(directory=sys.argv[1])) as store:\n"
        "        await store.tenant_key('clinic')\n"
        "        raise SystemExit(7)\n"
        "asyncio.run(main())\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, timeout=60, check=False
    )
    assert ended.returncode == 7


def _write_and_kill(directory: Path, start: int, acknowledged: int) -> list[tuple[str, int, str]]:
    """Starts the writer, kills it after so many acknowledgements, returns all that it told."""
    command = [sys.executable, "-m", "tests.memory.writer", str(directory), str(start)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(acknowledged)]
        process.kill()
        lines += process.stdout.readlines()
    return [tuple(json.loads(line)) for line in lines if line.endswith("\n")]


async def _check_acknowledged(store: Store, told: list[tuple[str, int, str]]) -> None:
    disputed = {number for kind, number, _ in told if kind == "dispute"}
    for kind, number, name in told:
        if kind == "capture":
            capture = await store.capture("clinic", name)
            assert capture is not None
            assert capture.bytes_sha256 == sha(picture(number))
            assert await store.capture_data("clinic", name) == (
                picture(number) if capture.kept else None
            )
        elif kind == "view":
            assert await store.view("clinic", name, 1) == view(name)
        elif number in disputed:
            assert await store.snapshot("clinic", snapshot(number).joint_hash) is None
        elif number % 3:
            assert await store.snapshot("clinic", snapshot(number).joint_hash) == snapshot(number)


async def test_a_kill_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    """Killed at different points, the memory has every acknowledged row, whole, and no stray file."""
    directory = tmp_path / "memory"
    told: list[tuple[str, int, str]] = []
    for kills, acknowledged in enumerate((1, 14, 47, 90)):
        told += await asyncio.to_thread(_write_and_kill, directory, kills * 10_000, acknowledged)
        async with await Store.open(
            Memory(directory=str(directory), capture_bytes=BUDGET)
        ) as store:
            await _check_acknowledged(store, told)
            sizes = listing(directory / "captures").values()
            counts = await store.counts()
            assert sum(sizes) <= BUDGET
            assert (counts["captures_kept"], counts["capture_bytes"]) == (len(sizes), sum(sizes))
    with closing(sqlite3.connect(directory / "memory.sqlite3")) as reader:
        assert reader.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_full_disk_is_said_and_leaves_nothing_half(tmp_path: Path) -> None:
    """On a file system without room a put raises DiskFull, what was kept stays whole, and room mends it."""
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("needs unshare to mount a small file system of its own")
    mount = [unshare, "-Urm", "sh", "-c"]
    ready = subprocess.run(
        [*mount, f"mount -t tmpfs -o size=4m small {tmp_path}"], capture_output=True, check=False
    )
    if ready.returncode:
        pytest.skip("may not mount a small file system of its own")
    command = 'mount -t tmpfs -o size=4m small "$1" && exec "$0" -m tests.memory.full_disk "$1"'
    ended = subprocess.run(
        [*mount, command, sys.executable, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout)
    captures, answers = told.pop("captures_before_full"), told.pop("answers_before_full")
    assert captures > 5
    assert told == {
        "files_are_rows": True,
        "whole": [True] * captures,
        "answers_whole": [True] * answers,
        "refused_answer": None,
        "works_again": True,
        "reopened": True,
        "check": "ok",
    }


async def test_what_is_kept_of_each_tenant_is_counted(store: Store) -> None:
    """Every tenant that ever sent something has its own numbers, and they add up to the whole."""
    await store.put_capture("clinic", b"page", "image/jpeg", 1)
    await store.put_capture("shop", b"pages", "image/jpeg", 2)
    await store.put_capture("shop", b"page", "image/jpeg", 1)
    await store.put_page("clinic", sha(b"page"), page_text("word"), OCR)
    await store.put_snapshot(snapshot(1))
    await store.feedback("clinic", snapshot(1).id, False, "")
    await store.tenant_key("nobody")
    counted, whole = await store.counts_by_tenant(), await store.counts()
    assert list(counted) == ["clinic", "nobody", "shop"]
    assert (counted["shop"]["captures"], counted["shop"]["capture_bytes"]) == (2, 9)
    assert counted["clinic"]["snapshots_disputed"] == counted["clinic"]["snapshots"] == 1
    assert set(counted["nobody"].values()) == {0}
    for kind in counted["shop"]:
        assert sum(counts[kind] for counts in counted.values()) == whole[kind]
