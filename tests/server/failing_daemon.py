"""A real daemon in a process of its own over an engine that hangs or fails at a word.

Run with a directory; it listens on the socket `d.sock` there, and only the engine's child is played.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from edge_clm.build import _wire
from edge_clm.config import Config
from edge_clm.engine import EngineProcess
from edge_clm.memory.store import Store
from edge_clm.server import listen
from edge_clm.server.daemon import Daemon


async def run(directory: Path) -> int:
    config = Config(
        server={"socket": str(directory / "d.sock"), "tcp": "", "grace_s": 1.0},
        memory={"directory": str(directory / "memory")},
        limits={"stall_s": 0.5},
    )
    engine = EngineProcess(config, module="tests.engine_child", ping_s=0.05)
    async with await Store.open(config.memory) as store:
        engine.start()
        try:
            with listen.claimed(directory / "d.sock"):
                return await Daemon(config, _wire(config, store, engine)).run()
        finally:
            await engine.close()


if __name__ == "__main__":
    sys.exit(asyncio.run(run(Path(sys.argv[1]))))
