"""The pictures that the engine has unpacked last."""

from __future__ import annotations

import threading
from collections import OrderedDict

from edge_clm.config import Config
from edge_clm.media.decode import decode
from edge_clm.types import Canonical, File

_PICTURES = 8
_PICTURE_BYTES = 512 * 1024 * 1024


class Pictures:
    """The canonical pixels of the last few pages, so that a request unpacks its file once."""

    def __init__(self, config: Config) -> None:
        self._limits = config.limits
        self._kept: OrderedDict[tuple[str, int], Canonical] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, file: File, page: int) -> Canonical:
        """The page's canonical pixels; raises the image errors of `errors`."""
        key = (file.sha256, page)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        canonical = decode(file.data, page, self._limits)
        with self._lock:
            self._kept[key] = canonical
            while len(self._kept) > 1 and self._over():
                self._kept.popitem(last=False)
        return canonical

    def _over(self) -> bool:
        size = sum(picture.pixels.nbytes for picture in self._kept.values())
        return len(self._kept) > _PICTURES or size > _PICTURE_BYTES
