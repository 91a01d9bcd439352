"""The words of a page as numbers that a text tower can take."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

VOCABULARY = 8192
CONTEXT = 128
"""Words of a page that are taken, less one."""
_END = VOCABULARY - 1
"""open_clip reads a text off where the highest number stands."""
_WORD = re.compile(r"\w+")


def tokens_of(texts: Iterable[str]) -> NDArray[np.int64]:
    """The first words of a page, hashed: int64, (128,); 0 after the end."""
    words = [word for text in texts for word in _WORD.findall(text.casefold())][: CONTEXT - 1]
    numbers = [1 + zlib.crc32(word.encode()) % (_END - 1) for word in words]
    tokens = np.zeros(CONTEXT, np.int64)
    tokens[: len(numbers) + 1] = [*numbers, _END]
    return tokens
