"""What the layers around a call learn about it, for each other and for the log."""

from __future__ import annotations

import math
import re
import secrets
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import grpc

Context = grpc.aio.ServicerContext[Any, Any]

HEALTH = "/grpc.health.v1.Health/"
OURS = "/edge_clm."
ADMIN = "/edge_clm.v1.EdgeClmAdminService/"

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(slots=True)
class Call:
    """One call; each layer fills in what it finds out."""

    method: str
    """Full name, /package.Service/Method."""
    request_id: str
    """The caller's own, or one made here."""
    started: float
    """In the event loop's time."""
    tenant: str = ""
    deadline: float = math.inf
    """In the event loop's time."""
    whole: bool = False
    """True once all of the request has come in."""
    received: int = 0
    """Bytes of image received."""
    mode: str = ""
    """Serve mode of the answer, where one was given."""


_CURRENT: ContextVar[Call] = ContextVar("edge_clm_call")


def begin(call: Call) -> None:
    """Makes `call` the one that this task serves; gRPC gives every call a task of its own."""
    _CURRENT.set(call)


def current() -> Call:
    """The call that this task serves."""
    return _CURRENT.get()


def header(context: Context, name: str) -> list[str]:
    """Every value of a metadata key, in order."""
    return [str(value) for key, value in context.invocation_metadata() or () if key == name]


def request_id(context: Context) -> str:
    """The caller's x-request-id if it is short and harmless to log, else a new one."""
    given = header(context, "x-request-id")
    if len(given) == 1 and _REQUEST_ID.fullmatch(given[0]):
        return given[0]
    return secrets.token_hex(8)
