"""The doctor's question to the model itself, where no daemon runs that could be asked."""

from __future__ import annotations

import asyncio
import hashlib
import time
from typing import TYPE_CHECKING

from edge_clm.cli.finding import Finding
from edge_clm.cli.probe import AMOUNT, QUESTION, receipt
from edge_clm.config import Config

if TYPE_CHECKING:
    from edge_clm.engine import EngineProcess


def question(config: Config, timeout_s: float) -> Finding:
    """Loads the configured models in a process of their own and puts a real question to them.

    Nothing is kept, and the process has ended when it returns. Raises what keeps the models from
    being loaded, as the daemon would meet it.
    """
    try:
        text, load_s, answer_ms = asyncio.run(_asked(config, timeout_s))
    except TimeoutError:
        fact = f"no answer within {timeout_s:g} s, loading included"
        return Finding("fail", "question", fact, "Give it longer with --timeout.")
    fact = f"no daemon serves; the models were loaded in {load_s:.1f} s and answered in {answer_ms:.0f} ms"
    if AMOUNT in text:
        return Finding("ok", "question", f"{fact}, and rightly")
    remedy = "Check the models with 'edge-clm models verify'; a larger model may be needed."
    return Finding("warn", "question", f"{fact}, but {AMOUNT} is not in the answer", remedy)


async def _asked(config: Config, timeout_s: float) -> tuple[str, float, float]:
    """The answer, the seconds that loading took and the milliseconds from the picture to the end."""
    from edge_clm.engine import EngineProcess

    started, engine = time.monotonic(), EngineProcess(config)
    engine.start()
    try:
        async with asyncio.timeout(timeout_s):
            await engine.wait_ready()
            loaded = time.monotonic()
            text = await _answered(engine, config.model.max_tokens)
    finally:
        await engine.close()
    return text, loaded - started, (time.monotonic() - loaded) * 1000


async def _answered(engine: EngineProcess, max_tokens: int) -> str:
    from edge_clm.types import File, Piece, Sampling, Task

    data = receipt()
    file = File(hashlib.sha256(data).hexdigest(), data)
    await engine.decode(file, 1)
    page, _ = await engine.read(file, 1)
    task = Task("doctor", file, 1, page, QUESTION, Sampling(max_tokens), fresh=True)
    return "".join([step.text async for step in engine.answer(task) if isinstance(step, Piece)])
