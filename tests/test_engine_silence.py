"""How long ago the engine's process was heard, which is what the watchdog goes by."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from edge_clm.config import Config, Model, models_home
from edge_clm.engine import EngineProcess

LONGER_THAN_A_PING_S = 7.0


async def test_an_engine_that_is_not_ready_is_not_silent(tmp_path: Path) -> None:
    """One that was never started, loads or cannot start is waited for, not held to be dead."""
    engine = EngineProcess(Config(model=Model(models=str(tmp_path))))
    assert engine.silent_s == 0.0
    engine.start()
    await until(lambda: engine.pid is not None)
    assert engine.silent_s == 0.0
    await engine.close()
    assert engine.silent_s == 0.0


async def test_a_stopped_engine_grows_silent_and_a_woken_one_is_heard() -> None:
    """The silence outgrows the time between two pings, and ends with the next answer."""
    if not (models_home() / "nano").is_dir():
        pytest.skip("nano is not there; 'edge-clm models pull' makes it")
    engine = EngineProcess(Config())
    engine.start()
    try:
        await engine.wait_ready()
        assert engine.pid is not None
        os.kill(engine.pid, signal.SIGSTOP)
        await until(lambda: engine.silent_s > LONGER_THAN_A_PING_S)
        os.kill(engine.pid, signal.SIGCONT)
        await until(lambda: engine.silent_s < LONGER_THAN_A_PING_S)
    finally:
        await engine.close()


async def until(holds: Callable[[], bool]) -> None:
    """Returns once it holds; no event tells of a silence."""
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.05)
