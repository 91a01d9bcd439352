"""The file that a command is about, read no further than the daemon would take it."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import BinaryIO

from edge_clm.cli.catalogue import MIB
from edge_clm.cli.failures import Failure
from edge_clm.cli.naming import written
from edge_clm.errors import ImageMissing, ImageTooManyBytes

_SURELY_SMALL = 8 * MIB
"""Up to here the daemon need not be asked for its limit."""


def read_file(file: str, limit: Callable[[], int]) -> bytes:
    """The bytes of a file, or of standard input for '-'; `limit` tells the most that are taken.

    Raises Failure for a file that is empty or cannot be read, ImageTooManyBytes for one that has
    more bytes than the limit, as a device without end has.
    """
    name = "standard input" if file == "-" else written(file)
    try:
        with nullcontext(_standard_input()) if file == "-" else Path(file).open("rb") as source:
            data = _bounded(source, name, limit)
    except OSError as error:
        raise Failure(
            reason="FILE_UNREADABLE",
            code="INVALID_ARGUMENT",
            message=f"{name}: {error.strerror or 'cannot be read'}",
            remedy="Name a photo or a document that you may read.",
        ) from error
    if not data:
        raise Failure(
            reason=ImageMissing.reason,
            code=ImageMissing.code,
            message=f"{name}: the file is empty",
            remedy="Name a file that holds a photo or a document.",
        )
    return data


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise OSError(errno.EBADF, "it is closed")
    return sys.stdin.buffer


def _bounded(source: BinaryIO, name: str, limit: Callable[[], int]) -> bytes:
    data = source.read(_SURELY_SMALL)
    if data is None:  # what a non-blocking pipe says while it has nothing
        raise BlockingIOError(errno.EAGAIN, "nothing has come yet")
    if len(data) < _SURELY_SMALL:
        return data
    most = limit()
    data += source.read(max(0, most + 1 - len(data)))
    if len(data) > most:
        raise ImageTooManyBytes(f"{name} has more than {most} bytes")
    return data
