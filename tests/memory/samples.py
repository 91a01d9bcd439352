"""Rows to keep, told apart by a number."""

from __future__ import annotations

import hashlib
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from edge_clm.features import Features, Points
from edge_clm.paper import Evidence, Grounded, Grounding, Line, PageText
from edge_clm.types import Outcome, Snapshot, Suffix, View
from edge_clm.values.value import Quantity

OCR = "0c" * 32


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def listing(directory: Path) -> dict[str, int]:
    """Names and sizes of the files in a directory."""
    return {file.name: file.stat().st_size for file in directory.iterdir()}


def overwrite(path: Path, offset: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


def snapshot(number: int, *, tenant: str = "clinic", **changes: Any) -> Snapshot:
    values: dict[str, Any] = {
        "id": f"answer-{number}",
        "joint_hash": sha(b"joint %d" % number),
        "tenant": tenant,
        "page_key": sha(b"page %d" % number),
        "suffix": Suffix(f"ask value | analyte {number} | 钾", ("not", "3.5", "mmol/l")),
        "text": f"3,{number} mmol/l — élevé 高",
        "tokens": (0, number, 4_294_967_295),
        "outcome": Outcome.ANSWERED,
        "fingerprint": "f1" * 32,
        "prompt_tokens": 900,
        "dropped_lines": 2,
        "created": 1_750_000_000.125,
        "turn": 270,
        "vector": b"\x00\x3c\x00\xbc" * 128,
        "width": 1200,
        "height": 1600,
        "grounding": Grounding(
            Grounded.YES,
            Quantity(Decimal("3.50"), "mmol/l"),
            (Evidence("3,5", ((0.1, 2.0), (30.3, 2.0), (30.3, 9.75), (0.1, 1 / 3)), 2),),
            (Evidence("钾", ((0.5, 2.0), (9.0, 2.0), (9.0, 9.75), (0.5, 9.75)), 2),),
        ),
    }
    return Snapshot(**{**values, **changes})


def view(handle: str, number: int = 1) -> View:
    return View(handle, number, sha(b"pixels"), 1600, 1200, sha(b"page"))


def page_text(*texts: str) -> PageText:
    quad = ((0.1, 2.0), (30.30, 2.0), (30.25, 9.75), (0.1, 1 / 3))
    return PageText(tuple(Line(text, quad, 0.987) for text in texts), 90, 1200, 1600)


def points(drawn: int, count: int = 80) -> Points:
    """Points of a picture of that number, each unlike all others."""
    rng = np.random.default_rng(drawn)
    codes = rng.integers(0, 256, (count, 16), np.uint8)
    return Points(codes, rng.integers(0, 65536, (count, 2)).astype(np.uint16))


def features(*parts: float, drawn: int = 0) -> Features:
    """A picture that looks so as a whole, with the points of the picture of that number."""
    vector = np.array(parts, np.float32)
    return Features(np.asarray(vector / np.linalg.norm(vector), np.float32), points(drawn))
