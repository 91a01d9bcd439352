"""An account of every call that leaves a client: begun, and how it ended."""

from __future__ import annotations

import threading
from collections import Counter
from enum import StrEnum
from typing import Any

import grpc

from bench.soak_methods import HEALTH, WATCH, methods
from edge_clm.client import ClientError


class End(StrEnum):
    """How a call ended."""

    ANSWERED = "answered"
    REFUSED = "refused"
    """By the daemon, with a reason and a remedy; or by gRPC itself, for a call that does not exist."""
    CANCELLED = "cancelled"
    """By its caller."""
    LATE = "late"
    """Its deadline passed."""
    LOST = "lost"
    """Broken off, or failed without the daemon's word."""


class Ledger(
    grpc.UnaryUnaryClientInterceptor,  # type: ignore[type-arg]  # generic in its stubs alone
    grpc.UnaryStreamClientInterceptor,  # type: ignore[type-arg]
    grpc.StreamUnaryClientInterceptor,  # type: ignore[type-arg]
):
    """Counts every call by method, each retry as a call of its own. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun: Counter[str] = Counter()
        self._ended: Counter[tuple[str, End]] = Counter()

    def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
        """One request, one response."""
        return self._follow(continuation, details, request)

    def intercept_unary_stream(self, continuation: Any, details: Any, request: Any) -> Any:
        """One request, a stream of responses."""
        return self._follow(continuation, details, request)

    def intercept_stream_unary(self, continuation: Any, details: Any, requests: Any) -> Any:
        """A stream of requests, one response."""
        return self._follow(continuation, details, requests)

    def begun(self) -> int:
        """Calls that were begun, health's left out."""
        with self._lock:
            return sum(n for method, n in self._begun.items() if not method.startswith(HEALTH))

    def ended(self, end: End) -> int:
        """Calls that ended so, health's left out."""
        with self._lock:
            return sum(
                n
                for (method, how), n in self._ended.items()
                if how is end and not method.startswith(HEALTH)
            )

    def lost(self) -> Counter[str]:
        """How many calls of each method never ended, or ended without anybody's word; health's too."""
        with self._lock:
            lost = Counter({f"{method} without an end": n for method, n in self._begun.items()})
            for (method, end), n in self._ended.items():
                lost[f"{method} without an end"] -= n
                if end is End.LOST:
                    lost[f"{method} broken off"] += n
        return +lost

    def forgotten(self) -> list[str]:
        """Methods of the contract of which not one call has come to its good end."""
        with self._lock:
            done = {method for method, how in self._ended if how is End.ANSWERED}
            if self._ended[WATCH, End.CANCELLED]:
                done.add(WATCH)
        return [one.path for one in methods() if one.path not in done]

    def rows(self) -> list[tuple[str, str, int]]:
        """Method, end and how many, sorted."""
        with self._lock:
            return sorted((method, end.value, n) for (method, end), n in self._ended.items())

    def _follow(self, continuation: Any, details: Any, request: Any) -> Any:
        with self._lock:
            self._begun[details.method] += 1
        call = continuation(details, request)
        call.add_done_callback(lambda ended: self._note(details.method, _end(ended)))
        return call

    def _note(self, method: str, end: End) -> None:
        with self._lock:
            self._ended[method, end] += 1


def _end(call: Any) -> End:
    code = call.code()
    plain = {
        grpc.StatusCode.OK: End.ANSWERED,
        grpc.StatusCode.CANCELLED: End.CANCELLED,
        # Who notices first, caller or daemon, is chance.
        grpc.StatusCode.DEADLINE_EXCEEDED: End.LATE,
        grpc.StatusCode.UNIMPLEMENTED: End.REFUSED,
    }
    return plain.get(code) or (End.REFUSED if ClientError.of(call).remedy else End.LOST)
