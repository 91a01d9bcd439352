"""What the soak asks about: sheets that all clients know, and new pages at a steady rate."""

from __future__ import annotations

import io
import itertools
import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pypdfium2
from PIL import Image, ImageDraw

from bench.documents import SETS, load
from bench.failure import BenchError
from bench.options import Options

PAGE_EVERY_S = 10.0
"""A new page comes so often, for the whole run: a memory that grows with pages grows all along."""
_POINTS = 0.4
"""By which an edited PDF's page is wider than the one edited before: about a pixel when it is drawn."""
_QUALITY = 85


@dataclass(frozen=True, slots=True)
class Sheet:
    """A document that all clients ask about."""

    data: bytes
    handle: str


def files(options: Options, count: int) -> tuple[list[Path], list[Path]]:
    """`count` files to know from the start, of every kind that is there, and all that copies are made of.

    Raises BenchError where there is none.
    """
    draw = random.Random(options.seed)
    sets = [[one.path for one in load(options.data, name)] for name in SETS]
    sets.append(sorted((options.data / "adbuy").glob("*.pdf")))
    rows = [draw.sample(found, len(found)) for found in sets if found]
    if not rows:
        raise BenchError(f"no documents under {options.data}; name a directory with --data")
    taken = [one for row in itertools.zip_longest(*rows) for one in row if one is not None]
    return taken[:count], taken


class NewPages:
    """Copies of documents that were edited a little, so that each is a page nobody has seen.

    One comes due every PAGE_EVERY_S seconds, and none is made up for that nobody had time to take.
    """

    def __init__(self, originals: Sequence[Path], every_s: float = PAGE_EVERY_S) -> None:
        self._originals = itertools.cycle(originals)
        self._every_s = every_s
        self._lock = threading.Lock()
        self._due = time.monotonic()
        self.made = 0

    def take(self) -> bytes | None:
        """A new document where one is due."""
        with self._lock:
            if (now := time.monotonic()) < self._due:
                return None
            self._due = max(self._due + self._every_s, now)
            self.made += 1
            # Within the lock: PDFium may be entered by one thread only.
            return edited(next(self._originals), self.made)


def edited(original: Path, number: int) -> bytes:
    """A copy of a document with other pixels than every copy of another number."""
    return _edited_pdf(original, number) if original.suffix == ".pdf" else _marked(original, number)


def _marked(original: Path, number: int) -> bytes:
    with Image.open(original) as picture:
        copy, lies = picture.convert("RGB"), picture.getexif()
    # The corner of a photo is table and that of a scan is margin: the document says what it said.
    ImageDraw.Draw(copy).text((4, 4), str(number), fill=(90, 90, 90), font_size=20)
    file = io.BytesIO()
    copy.save(file, "JPEG", quality=_QUALITY, exif=lies)
    return file.getvalue()


def _edited_pdf(original: Path, number: int) -> bytes:
    file = io.BytesIO()
    document = pypdfium2.PdfDocument(original)
    try:
        for page in document:
            left, bottom, right, top = page.get_cropbox()
            wider = (left, bottom, right + _POINTS * number, top)
            page.set_mediabox(*wider)
            page.set_cropbox(*wider)
            page.close()
        document.save(file)
    finally:
        document.close()
    return file.getvalue()
