"""A client whose every call is written down, with the calls that devices do not make."""

from __future__ import annotations

from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from bench.soak_ledger import Ledger
from bench.soak_methods import Method
from edge_clm.client import Client, ClientError
from edge_clm.v1 import edge_clm_pb2_grpc


def said(response: health_pb2.HealthCheckResponse) -> str:
    """SERVING, NOT_SERVING or what else health says."""
    name: str = health_pb2.HealthCheckResponse.ServingStatus.Name(response.status)
    return name


class Caller(Client):
    """A Client that keeps a ledger of its calls; safe to share between threads."""

    def __init__(
        self, address: str, ledger: Ledger, token: str | None = None, timeout_s: float = 300.0
    ) -> None:
        super().__init__(address, token, timeout_s)
        self._written: Any = grpc.intercept_channel(self._channel, ledger)
        self._stub = edge_clm_pb2_grpc.EdgeClmServiceStub(self._written)  # type: ignore[no-untyped-call]
        self._health = health_pb2_grpc.HealthStub(self._written)

    def watch_health(self) -> Any:
        """The call of a watch: yields what health says, until it is cancelled."""
        return self._health.Watch(health_pb2.HealthCheckRequest(), timeout=self._timeout_s)

    def send(self, method: Method, body: bytes) -> bytes:
        """Sends `body` as the request of `method`, as it is; an empty one says nothing at all.

        Returns the first message of the response; raises ClientError.
        """
        kind = self._written.stream_unary if method.takes_stream else self._written.unary_unary
        request: Any = iter([body]) if method.takes_stream else body
        try:
            response: bytes = kind(method.path, None, None)(
                request, timeout=self._timeout_s, metadata=self._metadata
            )
        except grpc.RpcError as error:
            raise ClientError.of(error) from error
        return response
