"""Timed calls, and what an answer tells about its own time."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from bench.failure import BenchError
from edge_clm.cli.enums import short
from edge_clm.client import Client
from edge_clm.v1 import edge_clm_pb2 as pb


@dataclass(frozen=True, slots=True)
class Timed:
    """One streamed answer with the caller's clock."""

    first_ms: float
    """From the call to the first piece of text."""
    total_ms: float
    """From the call to the whole answer."""
    answer: pb.Answer


def stream(client: Client, question: str, **how: Any) -> Timed:
    """Asks by AskStream and times it; raises BenchError where no text or no answer comes."""
    started = time.perf_counter()
    first = 0.0
    for event in client.ask_stream(question, **how):
        now = (time.perf_counter() - started) * 1000
        if isinstance(event, pb.Answer):
            if not first:
                raise BenchError("an answer came without any text, so it has no first token")
            return Timed(first, now, event)
        first = first or now
    raise BenchError("a stream ended without an answer")


def mode(answer: pb.Answer) -> str:
    """How the answer came about, in the design's words."""
    return short(answer, "serve_mode", answer.serve_mode)


def stages(answer: pb.Answer | pb.ExtractResponse) -> dict[str, float]:
    """Milliseconds by stage; a stage that ran twice is summed."""
    found: dict[str, float] = {}
    for stage in answer.stages:
        found[stage.name] = found.get(stage.name, 0.0) + stage.ms
    return found


def server_total_ms(answer: pb.Answer) -> float:
    """The daemon's own time for the answer: the sum of its stages."""
    return sum(stage.ms for stage in answer.stages)


def server_first_ms(answer: pb.Answer) -> float:
    """The daemon's own time to the first token: the stages up to and with `first_token`."""
    total = 0.0
    for stage in answer.stages:
        total += stage.ms
        if stage.name == "first_token":
            return total
    raise BenchError("an answer of the model does not report the stage first_token")


def expect(answer: pb.Answer, *allowed: str) -> None:
    """Raises BenchError when an answer came about in another way than the arm measures."""
    if mode(answer) not in allowed:
        raise BenchError(f"an arm that measures {'/'.join(allowed)} was served {mode(answer)}")
