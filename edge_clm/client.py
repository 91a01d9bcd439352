"""A client for devices and the command line: blocking calls, clear errors, safe retries."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypedDict, TypeVar, Unpack

import grpc
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status

from edge_clm.channel import Security, connect
from edge_clm.v1 import admin_pb2, admin_pb2_grpc, edge_clm_pb2_grpc
from edge_clm.v1 import edge_clm_pb2 as pb

T = TypeVar("T")

CHUNK = 256 * 1024
"""Bytes of one message of an upload."""

_SURELY_FITS = 1024 * 1024
_HEADROOM = 64 * 1024
_FEW_TRIES = {"UNREACHABLE": 3, "TLS_FAILED": 0, "DISK_FULL": 2, "STORE_UNAVAILABLE": 2}
"""How often to try again where waiting seldom helps, and silence would hide what is wrong."""
_LONGEST_PAUSE_S = 2.0

_DISTRUST = {
    "CERTIFICATE_VERIFY_FAILED": "its certificate is not vouched for, or its time has passed",
    "Hostname Verification": "its certificate is for another name",
    "WRONG_VERSION_NUMBER": "it speaks no TLS",
}
"""What gRPC's words mean where it was we who did not take the daemon for who it should be."""
_TRUST = "Name with `ca` the authority of its certificate, and call it by a name that is in there."


class PageWish(TypedDict, total=False):
    """What every call about a page can say; the contract's own meanings and defaults."""

    image: bytes | None
    """The file; this or a handle is needed, and both at once are a ValueError."""
    handle: str
    page: int
    """Of a PDF or TIFF, from 1; 0 for the whole document."""
    fresh: bool
    no_store: bool
    max_age_s: float
    timeout_s: float | None
    """Seconds for the whole call, retries included; None for the client's own."""


class Wish(PageWish, total=False):
    """What a question can say beside its words."""

    max_tokens: int
    temperature: float
    seed: int


class ClientError(Exception):
    """A call that failed, with the daemon's own words about it where it had any."""

    def __init__(
        self,
        reason: str,
        code: str,
        message: str,
        remedy: str = "",
        retry_after_s: float | None = None,
    ) -> None:
        """`reason` is stable; where no daemon spoke it is UNREACHABLE, TLS_FAILED or else `code`."""
        super().__init__(f"{message} ({reason})")
        self.reason = reason
        self.code = code
        self.message = message
        self.remedy = remedy
        self.retry_after_s = retry_after_s

    @classmethod
    def of(cls, error: grpc.RpcError) -> ClientError:
        """Reads what a failed call tells."""
        call: Any = error
        code, message = call.code().name, call.details() or ""
        status = None
        with suppress(ValueError):
            # Status and details disagree only where something between us and the daemon spoke.
            status = rpc_status.from_call(call)
        if status is None:
            return cls._unexplained(code, message)
        info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
        wait = None
        for detail in status.details:
            detail.Unpack(info)
            if detail.Unpack(retry):
                wait = retry.retry_delay.ToMilliseconds() / 1000
        return cls(info.reason or code, code, message, info.metadata["remedy"], wait)

    @classmethod
    def _unexplained(cls, code: str, message: str) -> ClientError:
        if code != "UNAVAILABLE":
            return cls(code, code, message)
        found = next((said for word, said in _DISTRUST.items() if word in message), "")
        if found:
            return cls("TLS_FAILED", code, f"the daemon is not to be trusted: {found}", _TRUST)
        return cls("UNREACHABLE", code, message)

    def pause_s(self, tries: int) -> float | None:
        """Seconds to wait before the next try after `tries` of them; None where none would help."""
        if tries >= _FEW_TRIES.get(self.reason, math.inf):
            return None
        if self.code == "UNAVAILABLE" or self.retry_after_s is not None:
            growing: float = min(0.1 * 2**tries, _LONGEST_PAUSE_S)
            # Spread out, so that all who were turned away at once do not come back at once.
            spread = random.uniform(1.0, 1.2)  # noqa: S311
            return max(growing, self.retry_after_s or 0.0) * spread
        return None


class Client:
    """Calls one daemon; a context manager that closes the connection.

    `address` is unix:/path or host:port. Every call may take `timeout_s` seconds, retries included,
    and raises ClientError. Safe to share between threads.
    """

    def __init__(
        self,
        address: str,
        token: str | None = None,
        timeout_s: float = 300.0,
        *,
        tls: bool | None = None,
        ca: str | Path | None = None,
        certificate: str | Path | None = None,
        key: str | Path | None = None,
    ) -> None:
        """A TCP address beyond this machine is called with TLS unless `tls` is False.

        PEM files: `ca` vouches for the daemon, in place of the public authorities; `certificate` and
        its `key` say who calls. Naming one means TLS on this machine, too. Raises ValueError for
        wishes that contradict each other, and CertificateUnusable for a file that cannot be used.
        """
        files = (Path(path) if path else None for path in (ca, certificate, key))
        self._timeout_s = timeout_s
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self._channel = connect(address, Security(tls, *files))
        self._stub: Any = edge_clm_pb2_grpc.EdgeClmServiceStub(self._channel)  # type: ignore[no-untyped-call]
        self._admin: Any = admin_pb2_grpc.EdgeClmAdminServiceStub(self._channel)  # type: ignore[no-untyped-call]
        self._health: Any = health_pb2_grpc.HealthStub(self._channel)
        self._largest = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection; calls under way fail."""
        self._channel.close()

    def ask(self, question: str, **wish: Unpack[Wish]) -> pb.Answer:
        """Answers one question about a page, given as a file's bytes or as a handle."""
        until, fields = self._fields(wish)
        request = pb.AskRequest(question=question, **fields)
        answer: pb.Answer = self._call(self._stub.Ask, request, until).answer
        return answer

    def ask_stream(self, question: str, **wish: Unpack[Wish]) -> Iterator[str | pb.Answer]:
        """Yields the pieces of an answer's text, then the whole answer.

        Leaving early stops the daemon's work. Retried only as long as nothing has come.
        """
        until, fields = self._fields(wish)
        return self._stream(pb.AskStreamRequest(question=question, **fields), until)

    def describe(self, **wish: Unpack[Wish]) -> pb.Answer:
        """Says what a page shows."""
        until, fields = self._fields(wish)
        answer: pb.Answer = self._call(
            self._stub.Describe, pb.DescribeRequest(**fields), until
        ).answer
        return answer

    def extract(self, **wish: Unpack[PageWish]) -> pb.ExtractResponse:
        """Reads the fields and tables of a document, of all its pages unless one is named."""
        until, fields = self._reading(wish, PageWish)
        response: pb.ExtractResponse = self._call(
            self._stub.Extract, pb.ExtractRequest(**fields), until
        )
        return response

    def put_capture(self, data: bytes, *, timeout_s: float | None = None) -> pb.PutCaptureResponse:
        """Uploads a file in pieces; the handle that it returns names it in later calls."""
        return self._upload(data, self._until(timeout_s))

    def info(self, *, timeout_s: float | None = None) -> pb.GetInfoResponse:
        """Tells what the daemon is, what it accepts and which models it runs."""
        return self._info(self._until(timeout_s))

    def feedback(
        self, answer_id: str, right: bool, correction: str = "", *, timeout_s: float | None = None
    ) -> None:
        """Says whether an answer was right; a wrong one is never given again from memory."""
        judgement = pb.JUDGEMENT_RIGHT if right else pb.JUDGEMENT_WRONG
        request = pb.FeedbackRequest(
            answer_id=answer_id, judgement=judgement, correction=correction
        )
        self._call(self._stub.Feedback, request, self._until(timeout_s))

    def stats(
        self, *, by_tenant: bool = False, timeout_s: float | None = None
    ) -> admin_pb2.StatsResponse:
        """The daemon's numbers, for operators; those of each tenant only where they are asked for."""
        request = admin_pb2.StatsRequest(by_tenant=by_tenant)
        response: admin_pb2.StatsResponse = self._call(
            self._admin.Stats, request, self._until(timeout_s)
        )
        return response

    def explain(self, name: str, *, timeout_s: float | None = None) -> admin_pb2.ExplainResponse:
        """How one of the last answers came about, by request id or answer id; for operators."""
        request = admin_pb2.ExplainRequest(id=name)
        response: admin_pb2.ExplainResponse = self._call(
            self._admin.Explain, request, self._until(timeout_s)
        )
        return response

    def health(self, *, timeout_s: float = 5.0) -> str:
        """SERVING or NOT_SERVING; raises ClientError UNREACHABLE where no daemon listens."""
        request = health_pb2.HealthCheckRequest()
        try:
            status = self._health.Check(request, timeout=timeout_s).status
        except grpc.RpcError as error:
            raise ClientError.of(error) from error
        name: str = health_pb2.HealthCheckResponse.ServingStatus.Name(status)
        return name

    def wait_ready(self, timeout_s: float = 60.0) -> None:
        """Returns once health says SERVING; raises ClientError DEADLINE_EXCEEDED after `timeout_s`."""
        until = time.monotonic() + timeout_s
        while time.monotonic() < until:
            try:
                if self.health(timeout_s=until - time.monotonic()) == "SERVING":
                    return
            except ClientError as error:
                if error.reason not in ("UNREACHABLE", "DEADLINE_EXCEEDED"):
                    raise
            time.sleep(0.05)
        raise ClientError(
            "DEADLINE_EXCEEDED",
            "DEADLINE_EXCEEDED",
            f"the daemon did not become ready within {timeout_s:g} s",
            "See the daemon's log.",
        )

    def _until(self, timeout_s: float | None) -> float:
        return time.monotonic() + (self._timeout_s if timeout_s is None else timeout_s)

    def _reading(self, wish: PageWish, known: type[PageWish]) -> tuple[float, dict[str, Any]]:
        """Until when, and the fields that every request about a page has."""
        if unknown := set(wish) - set(known.__annotations__):
            raise TypeError(f"unknown keyword {min(unknown)!r}")
        until = self._until(wish.get("timeout_s"))
        reuse = pb.Reuse(
            fresh=wish.get("fresh", False),
            no_store=wish.get("no_store", False),
            max_age_s=wish.get("max_age_s", 0.0),
        )
        return until, {"page": self._page(wish, until), "reuse": reuse}

    def _fields(self, wish: Wish) -> tuple[float, dict[str, Any]]:
        until, fields = self._reading(wish, Wish)
        generation = pb.Generation(
            max_tokens=wish.get("max_tokens", 0),
            temperature=wish.get("temperature", 0.0),
            seed=wish.get("seed", 0),
        )
        return until, {**fields, "generation": generation}

    def _page(self, wish: PageWish, until: float) -> pb.Page:
        image, handle, number = wish.get("image"), wish.get("handle", ""), wish.get("page", 0)
        if image is not None and handle:
            raise ValueError("the page is given twice: as image and as handle")
        if image is None:
            return pb.Page(handle=handle, number=number)
        if len(image) > _SURELY_FITS and len(image) > self._largest_image(until):
            return pb.Page(handle=self._upload(image, until).handle, number=number)
        return pb.Page(image=image, number=number)

    def _largest_image(self, until: float) -> int:
        """Bytes of the largest image that fits into a message beside everything else."""
        if not self._largest:
            self._largest = self._info(until).limits.max_message_bytes - _HEADROOM
        return self._largest

    def _info(self, until: float) -> pb.GetInfoResponse:
        response: pb.GetInfoResponse = self._call(self._stub.GetInfo, pb.GetInfoRequest(), until)
        return response

    def _upload(self, data: bytes, until: float) -> pb.PutCaptureResponse:
        def send(timeout_s: float) -> pb.PutCaptureResponse:
            response: pb.PutCaptureResponse = self._stub.PutCapture(
                _chunks(data), timeout=timeout_s, metadata=self._metadata
            )
            return response

        return _persist(send, until)

    def _call(self, method: Any, request: Any, until: float) -> Any:
        def send(timeout_s: float) -> Any:
            return method(request, timeout=timeout_s, metadata=self._metadata)

        return _persist(send, until)

    def _stream(self, request: pb.AskStreamRequest, until: float) -> Iterator[str | pb.Answer]:
        def begin(timeout_s: float) -> tuple[Any, Any]:
            call = self._stub.AskStream(request, timeout=timeout_s, metadata=self._metadata)
            return call, next(call)

        call, response = _persist(begin, until)
        try:
            while response is not None:
                yield response.answer if response.HasField("answer") else response.delta
                response = next(call, None)
        except grpc.RpcError as error:
            raise ClientError.of(error) from error
        finally:
            call.cancel()


def _chunks(data: bytes) -> Iterator[pb.PutCaptureRequest]:
    for start in range(0, len(data), CHUNK):
        yield pb.PutCaptureRequest(chunk=data[start : start + CHUNK])


def _persist(send: Callable[[float], T], until: float) -> T:
    """Sends until it succeeds, fails for good, or would not be done by `until`; every call is idempotent."""
    tries = 0
    while True:
        try:
            return send(max(0.0, until - time.monotonic()))
        except grpc.RpcError as error:
            failure = ClientError.of(error)
            pause = failure.pause_s(tries)
            if pause is None or time.monotonic() + pause >= until:
                raise failure from error
        time.sleep(pause)
        tries += 1
