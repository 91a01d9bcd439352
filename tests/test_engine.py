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
from edge_clm.config import Config, Limits, Model, models_home
from edge_clm.engine import EngineProcess, _Losses
from edge_clm.errors import (
    ConfigInvalid,
    DeviceFault,
    DeviceMissing,
    EngineHung,
    EngineLost,
    MemoryExhausted,
    ModelMissing,
)
from edge_clm.link import Link
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


async def test_weights_that_may_not_be_read_are_told(tmp_path: Path) -> None:
    """A directory closed to the daemon's user is no fault of the engine that another try would heal."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o000)
    if os.access(closed, os.R_OK):
        pytest.skip("this user may read everything, so nothing can be closed to it")
    async with engine(Config(model=Model(models=str(closed)))) as child:
        with pytest.raises(ConfigInvalid, match="cannot be read"):
            await child.wait_ready()
        assert child.restarts == 0


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
async def link() -> AsyncIterator[Link]:
    """A link to a small child, as the engine has one to its workshop."""
    ours, theirs = socket.socketpair()
    with theirs:
        command = worker.child_command("tests.worker_child", theirs.fileno())
        process = await asyncio.create_subprocess_exec(*command, pass_fds=[theirs.fileno()])
    reader, writer = await asyncio.open_connection(sock=ours)
    opened = Link(process, reader, writer)
    await opened.handshake(60)
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
        await asyncio.wait_for(opened.ping(stall_s=60, every_s=0.05), 30)
        assert await asyncio.wait_for(opened.process.wait(), 30) == -signal.SIGKILL
        with pytest.raises(EngineHung):
            await asking
        assert isinstance(opened.loss(), EngineHung)


async def test_a_killed_child_that_does_not_end_is_not_waited_for() -> None:
    """A process may hang in a driver where no signal reaches it; it is told apart from one that ended."""
    async with link() as opened:
        assert not await opened._ended(within_s=0.05)
    assert await opened._ended(within_s=20)


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


@asynccontextmanager
async def scripted(stall_s: float = 0.5) -> AsyncIterator[EngineProcess]:
    """An engine whose child does as a file's content says."""
    config = Config(limits=Limits(stall_s=stall_s))
    child = EngineProcess(config, module="tests.engine_child", ping_s=0.05)
    child.start()
    try:
        await child.wait_ready()
        yield child
    finally:
        await child.close()


async def test_a_call_without_progress_ends_the_child_and_a_second_time_the_engine() -> None:
    """A lane that hangs while pings are answered is found out; the first remedy is another child."""
    async with scripted() as child:
        pid = child.pid
        with pytest.raises(EngineHung):
            await child.decode(File("0" * 64, b"hang"), 1)
        await child.wait_lost()
        await child.wait_ready()
        assert child.pid != pid and child.restarts == 1
        with pytest.raises(EngineHung):
            await child.decode(File("0" * 64, b"hang"), 1)
        with pytest.raises(EngineHung, match=r"no progress for 0\.5 s.*given up"):
            await child.wait_ready()
        assert child.restarts == 1


async def test_a_long_call_that_asks_whether_to_stop_is_alive() -> None:
    """However long it takes: a call is judged by its progress and not by its length."""
    async with scripted(stall_s=0.3) as child:
        seen, ms = await child.decode(File("0" * 64, b"slow"), 2)
        assert seen.width == 1 and ms >= 2000
        assert child.restarts == 0


async def test_an_engine_without_work_does_not_hang() -> None:
    """A lane that waits for calls makes no progress and need not."""
    async with scripted(stall_s=0.1) as child:
        await asyncio.sleep(0.5)
        await child.decode(File("0" * 64, b"quick"), 1)
        assert child.restarts == 0


async def test_a_fault_of_the_device_ends_the_child_and_a_second_time_the_engine() -> None:
    """The caller is told, the child ends by itself, and a device that fails again is given up."""
    async with scripted() as child:
        for restarts in (0, 1):
            await child.wait_ready()
            assert child.restarts == restarts
            with pytest.raises(DeviceFault, match="illegal memory access"):
                await child.decode(File("0" * 64, b"lose"), 1)
            await child.wait_lost()
        with pytest.raises(DeviceFault, match="given up"):
            await child.wait_ready()


async def test_lack_of_memory_leaves_the_child_alone() -> None:
    """One page too many for the memory is that caller's trouble; the next page is worked on."""
    async with scripted() as child:
        with pytest.raises(MemoryExhausted):
            await child.decode(File("0" * 64, b"lack"), 1)
        await child.decode(File("0" * 64, b"quick"), 1)
        assert child.restarts == 0


async def test_an_engine_that_never_comes_up_is_hung() -> None:
    """Loading has an end as well."""
    config = Config(limits=Limits(load_s=0.2))
    child = EngineProcess(config, module="tests.engine_child_mute")
    child.start()
    with pytest.raises(EngineHung, match=r"not come up within 0\.2 s.*given up"):
        await child.wait_ready()
    await child.close()


async def test_giving_up_is_told_at_once(bare: Config) -> None:
    """Who waits hears of it when it is decided, and not after the pause before a start that never comes."""
    async with engine(bare) as child:
        pid: int | None = None
        for _ in range(3):
            pid = await running(child, but=pid)
            os.kill(pid, signal.SIGKILL)
        await until(lambda: child._fatal is not None)
        with pytest.raises(EngineLost):
            await asyncio.wait_for(child.wait_ready(), 0.5)


def test_kinds_of_loss_are_counted_apart() -> None:
    """A hang and a fault of the device are two things; three ends of any kind are too many."""
    losses = _Losses()
    assert losses.verdict(EngineHung("no progress")) is None
    assert losses.verdict(DeviceFault("gone")) is None
    assert type(losses.verdict(EngineLost("ended with 1"))) is EngineLost
    assert losses.count == 3
    assert type(losses.verdict(EngineHung("no progress"))) is EngineHung


def test_what_a_lost_device_leaves_behind_is_not_the_configurations_fault() -> None:
    """A GPU that has gone is not there for the next child; systemd is to hear of the device all the same."""
    missing = DeviceMissing("model.device 'cuda' is not on this machine")
    losses = _Losses()
    assert losses.unhealed(missing) is missing
    losses.verdict(EngineLost("ended with -9"))
    assert losses.unhealed(missing) is missing
    losses.verdict(DeviceFault("the device failed"))
    fatal = losses.unhealed(missing)
    assert type(fatal) is DeviceFault and "not on this machine" in fatal.message


async def until(holds: Callable[[], bool]) -> None:
    """Returns once it holds; no event tells of a silence."""
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.05)
