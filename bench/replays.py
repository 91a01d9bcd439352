"""Replays, timed while the model decodes for another client."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from bench.arms import Timed, expect, server_total_ms
from bench.background import Decoding
from bench.progress import say
from bench.wording import NEW
from edge_clm.client import Client
from edge_clm.v1 import edge_clm_pb2 as pb

APART_S = 0.02
"""Between two replays: they meet the decoder at every point of a token's 70 ms."""
TRIES = 4
"""Of the replays asked for, how many times as many are sent before a document is left as it is."""


class Replays:
    """Asks what was answered before, by handle and by bytes in turn."""

    def __init__(self, client: Client, other: Client, count: int) -> None:
        self.count = count
        self._client = client
        self._other = other

    def measure(
        self, handle: str, data: bytes, asked: Sequence[tuple[str, Timed]]
    ) -> dict[str, list[tuple[float, float]]]:
        """(server, client) milliseconds by kind, of replays under decode load.

        `asked` are questions about the handle with their answers. A document whose answers are all
        cut short has nothing that may be replayed, and yields nothing.
        """
        question = self._kept_question(handle, asked)
        found: dict[str, list[tuple[float, float]]] = {"handle": [], "bytes": []}
        if question is None:
            say("no answer about this document was kept, so none is replayed")
            return found
        with Decoding(self._other, handle) as decoding:
            for _ in range(TRIES * self.count):
                if all(len(times) >= self.count for times in found.values()):
                    break
                self._add(found["handle"], decoding, question, handle=handle)
                self._add(found["bytes"], decoding, question, image=data)
        return found

    def _kept_question(self, handle: str, asked: Sequence[tuple[str, Timed]]) -> str | None:
        for question, timed in asked:
            if timed.answer.provenance.stored:
                return question
        for question in NEW:
            answer = self._client.ask(question, handle=handle)
            if answer.provenance.stored:
                return question
        return None

    def _add(
        self, times: list[tuple[float, float]], decoding: Decoding, question: str, **page: Any
    ) -> None:
        if len(times) >= self.count:
            return
        before = decoding.wait()
        started = time.perf_counter()
        answer: pb.Answer = self._client.ask(question, **page)
        spent = (time.perf_counter() - started) * 1000
        expect(answer, "replay")
        if decoding.now() == before:
            times.append((server_total_ms(answer), spent))
        time.sleep(APART_S)
