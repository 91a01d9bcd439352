"""What an OCR reads of pictures, kept: a bench that looks at one picture many times reads it once."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence

from bench.failure import BenchError
from edge_clm.memory.pages import decode_text, encode_text
from edge_clm.page.ocr import PageReader
from edge_clm.paper import PageText
from edge_clm.types import Pixels
from edge_clm.weights import user_cache

AGAIN = 5
"""How many kept readings are made anew in a run."""


class Readings:
    """A reader that keeps what it reads, by the pixels' SHA-256 and its own fingerprint."""

    def __init__(self, reader: PageReader) -> None:
        self._reader = reader
        self._directory = user_cache() / "bench" / "readings" / reader.fingerprint[:16]

    def read(self, pixels: Pixels) -> PageText:
        """A picture's text, read now or earlier."""
        path = self._directory / f"{digest(pixels)}.json"
        try:
            return decode_text(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            text = self._reader.read(pixels)
        self._directory.mkdir(parents=True, exist_ok=True)
        half = path.with_suffix(f".{random.SystemRandom().getrandbits(32):08x}")
        half.write_text(encode_text(text), encoding="utf-8")
        half.replace(path)
        return text

    def check(self, pictures: Sequence[Callable[[], Pixels]]) -> int:
        """Reads some of these pictures again, and says how many; raises BenchError where one comes out otherwise."""
        chosen = random.SystemRandom().sample(list(pictures), min(AGAIN, len(pictures)))
        for opened in chosen:
            pixels = opened()
            if self._reader.read(pixels) != self.read(pixels):
                raise BenchError(
                    f"{digest(pixels)} is read otherwise than kept in {self._directory}"
                )
        return len(chosen)


def digest(pixels: Pixels) -> str:
    """Hex SHA-256 over a picture's size and pixels."""
    return hashlib.sha256(repr(pixels.shape).encode() + pixels.tobytes()).hexdigest()
