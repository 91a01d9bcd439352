"""What SQLite and the file system report, as the errors that callers know."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from edge_clm.errors import DiskFull, EdgeClmError, InternalFault, StoreUnavailable

_FULL = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE})
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_OUT_OF_REACH = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_AUTH,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_INTERRUPT,
    }
)
_PRIMARY = 0xFF
"""The low byte of an extended result code is the code it refines."""


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turns what SQLite or the file system raises over `path` into StoreUnavailable, DiskFull or InternalFault."""
    try:
        yield
    except sqlite3.Error as error:
        raise _of_sqlite(error, path) from error
    except OSError as error:
        raise _of_system(error, path) from error


def damaged(path: Path) -> StoreUnavailable:
    """The error for a database that is no longer what was written."""
    return StoreUnavailable(
        f"{path} is damaged; move it away (with its -wal and -shm) or restore a copy of it, then start again"
    )


def _of_sqlite(error: sqlite3.Error, path: Path) -> EdgeClmError:
    # Python's own complaints carry no code; they are faults of ours, not of the disk.
    code = int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_MISUSE))
    name = getattr(error, "sqlite_errorname", type(error).__name__)
    if code in _FULL:
        return DiskFull(f"no room for {path}")
    if code & _PRIMARY in _DAMAGED:
        return damaged(path)
    if code & _PRIMARY in _OUT_OF_REACH:
        return StoreUnavailable(f"{path} cannot be used now ({name})")
    return InternalFault(f"{path} refused a statement ({name})")


def _of_system(error: OSError, path: Path) -> EdgeClmError:
    if error.errno in _NO_ROOM:
        return DiskFull(f"no room in {path}")
    return StoreUnavailable(f"{path} cannot be used now ({error.strerror})")
