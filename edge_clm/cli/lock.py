"""A file that one process at a time writes, also where it puts a new one in its place."""

from __future__ import annotations

import fcntl
import os
import stat
from pathlib import Path
from typing import IO


def open_alone(path: Path) -> IO[bytes]:
    """Opens a file for more at its end, locked until it is closed or the process ends.

    Raises BlockingIOError where another process has it so.
    """
    while True:
        file = path.open("ab")
        try:
            _lock(file)
            if _is_at(file, path):
                return file
        except BaseException:
            file.close()
            raise
        file.close()


def replace_alone(path: Path, content: bytes) -> IO[bytes]:
    """Puts other content in a file's place, for whoever has it alone, and opens it as `open_alone`.

    A reader never meets half of it, and another process never a file that is not locked. Links to
    the file and who may read it stay.
    """
    path = path.resolve()
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    file = part.open("ab")
    try:
        _lock(file)
        os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        file.close()
        raise
    return file


def _lock(file: IO[bytes]) -> None:
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_at(file: IO[bytes], path: Path) -> bool:
    """Whether the file still is the one of that name, and was not replaced before it was locked."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False
