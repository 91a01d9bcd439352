"""What the pages for administrators say, against the code."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

from edge_clm.config import Config, Memory
from edge_clm.errors import EdgeClmError
from edge_clm.memory.store import Store
from edge_clm.paper import PageText
from edge_clm.server import daemon
from edge_clm.server.metrics import Metrics

TEXT = (Path(__file__).parent.parent / "docs" / "operations.md").read_text()


def test_every_metric_is_listed() -> None:
    """The list has the metrics that there are, under the names that Prometheus sees, and no others."""
    metrics = Metrics()
    metrics.watch(queue_depth=lambda: 0, engine_restarts=lambda: 0, memory_faults=lambda: 0)
    there = {
        family.name + ("_total" if family.type == "counter" else "")
        for family in metrics.registry.collect()
    }
    assert set(re.findall(r"^\| `(edge_clm_\w+)`", TEXT, re.MULTILINE)) == there


def commands(after: str, **places: Path) -> str:
    """The first list of commands after some words, at other places and without systemd."""
    block = re.search(re.escape(after) + r".*?```\n(.*?)```", TEXT, re.DOTALL)
    assert block is not None, after
    text = block[1]
    for said, there in (
        ("/opt/edge-clm/bin/python", Path(sys.executable)),
        ("/var/lib/edge-clm", places["state"]),
        ("/root/copy", places["copy"]),
    ):
        text = text.replace(said, str(there))
    kept = [line for line in text.splitlines() if not line.startswith("systemctl ")]
    return "\n".join(["set -eu", *kept])


async def shell(script: str) -> None:
    """Runs commands as they would be typed; while they run, so does the event loop."""
    done = await asyncio.create_subprocess_exec("sh", "-c", script)
    assert await done.wait() == 0


async def test_a_copy_made_while_the_daemon_runs_brings_everything_back(tmp_path: Path) -> None:
    """The commands that are written down, over a real memory: what was there is there again."""
    places = {"state": tmp_path / "state", "copy": tmp_path / "copy"}
    config = Memory(directory=str(places["state"] / "memory"))
    async with await Store.open(config) as store:
        old = await store.put_capture("till-1", b"an old page", "image/jpeg", 1)
        await store.put_page("till-1", "p_1", PageText((), 0, 10, 10), "0" * 64)
        # In the write-ahead log alone, where a copy of the file would miss it.
        assert (places["state"] / "memory" / "memory.sqlite3-wal").stat().st_size > 0
        await shell(commands("As root:", **places))
        late = await store.put_capture("till-1", b"a late page", "image/jpeg", 1)
        secret = await store.tenant_key("till-1")
    assert (places["copy"] / "memory.sqlite3").stat().st_mode & 0o077 == 0
    await shell(commands("To restore:", **places))
    async with await Store.open(config) as store:
        assert await store.capture_data("till-1", old.handle) == b"an old page"
        assert await store.page_text("till-1", "p_1", "0" * 64) is not None
        assert await store.tenant_key("till-1") == secret
        assert await store.capture("till-1", late.handle) is None
    assert (places["state"] / "memory.before" / "memory.sqlite3").exists()


def test_every_setting_that_is_named_exists() -> None:
    """Keys of the configuration are written as they are."""
    named = set(re.findall(r"`(server|limits|model|ocr|memory|log)\.(\w+)`", TEXT)) - {
        ("memory", "sqlite3")
    }
    assert {("limits", "stall_s"), ("limits", "load_s")} <= named
    sections = {name: type(value) for name, value in Config()}
    for section, key in named:
        assert key in sections[section].model_fields, f"{section}.{key}"


def test_every_exit_code_is_listed() -> None:
    """The list has the codes that the daemon ends with."""
    kinds = [EdgeClmError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    codes = {daemon.EX_OK, daemon.EX_FAULT, *(kind.exit_code for kind in kinds)}
    assert set(map(int, re.findall(r"^\| (\d+) \|", TEXT, re.MULTILINE))) == codes
