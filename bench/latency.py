"""Warm and replayed answers over cold ones, and cold ones over plain transformers.

On each of N documents (default 24, inv3d and sroie in turn) the arms run one after the other: cold
(fresh, by handle), warm (new questions about the same handle), plain transformers with the same prompt
and without page text, and replays by handle and by bytes while the model decodes for another client.

  ttft.warm_over_cold      first token as the caller sees it: from the AskStream call to its first delta
  ttft_server.…            the same by the daemon's stages, up to and with first_token
  e2e.warm_over_cold       from the call to the whole answer
  replay.handle.p95_ms     sum of the daemon's stages; replay.handle.client.p95_ms is the caller's clock.
                           Only replays during which one and the same background stream was decoding count
  cold_over_plain.same_prompt   from the call to the last token, over generate() given the page text for
                           nothing, where both wrote as many tokens; .less_ocr with the daemon's stage ocr
                           taken off; .first to the first token
  cold_over_plain.no_ocr_text   the same over generate() with the picture alone

Finished documents are kept, for the same code and weights; --restart measures them again.
"""

from __future__ import annotations

import argparse
import hashlib
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from bench.arms import Timed, expect, server_first_ms, server_total_ms, stages, stream
from bench.documents import Document, pick
from bench.failure import BenchError
from bench.finished import Finished
from bench.latency_figures import figures_of
from bench.machine import commit
from bench.options import Options
from bench.plain import Plain
from bench.progress import Progress, say
from bench.replays import Replays
from bench.session import conclude, session
from bench.wording import NEW
from edge_clm.client import Client

DEFAULT_N = 24
WARM_WHOLE = 2
"""Warm answers per document that run to their end."""
WARM_SHORT = 11
"""Further warm answers per document, cut after a few tokens: their first token is what counts."""
SHORT_TOKENS = 4


@dataclass(frozen=True, slots=True)
class Bench:
    """What the arms need."""

    client: Client
    plain: Plain
    replays: Replays


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds how many replays are timed."""
    parser.epilog = f"--n counts documents in all; default {DEFAULT_N}."
    parser.add_argument(
        "--replays", type=int, default=15, metavar="N", help="a document and kind (default 15)"
    )


def run(options: Options, given: argparse.Namespace) -> int:
    """Measures and reports; 0 when every figure could be given."""
    count = options.n or DEFAULT_N
    documents, missing = pick(options.data, count, options.seed)
    documents = documents[:count]
    say("\n".join(missing) or f"{len(documents)} documents")
    with ExitStack() as stack:
        quiet, daemon, client = stack.enter_context(session(options))
        plain = stack.enter_context(Plain(options.models / options.model, options.models))
        other = stack.enter_context(daemon.client())
        bench = Bench(client, plain, Replays(client, other, given.replays))
        say(f"threads of plain transformers: {plain.threads}")
        fingerprint = client.info().fingerprint
        results = _measure(options, bench, documents, fingerprint)
        note = quiet.note()
    return conclude(options, "latency", figures_of(results), fingerprint, note)


def _measure(
    options: Options, bench: Bench, documents: list[Document], fingerprint: str
) -> list[dict[str, Any]]:
    key = (fingerprint, commit(), NEW, WARM_WHOLE, WARM_SHORT, bench.replays.count)
    finished = Finished("latency", key=key)
    if options.restart:
        finished.forget()
    _warm_up(bench, documents[0])
    progress, results = Progress("latency", len(documents)), []
    for at, document in enumerate(documents):
        data = document.path.read_bytes()
        name = f"{at}/{hashlib.sha256(data).hexdigest()}"
        result = finished.get(name)
        if result is None:
            result = _one(bench, document, data, at)
            finished.put(name, result)
            progress.step(f"{document.dataset} {document.sheet}")
        else:
            progress.skip(1)
        results.append(result)
    return results


def _warm_up(bench: Bench, document: Document) -> None:
    """Both sides answer once untimed, so that neither pays for a first page of this size."""
    bench.plain.ask(document.path, NEW[0], page_text=True)
    data = document.path.read_bytes()
    bench.client.ask(NEW[0], image=data, fresh=True, no_store=True, max_tokens=SHORT_TOKENS)


def _one(bench: Bench, document: Document, data: bytes, at: int) -> dict[str, Any]:
    """All arms on one document; every other document the plain arms go first."""
    questions = [NEW[(at + step) % len(NEW)] for step in range(1 + WARM_WHOLE + WARM_SHORT)]
    handle = bench.client.put_capture(data).handle
    plain = _plain(bench, document, questions[0]) if at % 2 else None
    cold = stream(bench.client, questions[0], handle=handle, fresh=True)
    expect(cold.answer, "cold")
    warm = [
        stream(bench.client, question, handle=handle) for question in questions[1:][:WARM_WHOLE]
    ]
    short = [
        stream(bench.client, question, handle=handle, max_tokens=SHORT_TOKENS)
        for question in questions[1 + WARM_WHOLE :]
    ]
    for one in warm + short:
        expect(one.answer, "warm", "verified")
    plain = plain or _plain(bench, document, questions[0])
    _same_prompt(cold, plain["same_prompt"])
    asked = list(zip(questions, [cold, *warm], strict=False))
    replays = bench.replays.measure(handle, data, asked)
    return {
        "cold": _times(cold),
        "warm": [_times(one) for one in warm],
        "short": [_times(one) for one in short],
        "plain": plain,
        "replays": replays,
        "bytes": len(data),
    }


def _plain(bench: Bench, document: Document, question: str) -> dict[str, Any]:
    return {
        "same_prompt": bench.plain.ask(document.path, question, page_text=True),
        "no_ocr_text": bench.plain.ask(document.path, question, page_text=False),
    }


def _same_prompt(cold: Timed, plain: dict[str, Any]) -> None:
    """Raises BenchError where the two read different pages: their times would mean nothing."""
    ours, theirs = cold.answer.tokens.page, plain["page_tokens"]
    if ours != theirs:
        raise BenchError(f"the daemon read {ours} tokens of a page, plain transformers {theirs}")


def _times(one: Timed) -> dict[str, float]:
    return {
        "first_ms": one.first_ms,
        "total_ms": one.total_ms,
        "server_first_ms": server_first_ms(one.answer),
        "server_total_ms": server_total_ms(one.answer),
        "ocr_ms": stages(one.answer).get("ocr", 0.0),
        "tokens": one.answer.tokens.answer,
    }
