"""The engine's process: what keeps it from starting, and how often it is started again."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from edge_clm import worker
from edge_clm.config import Config, Model, models_home
from edge_clm.engine import EngineProcess, _Link
from edge_clm.errors import EngineLost, ModelMissing
from edge_clm.types import File

LONGER_THAN_A_PING_S = 7.0


@asynccontextmanager
async def engine(config: Config) -> AsyncIterator[EngineProcess]:
    started = EngineProcess(config)
    started.start()
    try:
        yield started
    finally:
        await started.close()


@pytest.fixture
def bare(tmp_path: Path) -> Config:
    """A machine without weights."""
    return Config(model=Model(models=str(tmp_path)))


async def running(child: EngineProcess, but: int | None = None) -> int:
    """The child's process id, once there is one other than `but`."""
    while child.pid is None or child.pid == but:  # noqa: ASYNC110  # spawning is announced to nobody
        await asyncio.sleep(0.02)
    return child.pid


async def test_missing_weights_are_told(bare: Config) -> None:
    """What keeps the engine from starting reaches whoever waits for it, and nothing is tried again."""
    async with engine(bare) as child:
        with pytest.raises(ModelMissing, match="PP-OCRv6_small_det"):
            await child.wait_ready()
        assert child.restarts == 0
        with pytest.raises(EngineLost):
            await child.decode(File("0" * 64, b""), 1)


async def test_an_engine_that_keeps_dying_is_given_up(bare: Config) -> None:
    """Three deaths in a row are enough, whatever it was doing; until then it is started again."""
    async with engine(bare) as child:
        pid: int | None = None
        for _ in range(3):
            pid = await running(child, but=pid)
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(EngineLost, match="given up"):
            await child.wait_ready()
        assert child.restarts == 2


async def test_closing_ends_the_child(bare: Config) -> None:
    """Nothing of the engine is left when it has been closed, even while it loads."""
    async with engine(bare) as child:
        process = psutil.Process(await running(child))
    assert not process.is_running()


async def test_the_configuration_travels_whole(
    bare: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the environment says has been resolved before; the child must not resolve it again."""
    monkeypatch.setenv("EDGE_CLM_MODEL__MODELS", "/nonexistent")
    async with engine(bare) as child:
        environment = psutil.Process(await running(child)).environ()
    assert not [name for name in environment if name.startswith("EDGE_CLM_")]
    assert environment["ORT_DISABLE_TELEMETRY"] == "1"


@asynccontextmanager
async def link() -> AsyncIterator[_Link]:
    """A link to a small child, as the engine has one to its workshop."""
    ours, theirs = socket.socketpair()
    with theirs:
        command = worker.child_command("tests.worker_child", theirs.fileno())
        process = await asyncio.create_subprocess_exec(*command, pass_fds=[theirs.fileno()])
    reader, writer = await asyncio.open_connection(sock=ours)
    opened = _Link(process, reader, writer)
    await opened.handshake()
    serving = asyncio.create_task(opened.serve())
    try:
        yield opened
    finally:
        await opened.close()
        await serving


async def test_a_stopped_child_is_ended() -> None:
    """A child that answers no ping is killed, also when what it has not read fills the pipe."""
    async with link() as opened:
        os.kill(opened.process.pid, signal.SIGSTOP)
        calls = opened.stream("double", b"x" * 8_000_000)
        asking = asyncio.ensure_future(anext(calls))
        await asyncio.wait_for(opened.ping(every_s=0.05), 30)
        assert await asyncio.wait_for(opened.process.wait(), 30) == -signal.SIGKILL
        with pytest.raises(EngineLost):
            await asking


async def test_an_engine_that_is_not_ready_is_not_silent(tmp_path: Path) -> None:
    """One that was never started, loads or cannot start is waited for, not held to be dead."""
    child = EngineProcess(Config(model=Model(models=str(tmp_path))))
    assert child.silent_s == 0.0
    child.start()
    await until(lambda: child.pid is not None)
    assert child.silent_s == 0.0
    await child.close()
    assert child.silent_s == 0.0


async def test_a_stopped_engine_grows_silent_and_a_woken_one_is_heard() -> None:
    """The silence outgrows the time between two pings, and ends with the next answer."""
    if not (models_home() / "nano").is_dir():
        pytest.skip("nano is not there; 'edge-clm models pull' makes it")
    child = EngineProcess(Config())
    child.start()
    try:
        await child.wait_ready()
        assert child.pid is not None
        os.kill(child.pid, signal.SIGSTOP)
        await until(lambda: child.silent_s > LONGER_THAN_A_PING_S)
        os.kill(child.pid, signal.SIGCONT)
        await until(lambda: child.silent_s < LONGER_THAN_A_PING_S)
    finally:
        await child.close()


async def until(holds: Callable[[], bool]) -> None:
    """Returns once it holds; no event tells of a silence."""
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.05)
