"""Every way of serving over cold ones, on the same documents: first token and whole answer.

On each of N documents (default 24, inv3d and sroie in turn), by handle: a question is answered cold; then the
same again as a draft (its answer is too old for the caller) and from memory; then in other words; then a new
question. A description is made cold, again as a draft, and again from memory. What an arm was served by is
what its times count for, over the cold answers of the same documents.

  ttft.MODE.QUESTION_over_cold   first token as the caller sees it; question: same, paraphrased, new
  e2e.MODE.QUESTION_over_cold    from the call to the whole answer; not of new questions, whose answers are others
  e2e.describe_MODE_over_cold    the same of descriptions; their first token by the daemon's stages,
                                 as ttft_server.describe_MODE_over_cold, where the model says one
  served.QUESTION.MODE           share of paraphrased, and of new, questions that were served so

Photographs of known papers are another bench's: reuse.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bench.arms import expect, mode, server_first_ms, stream
from bench.documents import pick
from bench.options import Options
from bench.progress import Progress, say
from bench.report import Figure, ratio, share
from bench.session import conclude, session
from bench.wording import NEW, REWORDED
from edge_clm.client import Client
from edge_clm.v1 import edge_clm_pb2 as pb

DEFAULT_N = 24
COLD = "cold"
_RANKS = (50, 95)
_FRESH = ("asked", "told")
_OTHERS = tuple(one for one in NEW if one not in {wording for pair in REWORDED for wording in pair})
_ASKED_ONCE = ("paraphrased", "new")
"""Of these an answer's way is for the daemon to choose."""
_AT_ONCE = 0.001
"""Seconds; what was answered before is older."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One answer about a document."""

    question: str
    """asked or told, where it was wanted fresh; same, paraphrased, new or describe."""
    mode: str
    first_ms: float | None
    """None where nobody saw a first token."""
    total_ms: float


def add_options(parser: argparse.ArgumentParser) -> None:
    """Says what is counted."""
    parser.epilog = f"--n counts documents in all; default {DEFAULT_N}."


def run(options: Options, _: argparse.Namespace) -> int:
    """Measures and reports; 0 when every figure could be given."""
    wanted = options.n or DEFAULT_N
    documents, missing = pick(options.data, wanted, options.seed)
    documents = documents[:wanted]
    say("\n".join(missing) or f"{len(documents)} documents")
    arms: list[list[Arm]] = []
    with session(options) as (quiet, _daemon, client):
        progress = Progress("modes", len(documents))
        for at, document in enumerate(documents):
            arms.append(list(_one(client, document.path.read_bytes(), at)))
            progress.step(document.name)
        fingerprint, note = client.info().fingerprint, quiet.note()
    return conclude(options, "modes", figures_of(arms), fingerprint, note)


def figures_of(documents: Sequence[Sequence[Arm]]) -> dict[str, Figure]:
    """Every figure of the bench; one list of arms a document."""
    figures: dict[str, Figure] = {}
    served = sorted({(arm.question, arm.mode) for arms in documents for arm in arms})
    for question, how in served:
        if question in _FRESH:
            continue
        fresh = "told" if question == "describe" else "asked"
        kind = f"describe_{how}" if question == "describe" else f"{how}.{question}"
        for key, time_of in _clocks(question):
            pairs = [
                (_times(arms, question, how, time_of), _times(arms, fresh, COLD, time_of))
                for arms in documents
            ]
            pairs = [pair for pair in pairs if all(pair)]
            for rank in _RANKS if pairs else ():
                mine, cold = zip(*pairs, strict=True)
                figures[f"{key}.{kind}_over_cold.p{rank}"] = ratio(mine, cold, rank)
        if question in _ASKED_ONCE:
            tried = [[arm for arm in arms if arm.question == question] for arms in documents]
            figures[f"served.{question}.{how}"] = share(
                [[float(arm.mode == how) for arm in arms] for arms in tried if arms]
            )
    return figures


Clock = Callable[[Arm], float | None]


def _clocks(question: str) -> list[tuple[str, Clock]]:
    first = "ttft_server" if question == "describe" else "ttft"
    whole: list[tuple[str, Clock]] = [("e2e", lambda arm: arm.total_ms)]
    return [(first, lambda arm: arm.first_ms), *(whole if question != "new" else [])]


def _times(arms: Sequence[Arm], question: str, how: str, time_of: Clock) -> list[float]:
    mine = [arm for arm in arms if (arm.question, arm.mode) == (question, how)]
    return [ms for arm in mine if (ms := time_of(arm)) is not None]


def _one(client: Client, data: bytes, at: int) -> Iterator[Arm]:
    """All arms on one document."""
    question, reworded = REWORDED[at % len(REWORDED)]
    handle = client.put_capture(data).handle
    for asked, words, wish in (
        ("asked", question, {"fresh": True}),
        ("same", question, {"max_age_s": _AT_ONCE}),
        ("same", question, {}),
        ("paraphrased", reworded, {}),
        ("new", _OTHERS[at % len(_OTHERS)], {}),
    ):
        timed = stream(client, words, handle=handle, **wish)
        if asked in _FRESH:
            expect(timed.answer, COLD)
        yield Arm(asked, mode(timed.answer), timed.first_ms, timed.total_ms)
    for fresh, max_age_s in ((True, 0.0), (False, _AT_ONCE), (False, 0.0)):
        started = time.perf_counter()
        answer = client.describe(handle=handle, fresh=fresh, max_age_s=max_age_s)
        total_ms = (time.perf_counter() - started) * 1000
        if fresh:
            expect(answer, COLD)
        yield Arm("told" if fresh else "describe", mode(answer), _first_ms(answer), total_ms)


def _first_ms(answer: pb.Answer) -> float | None:
    return None if mode(answer) == "replay" else server_first_ms(answer)
