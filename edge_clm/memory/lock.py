"""The lock that keeps two daemons from sharing one memory."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

from edge_clm.errors import AddressTaken
from edge_clm.memory.failures import translated

LOCK_NAME = "memory.lock"


class DirectoryLock:
    """Holds a directory locked; a process that is killed lets it go."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def take(cls, directory: Path) -> DirectoryLock:
        """Locks a directory, making it (closed to other users) where there is none.

        Raises AddressTaken while another process holds it, StoreUnavailable where it is out of reach.
        """
        path = directory / LOCK_NAME
        with translated(directory):
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                _lock(descriptor, path)
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, str(os.getpid()).encode("ascii"), 0)
            except BaseException:
                os.close(descriptor)
                raise
        return cls(descriptor)

    def release(self) -> None:
        """Lets the next process in; the file stays, since removing it would let two in."""
        os.close(self._descriptor)


def _lock(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
            raise
        holder = os.pread(descriptor, 32, 0).decode("ascii", "replace") or "unknown"
        raise AddressTaken(
            f"process {holder} already uses the memory in {path.parent}; "
            "stop it, or set memory.directory to another one"
        ) from error
