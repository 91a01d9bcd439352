"""The documents that a command's paths stand for: files, standard input, and what lies in folders."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from edge_clm.cli.failures import Failure
from edge_clm.cli.naming import written

STANDARD_INPUT = "-"
SUFFIXES = frozenset(
    [
        ".jpg",
        ".jpeg",
        ".jpe",
        ".png",
        ".webp",
        ".gif",
        ".bmp",
        ".dib",
        ".tif",
        ".tiff",
        ".heic",
        ".heif",
        ".avif",
        ".pdf",
    ]
)
"""What readable files are called; a file by another name is told by its content."""
_BEGINNING = 1024
"""Bytes of a file that tell what it is."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file to read."""

    source: str
    """Its path, as the system knows it; '-' for standard input."""

    @property
    def name(self) -> str:
        """Its path as it was given, in the writing of `naming`: no other document has the same."""
        return written(self.source)


def documents_of(paths: Iterable[str]) -> tuple[list[Document], int]:
    """Every document under some paths, each once, and how many files in folders are none.

    A file that is named is taken as it is. In folders, and in folders within them, everything is
    taken that is called like a readable file or begins like one, in the order of names; hidden files
    and folders are left out, and links to folders are not followed. Raises Failure for a folder that
    cannot be listed.
    """
    found: dict[str, Document] = {}
    left_out = 0
    for path in paths:
        if path == STANDARD_INPUT or not Path(path).is_dir():
            found.setdefault(path, Document(path))
            continue
        for file in _files(path):
            if _is_readable(file):
                source = _source(file)
                found.setdefault(source, Document(source))
            else:
                left_out += 1
    return list(found.values()), left_out


def _source(file: Path) -> str:
    """The path of a file in a folder; one called '-' in the working directory is not standard input."""
    return f"./{file}" if str(file) == STANDARD_INPUT else str(file)


def _files(folder: str) -> Iterator[Path]:
    for place, folders, files in os.walk(folder, onerror=_refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(place) / name
            if not name.startswith(".") and path.is_file():
                yield path


def _refuse(error: OSError) -> None:
    raise Failure(
        reason="FOLDER_UNREADABLE",
        code="INVALID_ARGUMENT",
        message=f"{written(error.filename)}: {error.strerror or 'cannot be listed'}",
        remedy="Name a folder that you may read.",
    ) from error


def _is_readable(path: Path) -> bool:
    """Whether a file is called like a document or begins like one.

    One that cannot be opened is taken by its name alone, and then fails as what it is.
    """
    from edge_clm.errors import ImageNotRecognised
    from edge_clm.media.sniff import media_type

    if path.suffix.lower() in SUFFIXES:
        return True
    try:
        with path.open("rb") as file:
            media_type(file.read(_BEGINNING))
    except (OSError, ImageNotRecognised):
        return False
    return True
