"""Which calls a daemon offers, read off its contract, so that none is forgotten."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grpc_health.v1 import health_pb2

import edge_clm.v1

HEALTH = "/grpc.health.v1.Health/"
WATCH = f"{HEALTH}Watch"
"""The one call that never ends by itself."""
_NOT_SERVED = f"{HEALTH}List"
"""In health's contract, and not in the server that grpcio has for it."""


@dataclass(frozen=True, slots=True, order=True)
class Method:
    """A call of the contract."""

    path: str
    """/package.Service/Method."""
    takes_stream: bool
    for_operators: bool


def methods() -> list[Method]:
    """Every call: those of our contract and health's, sorted by path."""
    return sorted(one for one in {*_ours(), *_of(health_pb2)} if one.path != _NOT_SERVED)


def _ours() -> Iterator[Method]:
    for found in pkgutil.iter_modules(edge_clm.v1.__path__):
        if found.name.endswith("_pb2"):
            yield from _of(importlib.import_module(f"edge_clm.v1.{found.name}"))


def _of(module: Any) -> Iterator[Method]:
    for service in module.DESCRIPTOR.services_by_name.values():
        for one in service.methods:
            path = f"/{service.full_name}/{one.name}"
            yield Method(path, one.client_streaming, service.name.endswith("AdminService"))
