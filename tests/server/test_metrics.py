"""What Prometheus reads."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from edge_clm.errors import AddressTaken, AddressUnsafe, StoreUnavailable
from edge_clm.server.metrics import Metrics
from edge_clm.types import ServeMode
from tests.server.house import an_answer, asking, bearer, house, refused


async def fetch(address: str, request: str = "GET /metrics HTTP/1.1\r\n\r\n") -> str:
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        writer.write(request.encode())
        return (await asyncio.wait_for(reader.read(), 10)).decode()
    finally:
        writer.close()
        await writer.wait_closed()


async def test_calls_are_counted_by_method_and_outcome(tmp_path: Path) -> None:
    """Counters, stage clocks and store counts are there; no name of a tenant or a document is."""
    async with house(tmp_path, server={"metrics": "127.0.0.1:0"}) as at:
        bound = await at.serving()
        stub = at.stub()
        await stub.Ask(asking(), metadata=bearer(at.token))
        await refused(stub.Ask(asking("")))
        at.parts.engine.restarts = 2
        at.parts.breaker.faults = 3
        at.parts.admission.waiting, at.parts.decoding.waiting = 2, 1
        text = await fetch(bound.metrics)
    assert text.startswith("HTTP/1.1 200 OK\r\nContent-Type: text/plain")
    for line in (
        'edge_clm_requests_total{code="OK",method="Ask"} 1.0',
        'edge_clm_requests_total{code="INVALID_ARGUMENT",method="Ask"} 1.0',
        'edge_clm_stage_seconds_count{serve_mode="warm",stage="generate"} 1.0',
        'edge_clm_answers_total{finish="stop",outcome="answered",serve_mode="warm"} 1.0',
        'edge_clm_tokens_total{kind="answer"} 5.0',
        'edge_clm_tokens_total{kind="draft_accepted"} 3.0',
        'edge_clm_tokens_total{kind="draft_rejected"} 2.0',
        'edge_clm_notices_total{kind="changed"} 1.0',
        'edge_clm_store_items{kind="snapshots"} 4.0',
        "edge_clm_queue_depth 3.0",
        "edge_clm_engine_restarts 2.0",
        "edge_clm_memory_faults_total 3.0",
    ):
        assert f"{line}\n" in text
    for name in ("acme", "local", "c_1", "a_1"):
        assert name not in text


@pytest.mark.parametrize(
    ("mode", "page", "answer"),
    [
        (ServeMode.COLD, 40, 5),
        (ServeMode.WARM, None, 5),
        (ServeMode.VERIFIED, None, 5),
        (ServeMode.REPLAY, None, None),
    ],
)
def test_tokens_count_what_the_model_went_through(
    mode: ServeMode, page: int | None, answer: int | None
) -> None:
    """A page state from memory costs no page tokens, and a remembered answer none at all."""
    metrics = Metrics()
    metrics.answer(an_answer("4", mode=mode, prompt_tokens=40, answer_tokens=5))
    read = metrics.registry.get_sample_value
    assert read("edge_clm_tokens_total", {"kind": "page"}) == page
    assert read("edge_clm_tokens_total", {"kind": "answer"}) == answer
    kinds = {"serve_mode": mode.value, "outcome": "answered", "finish": "stop"}
    assert read("edge_clm_answers_total", kinds) == 1


async def test_two_daemons_count_for_themselves() -> None:
    """Each has a registry of its own, so building a second one is no clash of names."""
    first, second = Metrics(), Metrics()
    first.request("Ask", "OK", 0.1)
    labels = {"method": "Ask", "code": "OK"}
    assert first.registry.get_sample_value("edge_clm_requests_total", labels) == 1
    assert second.registry.get_sample_value("edge_clm_requests_total", labels) is None


async def test_only_loopback_is_told() -> None:
    """Metrics are served to this machine alone, and to one server at a time."""
    metrics = Metrics()
    with pytest.raises(AddressUnsafe):
        async with metrics.serving("0.0.0.0:0", unreachable):
            pass
    async with metrics.serving("127.0.0.1:0", unreachable) as address:
        with pytest.raises(AddressTaken):
            async with Metrics().serving(address, unreachable):
                pass


async def test_odd_requests_are_turned_away() -> None:
    """Other paths, other methods, a request without end and a store out of reach are all survived."""
    metrics = Metrics()
    async with metrics.serving("127.0.0.1:0", unreachable) as address:
        assert " 404 " in await fetch(address, "GET / HTTP/1.1\r\n\r\n")
        assert " 405 " in await fetch(address, "POST /metrics HTTP/1.1\r\n\r\n")
        assert await fetch(address, "x" * 20_000) == ""
        text = await fetch(address)
    assert " 200 OK" in text
    assert "edge_clm_store_items{" not in text


async def unreachable() -> dict[str, int]:
    raise StoreUnavailable("the database is locked")
