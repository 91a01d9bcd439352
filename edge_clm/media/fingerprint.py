"""What shapes canonical pixels besides the file itself."""

from __future__ import annotations

from importlib.metadata import version

LIBRARIES = ("pillow", "pillow-heif", "pypdfium2")


def fingerprint() -> str:
    """Names and versions of the libraries that decode: another version may give other pixels."""
    return " ".join(f"{name}=={version(name)}" for name in LIBRARIES)
