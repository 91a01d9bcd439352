"""The layers around every call, outermost first: errors, record, identity, gate, reading."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from functools import partial
from typing import Any, TypeAlias

import grpc
import structlog
from google.protobuf.message import DecodeError

from edge_clm.errors import Cancelled, EdgeClmError, RequestInvalid
from edge_clm.server import errors
from edge_clm.server.auth import Authenticator
from edge_clm.server.call import HEALTH, OURS, Call, Context, begin, current, request_id
from edge_clm.server.gate import Gate
from edge_clm.server.metrics import Metrics

log = structlog.get_logger(__name__)

Around = Callable[[str, Context], AbstractAsyncContextManager[None]]
"""What a layer does: entered before a handler runs, left after, given the method and the context."""

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"


class Layer(grpc.aio.ServerInterceptor):  # type: ignore[type-arg]  # generic in its stubs alone
    """One layer around the handlers of all four kinds of call."""

    def __init__(self, around: Around) -> None:
        self._around = around

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Wraps the handler of a known method; gRPC refuses an unknown one itself."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return handler
        return _wrap(handler, partial(self._around, handler_call_details.method))


def layers(
    metrics: Metrics, authenticator: Authenticator, gate: Gate
) -> Sequence[grpc.aio.ServerInterceptor]:  # type: ignore[type-arg]  # generic in its stubs alone
    """All layers in the order in which gRPC wants them, outermost first."""
    recorder = Recorder(metrics)
    return [
        Layer(errors.mapped),
        Layer(recorder.around),
        Layer(authenticator.around),
        Layer(gate.around),
        LateReader(),
    ]


class LateReader(grpc.aio.ServerInterceptor):  # type: ignore[type-arg]  # generic in its stubs alone
    """Lets the layers around it judge a call before its request is read.

    gRPC reads a lone request, file and all, before it runs a handler, so callers without a token or
    beyond the gate's number would fill the memory. A stream is only read when asked for, and on the
    wire a lone request is a stream of one.
    """

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Makes the handler of one of our methods take a stream of one request."""
        handler = await continuation(handler_call_details)
        ours = handler_call_details.method.startswith(OURS)
        if handler is None or not ours:
            return handler
        return _parsing(handler) if handler.request_streaming else _reading_late(handler)


def _parsing(handler: Handler) -> Any:
    """The handler of a stream of requests, which parses them while it runs."""
    make, behaviour = _kind(handler)

    async def parsed(requests: Any, context: Context) -> Any:
        try:
            return await behaviour(requests, context)
        except DecodeError as error:
            raise RequestInvalid("a request is no message of the contract") from error

    return make(parsed, handler.request_deserializer, handler.response_serializer)


def _reading_late(handler: Handler) -> Any:
    _, behaviour = _kind(handler)
    make: Callable[..., Any] = grpc.stream_unary_rpc_method_handler
    if handler.response_streaming:
        make = grpc.stream_stream_rpc_method_handler
    parse: Callable[[bytes], Any] = handler.request_deserializer  # type: ignore[assignment]

    async def read_late(requests: AsyncIterator[bytes], context: Context) -> Any:
        request = await _only(context, parse)
        current().whole = True
        return await behaviour(request, context)

    return make(read_late, None, handler.response_serializer)


async def _only(context: Context, parse: Callable[[bytes], Any]) -> Any:
    # Not by the stream's own iterator: left half-way, it holds the file until a garbage collection.
    request: Any = await context.read()
    if request is grpc.aio.EOF:  # type: ignore[attr-defined]  # unknown to its stubs
        if context.cancelled():
            raise Cancelled("the caller went away while it sent the request")
        raise RequestInvalid("the call came without a request")
    try:
        return parse(request)
    except DecodeError as error:
        raise RequestInvalid("the request is no message of the contract") from error


def _wrap(handler: Handler, around: Callable[[Context], AbstractAsyncContextManager[None]]) -> Any:
    make, behaviour = _kind(handler)

    async def whole(request: Any, context: Context) -> Any:
        async with around(context):
            return await behaviour(request, context)

    async def yielding(request: Any, context: Context) -> AsyncIterator[Any]:
        async with around(context), aclosing(behaviour(request, context)) as responses:
            async for response in responses:
                yield response

    wrapped = yielding if inspect.isasyncgenfunction(behaviour) else whole
    return make(wrapped, handler.request_deserializer, handler.response_serializer)


def _kind(handler: Handler) -> tuple[Callable[..., Any], Callable[..., Any]]:
    found: Any = handler
    match (handler.request_streaming, handler.response_streaming):
        case (False, False):
            return grpc.unary_unary_rpc_method_handler, found.unary_unary
        case (False, True):
            return grpc.unary_stream_rpc_method_handler, found.unary_stream
        case (True, False):
            return grpc.stream_unary_rpc_method_handler, found.stream_unary
        case _:
            return grpc.stream_stream_rpc_method_handler, found.stream_stream


class Recorder:
    """Gives every call its id, and writes one line and one sample when it ends."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    @asynccontextmanager
    async def around(self, method: str, context: Context) -> AsyncIterator[None]:
        """Records the call that runs inside."""
        call = Call(method, request_id(context), asyncio.get_running_loop().time())
        begin(call)
        structlog.contextvars.bind_contextvars(request_id=call.request_id)
        context.set_trailing_metadata((("x-request-id", call.request_id),))
        code, reason = "OK", ""
        try:
            yield
        except BaseException as error:
            code, reason = _outcome(error, context)
            raise
        finally:
            self._record(call, code, reason)

    def _record(self, call: Call, code: str, reason: str) -> None:
        seconds = asyncio.get_running_loop().time() - call.started
        name = call.method.rpartition("/")[2]
        self._metrics.request(name, code, seconds)
        write = log.error if code == "INTERNAL" else log.info
        if call.method.startswith(HEALTH):
            write = log.debug
        write(
            "request",
            method=name,
            code=code,
            reason=reason,
            ms=round(seconds * 1000, 2),
            tenant=call.tenant,
            received=call.received,
            serve_mode=call.mode,
        )


def _outcome(error: BaseException, context: Context) -> tuple[str, str]:
    if isinstance(error, EdgeClmError):
        return error.code, error.reason
    if isinstance(error, grpc.aio.AbortError):
        return _code_name(context.code()), ""
    return ("INTERNAL", "INTERNAL") if isinstance(error, Exception) else ("CANCELLED", "")


def _code_name(code: grpc.StatusCode | int) -> str:
    """A context tells its code as an enum or as the bare number, depending on who set it."""
    named = {status.value[0]: status.name for status in grpc.StatusCode}
    return code.name if isinstance(code, grpc.StatusCode) else named[code]
