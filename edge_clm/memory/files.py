"""The files of kept captures, one for each handle."""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import suppress
from pathlib import Path

from edge_clm.memory.failures import translated

_PART = ".part"
_OTHERS = 0o077


class CaptureFiles:
    """A directory of files named by handle; every method blocks and belongs in a thread.

    All raise StoreUnavailable where the file system fails.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def prepare(self) -> None:
        """Makes the directory, closed to other users, and removes what a killed process left half written."""
        with translated(self._directory):
            self._directory.mkdir(mode=0o700, exist_ok=True)
            close_to_others(self._directory)
            for part in self._directory.glob("*" + _PART):
                part.unlink()

    def write(self, handle: str, data: bytes) -> None:
        """Puts a file in place, whole and on the disk when this returns; raises DiskFull."""
        part = self._directory / (handle + _PART)
        with translated(self._directory):
            try:
                _write_through(part, data)
                part.rename(self._directory / handle)
                self._flush_names()
            except BaseException:
                part.unlink(missing_ok=True)
                (self._directory / handle).unlink(missing_ok=True)
                raise

    def read(self, handle: str, bytes_sha256: str) -> bytes | None:
        """The file's bytes; None where it is gone or no longer has that SHA-256."""
        with translated(self._directory), suppress(FileNotFoundError):
            data = (self._directory / handle).read_bytes()
            if hashlib.sha256(data).hexdigest() == bytes_sha256:
                return data
        return None

    def size(self, handle: str) -> int | None:
        """Bytes of the file; None where there is none."""
        with translated(self._directory), suppress(FileNotFoundError):
            return (self._directory / handle).stat().st_size
        return None

    def remove(self, *handles: str) -> None:
        """Removes files; one that is gone already is fine."""
        with translated(self._directory):
            for handle in handles:
                (self._directory / handle).unlink(missing_ok=True)

    def sizes(self) -> dict[str, int]:
        """Bytes of every whole file, by handle."""
        with translated(self._directory):
            return {
                entry.name: entry.stat().st_size
                for entry in os.scandir(self._directory)
                if entry.is_file(follow_symlinks=False) and not entry.name.endswith(_PART)
            }

    def _flush_names(self) -> None:
        descriptor = os.open(self._directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def close_to_others(path: Path) -> None:
    """Takes a file's or a directory's permissions from everybody but its owner, if that is us.

    A directory that is everybody's by design (its sticky bit says so) stays as it is, and so does
    what does not exist.
    """
    with suppress(FileNotFoundError):
        status = path.stat()
        shared = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX
        if status.st_uid == os.geteuid() and status.st_mode & _OTHERS and not shared:
            path.chmod(stat.S_IMODE(status.st_mode) & ~_OTHERS)


def _write_through(path: Path, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
