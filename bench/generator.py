"""Which generator of pages and captures this is: what another one has made is not taken for its work."""

from __future__ import annotations

import hashlib
from functools import cache

from bench.options import REPOSITORY

_MAKES = ("edge_clm/train/pages", "edge_clm/train/capture")
_LEFT_OUT = "__pycache__"


@cache
def generator() -> str:
    """16 hex digits over all that draws pages and photographs them."""
    digest = hashlib.sha256()
    for place in _MAKES:
        for path in sorted((REPOSITORY / place).rglob("*")):
            if path.is_file() and _LEFT_OUT not in path.parts:
                digest.update(f"{path.relative_to(REPOSITORY)}\n".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
