"""Errors as they leave the daemon: rich ones for what callers can meet, an opaque id for the rest."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NoReturn

import grpc
import structlog
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from edge_clm.errors import EdgeClmError, InternalFault
from edge_clm.server.call import Context
from edge_clm.worker import frames

DOMAIN = "edge_clm"

log = structlog.get_logger(__name__)


def to_status(error: EdgeClmError) -> status_pb2.Status:
    """The google.rpc.Status of an error: ErrorInfo, and BadRequest and RetryInfo where they apply."""
    status = status_pb2.Status(code=grpc.StatusCode[error.code].value[0], message=error.message)
    status.details.add().Pack(
        error_details_pb2.ErrorInfo(
            reason=error.reason, domain=DOMAIN, metadata={"remedy": error.remedy}
        )
    )
    if error.field:
        violation = error_details_pb2.BadRequest.FieldViolation(
            field=error.field, description=error.message, reason=error.reason
        )
        status.details.add().Pack(error_details_pb2.BadRequest(field_violations=[violation]))
    if error.retry_after_s is not None:
        delay = Duration()
        delay.FromMilliseconds(max(0, round(error.retry_after_s * 1000)))
        status.details.add().Pack(error_details_pb2.RetryInfo(retry_delay=delay))
    return status


def veil(error: Exception) -> InternalFault:
    """Logs type and place of an unexpected error under a new id, and returns what a caller may see.

    The error's own text goes nowhere: it may hold a question or a page.
    """
    name = secrets.token_hex(8)
    log.error("fault", fault=name, error=type(error).__qualname__, frames=frames(error))
    return InternalFault(f"something failed inside the daemon, id {name}")


@asynccontextmanager
async def mapped(method: str, context: Context) -> AsyncIterator[None]:
    """The outermost layer of a call: nothing leaves it but a status made here or by gRPC itself."""
    try:
        yield
    except EdgeClmError as error:
        await _abort(context, error)
    except grpc.aio.AbortError:
        raise
    except Exception as error:
        await _abort(context, veil(error))


async def _abort(context: Context, error: EdgeClmError) -> NoReturn:
    # abort_with_status would drop the trailing metadata that carries the request id.
    status = rpc_status.to_status(to_status(error))
    kept = tuple(context.trailing_metadata() or ())
    await context.abort(status.code, status.details, (*kept, *status.trailing_metadata))
