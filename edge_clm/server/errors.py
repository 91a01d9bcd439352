"""Errors as they leave the daemon: rich ones for what callers can meet, an opaque id for the rest.

What concerns the machine alone (where its files lie, what its disk said) stays in the log.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NoReturn

import grpc
import structlog
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from edge_clm.errors import EdgeClmError, InternalFault, Unavailable, Unready
from edge_clm.server.call import Context
from edge_clm.worker import frames

DOMAIN = "edge_clm"

_LOGGED = re.compile(r"\bid [0-9a-f]{16}$")
"""How the message of a fault ends whose details are in the log already."""

log = structlog.get_logger(__name__)


def to_status(error: EdgeClmError) -> status_pb2.Status:
    """The google.rpc.Status of an error: ErrorInfo, and BadRequest and RetryInfo where they apply."""
    message = public(error)
    status = status_pb2.Status(code=grpc.StatusCode[error.code].value[0], message=message)
    status.details.add().Pack(
        error_details_pb2.ErrorInfo(
            reason=error.reason, domain=DOMAIN, metadata={"remedy": error.remedy}
        )
    )
    if error.field:
        violation = error_details_pb2.BadRequest.FieldViolation(
            field=error.field, description=message, reason=error.reason
        )
        status.details.add().Pack(error_details_pb2.BadRequest(field_violations=[violation]))
    if error.retry_after_s is not None:
        delay = Duration()
        delay.FromMilliseconds(max(0, round(error.retry_after_s * 1000)))
        status.details.add().Pack(error_details_pb2.RetryInfo(retry_delay=delay))
    return status


def public(error: EdgeClmError) -> str:
    """What a caller may read of an error; for trouble of the machine's own, its kind's fixed words."""
    if not isinstance(error, Unavailable | Unready):
        return error.message
    kind, _, _ = (type(error).__doc__ or error.reason).partition("\n")
    return kind[0].lower() + kind[1:].rstrip(".")


def veil(error: Exception) -> InternalFault:
    """Logs type and place of an unexpected error under a new id, and returns what a caller may see.

    Only an error of ours keeps its text, in the log; another's may hold a question or a page.
    """
    name = secrets.token_hex(8)
    said = {"message": error.message} if isinstance(error, EdgeClmError) else {}
    log.error("fault", fault=name, error=type(error).__qualname__, frames=frames(error), **said)
    return InternalFault(f"something failed inside the daemon, id {name}")


@asynccontextmanager
async def mapped(method: str, context: Context) -> AsyncIterator[None]:
    """The outermost layer of a call: nothing leaves it but a status made here or by gRPC itself."""
    try:
        yield
    except EdgeClmError as error:
        await _abort(context, _presentable(error))
    except grpc.aio.AbortError:
        raise
    except Exception as error:
        await _abort(context, veil(error))


def _presentable(error: EdgeClmError) -> EdgeClmError:
    """The error itself, once the log has what its caller is not told."""
    if error.reason == InternalFault.reason and not _LOGGED.search(error.message):
        return veil(error)
    if public(error) != error.message:
        log.warning("withheld", reason=error.reason, message=error.message)
    return error


async def _abort(context: Context, error: EdgeClmError) -> NoReturn:
    # abort_with_status would drop the trailing metadata that carries the request id.
    status = rpc_status.to_status(to_status(error))
    kept = tuple(context.trailing_metadata() or ())
    await context.abort(status.code, status.details, (*kept, *status.trailing_metadata))
