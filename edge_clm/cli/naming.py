"""Names of files as text that fits on a line, steers no terminal and leads back to the file."""

from __future__ import annotations

import os
import unicodedata

_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_STEERING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories of what moves, ends or turns a line, or is no character."""
_JOINERS = "\u200c\u200d"
"""Invisible, and yet parts of words and emoji."""
_FIRST_BYTE, _LAST_BYTE = "\udc80", "\udcff"
"""What bytes of a name are read as that are no text."""


def written(path: str | os.PathLike[str]) -> str:
    r"""A path as text, another one for every path; most stay as they are.

    Escaped as Python does it, with backslashes doubled: \n, \x1b, \xff, \u202e. Blanks stay.
    """
    return escaped(os.fspath(path).replace("\\", "\\\\"))


def escaped(text: str) -> str:
    """Text as one line whose control characters, line ends and undecodable bytes can be seen."""
    return "".join(map(_escaped, text))


def _escaped(char: str) -> str:
    if unicodedata.category(char) not in _STEERING or char in _JOINERS:
        return char
    if _FIRST_BYTE <= char <= _LAST_BYTE:
        return f"\\x{ord(char) - 0xDC00:02x}"
    number = ord(char)
    if number < 0x80:
        return _SHORT.get(char, f"\\x{number:02x}")
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
