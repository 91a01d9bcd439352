"""How commands end: the exit codes, and errors as two plain lines instead of a traceback."""

from __future__ import annotations

import os
import sys
from typing import IO, Any

import click

from edge_clm.cli.naming import escaped
from edge_clm.errors import EdgeClmError

REFUSED = 1
UNREACHABLE = 3
BUSY = 4
INTERRUPTED = 130
PIPE_CLOSED = 141

_EXITS = {
    "UNAVAILABLE": UNREACHABLE,
    "RESOURCE_EXHAUSTED": BUSY,
    "DEADLINE_EXCEEDED": BUSY,
}


class Failure(click.ClickException):
    """A command that could not do what was asked; shown as reason, message and remedy."""

    def __init__(
        self,
        *,
        reason: str,
        code: str,
        message: str,
        remedy: str = "",
        retry_after_s: float | None = None,
    ) -> None:
        """`code` is the name of a gRPC status and decides the exit code."""
        super().__init__(message)
        self.reason = reason
        self.remedy = remedy
        self.retry_after_s = retry_after_s
        self.exit_code = _EXITS.get(code, REFUSED)  # type: ignore[misc]

    def show(self, file: IO[Any] | None = None) -> None:
        """Writes the failure to standard error."""
        message = "\n".join(map(escaped, self.message.split("\n")))
        click.echo(f"edge-clm: {self.reason}: {message}", file=file, err=True)
        if self.remedy:
            click.echo(f"remedy: {self.remedy}", file=file, err=True)
        if self.retry_after_s:
            click.echo(f"retry after: {self.retry_after_s:g} s", file=file, err=True)


class Commands(click.Group):
    """A group whose commands fail with reason and remedy, and stop quietly when they are stopped."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; turns its errors into exit codes."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except EdgeClmError as error:
            raise Failure(
                reason=error.reason, code=error.code, message=error.message, remedy=error.remedy
            ) from error
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            _forget_stdout()
            ctx.exit(PIPE_CLOSED)
        except OSError as error:
            raise _refused(error) from error
        return result


def _refused(error: OSError) -> Failure:
    """What the system refused; where it names no file, that was the output."""
    if error.filename is None:
        _forget_stdout()
    return Failure(
        reason="SYSTEM_REFUSED",
        code="FAILED_PRECONDITION",
        message=f"{error.filename or 'input or output'}: {error.strerror or error}",
        remedy="Free space, or choose a place that you may write to.",
    )


def _forget_stdout() -> None:
    """Lets the interpreter's last flush go nowhere: nobody takes the output any more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
