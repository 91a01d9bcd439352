"""Health as grpc.health.v1 tells it: SERVING is said only when a question would be answered now."""

from __future__ import annotations

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

SERVICES = ("", "edge_clm.v1.EdgeClmService")
"""The whole daemon, and its one service."""


class Health:
    """The daemon's health; NOT_SERVING from the start, so make it before the server binds."""

    def __init__(self) -> None:
        self._servicer = health.aio.HealthServicer()  # type: ignore[attr-defined]  # not in its stubs
        self.is_serving = False

    async def register(self, server: grpc.aio.Server) -> None:
        """Adds Check and Watch to `server`."""
        # The library starts out SERVING.
        await self.not_serving()
        health_pb2_grpc.add_HealthServicer_to_server(self._servicer, server)

    async def serving(self) -> None:
        """Says that questions are answered."""
        self.is_serving = True
        await self._set(health_pb2.HealthCheckResponse.SERVING)

    async def not_serving(self) -> None:
        """Says that questions are not answered for now."""
        self.is_serving = False
        await self._set(health_pb2.HealthCheckResponse.NOT_SERVING)

    async def drain(self) -> None:
        """Says NOT_SERVING, for good."""
        self.is_serving = False
        await self._servicer.enter_graceful_shutdown()

    async def _set(self, status: health_pb2.HealthCheckResponse.ServingStatus) -> None:
        for service in SERVICES:
            await self._servicer.set(service, status)
