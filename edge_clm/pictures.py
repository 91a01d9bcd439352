"""The pictures that the engine has unpacked last."""

from __future__ import annotations

import threading

from edge_clm.config import Config
from edge_clm.media.decode import decode
from edge_clm.shelf import Shelf
from edge_clm.types import Canonical, File

_PICTURES = 8
_PICTURE_BYTES = 512 * 1024 * 1024


class Pictures:
    """The canonical pixels of the last few pages, so that a request unpacks its file once."""

    def __init__(self, config: Config) -> None:
        self._limits = config.limits
        self._kept: Shelf[Canonical] = Shelf(_PICTURE_BYTES, _PICTURES)
        self._lock = threading.Lock()

    def of(self, file: File, page: int) -> Canonical:
        """The page's canonical pixels; raises the image errors of `errors`."""
        key = (file.sha256, page)
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None:
            return kept
        canonical = decode(file.data, page, self._limits)
        with self._lock:
            self._kept.put(key, canonical, canonical.pixels.nbytes)
        return canonical
