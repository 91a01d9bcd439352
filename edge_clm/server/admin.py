"""EdgeClmAdminService: what operators ask the daemon about itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from google.protobuf.timestamp_pb2 import Timestamp

from edge_clm import __version__
from edge_clm.errors import StoreUnavailable
from edge_clm.server.accounts import Accounts
from edge_clm.server.call import Context
from edge_clm.server.health import Health
from edge_clm.server.metrics import Metrics
from edge_clm.v1 import admin_pb2 as pb
from edge_clm.v1 import admin_pb2_grpc


class Keeping(Protocol):
    """What the service needs of the store."""

    async def counts(self) -> Mapping[str, int]:
        """Rows of each kind and bytes, by name."""
        ...

    async def counts_by_tenant(self) -> Mapping[str, Mapping[str, int]]:
        """The same for each tenant, by its name."""
        ...


class Running(Protocol):
    """What it needs of the engine."""

    @property
    def silent_s(self) -> float:
        """Seconds since it was last heard."""
        ...

    @property
    def restarts(self) -> int:
        """How often it was started anew."""
        ...


class Waiting(Protocol):
    """What it needs of a queue."""

    @property
    def waiting(self) -> int:
        """Requests that wait."""
        ...

    @property
    def busy(self) -> int:
        """Requests that are worked on."""
        ...

    def expected_wait_s(self) -> float:
        """Seconds that one more would wait."""
        ...


class Breaking(Protocol):
    """What it needs of the cache breaker."""

    @property
    def reading_stopped(self) -> bool:
        """Whether nothing is looked up just now."""
        ...

    @property
    def writing_stopped(self) -> bool:
        """Whether nothing is kept just now."""
        ...

    @property
    def faults(self) -> int:
        """How often memory could not be reached."""
        ...


class Watched(Protocol):
    """Those parts of a daemon that have something to tell."""

    @property
    def store(self) -> Keeping:
        """What is kept."""
        ...

    @property
    def engine(self) -> Running:
        """The process with the models."""
        ...

    @property
    def admission(self) -> Waiting:
        """The queue for the model."""
        ...

    @property
    def decoding(self) -> Waiting:
        """The queue for unpacking."""
        ...

    @property
    def breaker(self) -> Breaking:
        """Between the daemon and its memory."""
        ...


@dataclass(frozen=True, slots=True)
class Gauges:
    """What the daemon itself knows beside its parts."""

    health: Health
    metrics: Metrics
    accounts: Accounts
    certificate_until: Callable[[], float | None]
    """When the certificate ends, in seconds since 1970; None without TLS."""


class Admin(admin_pb2_grpc.EdgeClmAdminServiceServicer):
    """Puts the daemon's numbers together; who may ask is decided in the layers around it."""

    def __init__(self, parts: Watched, gauges: Gauges) -> None:
        self._parts = parts
        self._gauges = gauges
        self._started = Timestamp()
        self._started.GetCurrentTime()
        self._since = time.monotonic()

    async def Stats(self, request: pb.StatsRequest, context: Context) -> pb.StatsResponse:
        """Tells the daemon's numbers; those of a memory that cannot be reached are left out."""
        parts, gauges = self._parts, self._gauges
        response = pb.StatsResponse(
            version=__version__,
            started=self._started,
            uptime_s=time.monotonic() - self._since,
            engine=pb.EngineStats(
                ready=gauges.health.is_serving,
                restarts=parts.engine.restarts,
                silent_s=parts.engine.silent_s,
            ),
            answering=_queue(parts.admission),
            decoding=_queue(parts.decoding),
            breaker=_breaker(parts.breaker),
            calls=[
                pb.CallStats(method=method, code=code, count=count)
                for method, code, count in gauges.metrics.calls()
            ],
            certificate_until=_moment(gauges.certificate_until()),
        )
        await self._count(response, request.by_tenant)
        return response

    async def Explain(self, request: pb.ExplainRequest, context: Context) -> pb.ExplainResponse:
        """Says how an answer came about; raises AccountUnknown."""
        account = self._gauges.accounts.of(request.id)
        return pb.ExplainResponse(
            request_id=account.request_id,
            answer_id=account.answer_id,
            tenant=account.tenant,
            method=account.method,
            given=_moment(account.given),
            serve_mode=account.mode.value,
            reasons=[
                pb.Reason(step=one.step, outcome=one.outcome, detail=one.detail)
                for one in account.reasons
            ],
            stages=[pb.Spent(name=stage.name, ms=stage.ms) for stage in account.stages],
        )

    async def _count(self, response: pb.StatsResponse, by_tenant: bool) -> None:
        try:
            kept: Mapping[str, Any] = await self._parts.store.counts()
            tenants = await self._parts.store.counts_by_tenant() if by_tenant else {}
        except StoreUnavailable:
            # The breaker's part of the answer says so; the rest is as true as ever.
            return
        response.kept.CopyFrom(pb.KeptStats(**_known(kept, pb.KeptStats)))
        for name, counts in tenants.items():
            response.tenants.add(tenant=name, **_known(counts, pb.TenantStats))


def _queue(queue: Waiting) -> pb.QueueStats:
    return pb.QueueStats(
        waiting=queue.waiting, running=queue.busy, expected_wait_s=queue.expected_wait_s()
    )


def _breaker(breaker: Breaking) -> pb.BreakerStats:
    return pb.BreakerStats(
        reading_stopped=breaker.reading_stopped,
        writing_stopped=breaker.writing_stopped,
        faults=breaker.faults,
    )


def _moment(seconds: float | None) -> Timestamp | None:
    if seconds is None:
        return None
    moment = Timestamp()
    moment.FromSeconds(int(seconds))
    return moment


def _known(counts: Mapping[str, Any], message: Any) -> dict[str, Any]:
    """Those counts that the contract has a field for; the store may come to count more."""
    fields = message.DESCRIPTOR.fields_by_name
    return {name: count for name, count in counts.items() if name in fields}
