"""A real gRPC server on a real socket that speaks the contract with answers given in advance.

What is tested with it is the command line, not the daemon: what is sent, and how what comes back
is shown. The daemon has end-to-end tests of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.timestamp_pb2 import Timestamp
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status

from edge_clm.errors import EdgeClmError, NotReady
from edge_clm.v1 import admin_pb2, admin_pb2_grpc, edge_clm_pb2_grpc
from edge_clm.v1 import edge_clm_pb2 as pb


def extraction_of(**changes: Any) -> pb.ExtractResponse:
    """An invoice of one page with a total and two lines, for a test to change."""
    total = field_of("total", "42,17 EUR", pb.Value(money=pb.Money(amount="42.17", currency="EUR")))
    seller = field_of("seller", "Screw & Co", pb.Value(text="Screw & Co"))
    rows = [
        pb.Row(
            cells=[
                field_of("description", name, pb.Value(text=name)),
                field_of("quantity", "2", pb.Value(quantity=pb.Quantity(number="2"))),
                field_of("amount", amount, pb.Value(money=pb.Money(amount=amount))),
            ]
        )
        for name, amount in (("Screws", "40.00"), ("Nuts", "2.17"))
    ]
    base: dict[str, Any] = {
        "kind": pb.PAGE_KIND_INVOICE,
        "language": "en",
        "fields": [seller, total],
        "tables": [pb.Table(name="lines", rows=rows)],
    }
    pages = changes.pop("pages", [pb.PageInfo(handle="h1", number=1, count=1, width=64, height=40)])
    return pb.ExtractResponse(
        extraction=pb.Extraction(**{**base, **changes}),
        pages=pages,
        serve_mode=pb.SERVE_MODE_COLD,
        stages=[pb.Stage(name="ocr", ms=1234.5)],
    )


def field_of(name: str, raw: str, value: pb.Value | None, **changes: Any) -> pb.Field:
    """A field that was read well."""
    quad = [pb.Point(x=x, y=y) for x, y in ((1, 2), (30, 2), (30, 4), (1, 4))]
    evidence = [pb.Evidence(text=raw, quad=quad, page=1)]
    return pb.Field(
        **{"name": name, "raw": raw, "value": value, "evidence": evidence, "confidence": 0.97}
        | changes
    )


@dataclass
class Desk:
    """What the server answers, and what it was asked."""

    address: str
    answer: pb.Answer = field(default_factory=lambda: answer_of("42.17"))
    deltas: tuple[str, ...] = ("42", ".17")
    extraction: pb.ExtractResponse = field(default_factory=extraction_of)
    refusals: dict[bytes, EdgeClmError] = field(default_factory=dict)
    """What is said to an extraction of a file with these bytes, instead of an answer."""
    error: EdgeClmError | None = None
    hold: threading.Event | None = None
    """Calls wait for this, where it is given."""
    held: bytes = b""
    """Only an extraction of a file with these bytes counts as arrived and waits, where it is given."""
    asked: list[Any] = field(default_factory=list)
    uploads: list[bytes] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    arrived: threading.Event = field(default_factory=threading.Event)
    health: str = "SERVING"
    kept: bool = True
    """Whether the memory can be reached."""
    loads: bool = False
    """The first call is refused as not ready, and ends the loading."""


def answer_of(text: str, **fields: Any) -> pb.Answer:
    """A cold answer, for a test to change."""
    base: dict[str, Any] = {
        "answer_id": "a1",
        "serve_mode": pb.SERVE_MODE_COLD,
        "outcome": pb.OUTCOME_ANSWERED,
        "finish_reason": pb.FINISH_REASON_STOP,
        "page": pb.PageInfo(handle="h1", number=1, count=1, width=640, height=400),
        "stages": [pb.Stage(name="ocr", ms=1234.5), pb.Stage(name="generate", ms=6.25)],
    }
    return pb.Answer(text=text, **{**base, **fields})


class _Service(edge_clm_pb2_grpc.EdgeClmServiceServicer):
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def Ask(self, request: pb.AskRequest, context: Any) -> pb.AskResponse:
        self._enter(request, context)
        return pb.AskResponse(answer=self._desk.answer)

    def AskStream(
        self, request: pb.AskStreamRequest, context: Any
    ) -> Iterator[pb.AskStreamResponse]:
        self._enter(request, context)
        for delta in self._desk.deltas:
            yield pb.AskStreamResponse(delta=delta)
        yield pb.AskStreamResponse(answer=self._desk.answer)

    def Describe(self, request: pb.DescribeRequest, context: Any) -> pb.DescribeResponse:
        self._enter(request, context)
        return pb.DescribeResponse(answer=self._desk.answer)

    def Extract(self, request: pb.ExtractRequest, context: Any) -> pb.ExtractResponse:
        self._enter(request, context)
        if refused := self._desk.refusals.get(request.page.image):
            context.abort_with_status(rpc_status.to_status(_status(refused)))
        return self._desk.extraction

    def PutCapture(self, requests: Any, context: Any) -> pb.PutCaptureResponse:
        data = b"".join(request.chunk for request in requests)
        self._desk.uploads.append(data)
        return pb.PutCaptureResponse(handle="h1", pages=1, media_type="image/jpeg", size=len(data))

    def GetInfo(self, request: pb.GetInfoRequest, context: Any) -> pb.GetInfoResponse:
        self._enter(request, context)
        return pb.GetInfoResponse(
            version="0.1.0",
            fingerprint="ab" * 32,
            models=[pb.Model(role="vision_language", name="nano", device="cpu")],
            limits=pb.Limits(max_bytes=1024, max_deadline_s=300.0, media_types=["image/jpeg"]),
        )

    def _enter(self, request: Any, context: Any) -> None:
        self._desk.asked.append(request)
        metadata = dict(context.invocation_metadata())
        self._desk.tokens.append(metadata.get("authorization", ""))
        if not self._desk.held or self._desk.held == request.page.image:
            self._desk.arrived.set()
            if self._desk.hold:
                self._desk.hold.wait(30)
        if self._desk.loads:
            self._desk.loads, self._desk.health = False, "SERVING"
            context.abort_with_status(rpc_status.to_status(_status(NotReady("loading"))))
        if self._desk.error:
            context.abort_with_status(rpc_status.to_status(_status(self._desk.error)))


class _Admin(admin_pb2_grpc.EdgeClmAdminServiceServicer):
    def __init__(self, desk: Desk, enter: Callable[[Any, Any], None]) -> None:
        self._desk, self._enter = desk, enter

    def Stats(self, request: admin_pb2.StatsRequest, context: Any) -> admin_pb2.StatsResponse:
        self._enter(request, context)
        response = admin_pb2.StatsResponse(
            engine=admin_pb2.EngineStats(ready=True, restarts=1, silent_s=0.5),
            calls=[admin_pb2.CallStats(method="Ask", code="OK", count=7)],
        )
        if self._desk.kept:
            response.kept.captures = 3
        if request.by_tenant:
            response.tenants.add(tenant="till-1", captures=2)
        return response

    def Explain(self, request: admin_pb2.ExplainRequest, context: Any) -> admin_pb2.ExplainResponse:
        self._enter(request, context)
        return admin_pb2.ExplainResponse(
            request_id="r1",
            answer_id=request.id,
            tenant="till-1",
            method="Ask",
            given=Timestamp(seconds=1_794_477_780),
            serve_mode="warm",
            reasons=[
                admin_pb2.Reason(step="lookup", outcome="nothing_kept"),
                admin_pb2.Reason(
                    step="compare", outcome="unsure", detail="evidence: unread, ratio 1.2"
                ),
            ],
            stages=[admin_pb2.Spent(name="ocr", ms=12.25)],
        )


class _Health(health_pb2_grpc.HealthServicer):  # type: ignore[misc]
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def Check(self, request: Any, context: Any) -> health_pb2.HealthCheckResponse:
        status = health_pb2.HealthCheckResponse.ServingStatus.Value(self._desk.health)
        return health_pb2.HealthCheckResponse(status=status)


def _status(error: EdgeClmError) -> status_pb2.Status:
    info = error_details_pb2.ErrorInfo(
        reason=error.reason, domain="edge_clm", metadata={"remedy": error.remedy}
    )
    details = [_packed(info)]
    if error.retry_after_s:
        wait = duration_pb2.Duration()
        wait.FromMilliseconds(int(error.retry_after_s * 1000))
        details.append(_packed(error_details_pb2.RetryInfo(retry_delay=wait)))
    code = code_pb2.Code.Value(error.code)
    return status_pb2.Status(code=code, message=error.message, details=details)


def _packed(message: Any) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(message)
    return packed


@contextmanager
def serving(path: Path) -> Iterator[Desk]:
    """Serves at a unix socket for as long as the block lasts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    desk = Desk(f"unix:{path}")
    with ThreadPoolExecutor(4) as threads:
        server = grpc.server(threads)
        service = _Service(desk)
        edge_clm_pb2_grpc.add_EdgeClmServiceServicer_to_server(service, server)  # type: ignore[no-untyped-call]
        admin = _Admin(desk, service._enter)
        admin_pb2_grpc.add_EdgeClmAdminServiceServicer_to_server(admin, server)  # type: ignore[no-untyped-call]
        health_pb2_grpc.add_HealthServicer_to_server(_Health(desk), server)
        server.add_insecure_port(desk.address)
        server.start()
        try:
            yield desk
        finally:
            stopped = server.stop(None)
            if desk.hold:
                desk.hold.set()
            stopped.wait()
