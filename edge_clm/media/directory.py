"""Directories of TIFF and EXIF, read just as far as safety and orientation need."""

from __future__ import annotations

import struct
from dataclasses import dataclass

ORIENTATION = 274

_MAGIC, _MAGIC_BIG = 42, 43
_MAX_ENTRIES = 4096
"""Real directories have some dozens; the format allows as many as the file can hold."""
_INTEGERS = {1: "B", 3: "H", 4: "I", 16: "Q"}
"""struct codes of the field types that hold unsigned integers."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One field of a directory: its type, how many values it has, and its value or where that is."""

    type: int
    count: int
    field: bytes


class Directories:
    """The chain of directories in a TIFF file or an EXIF block.

    Raises ValueError where the header is none; every method raises ValueError where the data ends
    early.
    """

    def __init__(self, data: bytes) -> None:
        order = {b"II": "<", b"MM": ">"}.get(data[:2])
        if order is None:
            raise ValueError("no byte order")
        self._data = data
        self.order = order
        magic = self._unpack("H", 2)
        if magic not in (_MAGIC, _MAGIC_BIG):
            raise ValueError("no magic number")
        self.big = magic == _MAGIC_BIG
        self.first = self._unpack("Q", 8) if self.big else self._unpack("I", 4)

    def entries(self, offset: int) -> dict[int, Entry]:
        """Every field of the directory at `offset`, by tag; the first one where a tag repeats."""
        found: dict[int, Entry] = {}
        start, count, size = self._extent(offset)
        for at in range(start, start + count * size, size):
            tag, entry = self._entry(at)
            found.setdefault(tag, entry)
        return found

    def first_entry(self, offset: int) -> tuple[int, Entry] | None:
        """The field with the lowest tag, since tags are sorted; None for an empty directory."""
        start, count, _ = self._extent(offset)
        return self._entry(start) if count else None

    def next(self, offset: int) -> int:
        """Where the directory after the one at `offset` is; 0 after the last."""
        start, count, size = self._extent(offset)
        return self._unpack("Q" if self.big else "I", start + count * size)

    def number(self, entry: Entry | None, default: int) -> int:
        """The value of a field that holds one unsigned integer; the default for any other."""
        code = _INTEGERS.get(entry.type) if entry else None
        if entry is None or code is None or entry.count < 1:
            return default
        size = struct.calcsize(f"={code}")
        if entry.count * size <= len(entry.field):
            return int(struct.unpack_from(self.order + code, entry.field)[0])
        where = struct.unpack(self.order + ("Q" if self.big else "I"), entry.field)[0]
        return self._unpack(code, where)

    def _extent(self, offset: int) -> tuple[int, int, int]:
        """Where the fields begin, how many there are, and the bytes of each."""
        count = self._unpack("Q" if self.big else "H", offset)
        if count > _MAX_ENTRIES:
            raise ValueError("a directory has too many fields")
        return (offset + 8, count, 20) if self.big else (offset + 2, count, 12)

    def _entry(self, at: int) -> tuple[int, Entry]:
        shape = "HHQ8s" if self.big else "HHI4s"
        try:
            tag, kind, count, field = struct.unpack_from(self.order + shape, self._data, at)
        except (struct.error, OverflowError) as error:
            raise ValueError("a directory ends early") from error
        return tag, Entry(kind, count, field)

    def _unpack(self, code: str, at: int) -> int:
        try:
            return int(struct.unpack_from(self.order + code, self._data, at)[0])
        except (struct.error, OverflowError) as error:
            raise ValueError("a directory ends early") from error


def orientation(exif: bytes) -> int:
    """The orientation that an EXIF block asks for, 1 to 8.

    A block that cannot be read asks for nothing: it is no reason to refuse an intact picture.
    """
    try:
        block = Directories(exif.removeprefix(b"Exif\x00\x00"))
        value = block.number(block.entries(block.first).get(ORIENTATION), 1)
    except ValueError:
        return 1
    return value if 1 <= value <= 8 else 1
