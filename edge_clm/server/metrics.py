"""What Prometheus can ask for, on a loopback port of its own; no label names a tenant or a document."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector

from edge_clm.errors import AddressTaken, StoreUnavailable
from edge_clm.server.listen import joined, loopback
from edge_clm.types import Answer, ServeMode

_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)
_LONGEST_HEAD = 8192
_PATIENCE_S = 5.0

Counts = Callable[[], Awaitable[Mapping[str, int]]]
"""Counts what the store keeps, by kind."""


class Metrics:
    """The daemon's counters and clocks, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "edge_clm_requests", "Calls that ended", ["method", "code"], registry=self.registry
        )
        self._seconds = Histogram(
            "edge_clm_request_seconds",
            "Duration of calls",
            ["method"],
            registry=self.registry,
            buckets=_SECONDS,
        )
        self._stages = Histogram(
            "edge_clm_stage_seconds",
            "Duration of each stage of an answer",
            ["stage", "serve_mode"],
            registry=self.registry,
            buckets=_SECONDS,
        )
        self._answers = Counter(
            "edge_clm_answers",
            "Answers given",
            ["serve_mode", "outcome", "finish"],
            registry=self.registry,
        )
        self._tokens = Counter(
            "edge_clm_tokens", "Tokens read and written", ["kind"], registry=self.registry
        )
        self._notices = Counter(
            "edge_clm_notices",
            "Earlier captures that an answer told of",
            ["kind"],
            registry=self.registry,
        )
        self._kept = Gauge(
            "edge_clm_store_items", "What the store keeps", ["kind"], registry=self.registry
        )
        self._queue = Gauge(
            "edge_clm_queue_depth", "Requests that wait for the engine", registry=self.registry
        )
        self._restarts = Gauge(
            "edge_clm_engine_restarts", "Engine processes started anew", registry=self.registry
        )

    def request(self, method: str, code: str, seconds: float) -> None:
        """Counts a call that ended."""
        self._requests.labels(method, code).inc()
        self._seconds.labels(method).observe(seconds)

    def answer(self, answer: Answer) -> None:
        """Counts an answer: its mode, its stages, and the tokens that the model went through for it."""
        mode = answer.mode.value
        self._answers.labels(mode, answer.outcome.value, answer.finish.value).inc()
        for stage in answer.stages:
            self._stages.labels(stage.name, mode).observe(stage.ms / 1000)
        # A page state that was in memory cost nothing, and a replay not even an answer.
        if answer.mode is ServeMode.COLD:
            self._tokens.labels("page").inc(answer.prompt_tokens)
        if answer.mode is not ServeMode.REPLAY:
            self._tokens.labels("answer").inc(answer.answer_tokens)
        if drafted := answer.drafted.accepted + answer.drafted.rejected:
            self._tokens.labels("draft_accepted").inc(answer.drafted.accepted)
            self._tokens.labels("draft_rejected").inc(drafted - answer.drafted.accepted)
        for notice in answer.notices:
            self._notices.labels(notice.kind.value).inc()

    def calls(self) -> list[tuple[str, str, int]]:
        """Method, status and number of the calls that ended, every pair that there was."""
        (family,) = self._requests.collect()
        return [
            (sample.labels["method"], sample.labels["code"], int(sample.value))
            for sample in family.samples
            if sample.name.endswith("_total")
        ]

    def watch(
        self,
        *,
        queue_depth: Callable[[], int],
        engine_restarts: Callable[[], int],
        memory_faults: Callable[[], int],
    ) -> None:
        """Reads these at every scrape."""
        self._queue.set_function(queue_depth)
        self._restarts.set_function(engine_restarts)
        self.registry.register(_Faults(memory_faults))

    @asynccontextmanager
    async def serving(self, address: str, counts: Counts) -> AsyncIterator[str]:
        """Answers GET /metrics at a loopback `address` while entered; yields the bound address.

        Raises AddressUnsafe for any other address and AddressTaken where somebody listens already.
        """
        host, port = loopback(address, "server.metrics")

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                async with asyncio.timeout(_PATIENCE_S):
                    head = await reader.readuntil(b"\r\n\r\n")
                    writer.write(await self._respond(head.partition(b"\r\n")[0], counts))
                    await writer.drain()
            except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
                return  # A scraper that went away or sent no request; it will come again.
            finally:
                writer.close()

        try:
            server = await asyncio.start_server(answer, host, port, limit=_LONGEST_HEAD)
        except OSError as error:
            raise AddressTaken(f"{address}: {error.strerror}", field="server.metrics") from error
        async with server:
            yield joined(host, server.sockets[0].getsockname()[1])

    async def _respond(self, request: bytes, counts: Counts) -> bytes:
        method, _, rest = request.partition(b" ")
        if method != b"GET":
            return _response("405 Method Not Allowed", "text/plain", b"only GET\n")
        if rest.partition(b" ")[0] != b"/metrics":
            return _response("404 Not Found", "text/plain", b"see /metrics\n")
        try:
            for kind, count in (await counts()).items():
                self._kept.labels(kind).set(count)
        except StoreUnavailable:
            # Better no figure than an old one.
            self._kept.clear()
        return _response("200 OK", CONTENT_TYPE_LATEST, generate_latest(self.registry))


class _Faults(Collector):
    """A counter that somebody else counts; the library's own can only be added to."""

    def __init__(self, faults: Callable[[], int]) -> None:
        self._faults = faults

    def collect(self) -> Iterable[Metric]:
        """The count as it stands."""
        yield CounterMetricFamily(
            "edge_clm_memory_faults",
            "Times memory could not be reached and was done without",
            value=self._faults(),
        )


def _response(status: str, media_type: str, body: bytes) -> bytes:
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
