"""Reading line crops, with the probabilities behind the text."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from edge_clm.page.engine import OcrEngine
from edge_clm.page.number_sign import SIGN, with_number_signs
from edge_clm.types import Pixels, Reading

# Widest batch in pixels: each 8 pixels of it make a row of probabilities, 75 kB.
_BATCH = 2560
# Steps of width, in pixels at the recogniser's height, to which crops are padded.
_STEP = 64
_WIDEST = 3200


class Recogniser:
    """An engine's recogniser, with the probabilities that engines drop. Not thread-safe.

    One set of weights serves both whole pages and given crops. Crops are padded to a width that
    depends on themselves alone, not on their neighbours in a batch: a crop reads the same in
    whatever company.
    """

    def __init__(self, engine: OcrEngine) -> None:
        self._height = engine.height
        self._spell = engine.spell
        self.alphabet = engine.alphabet
        self._sign = self.alphabet.index(SIGN) + 1 if SIGN in self.alphabet else 0

    def read(self, crops: Sequence[Pixels]) -> Iterator[tuple[int, Reading]]:
        """Reads crops by similar width; yields each crop's index with its reading, as batches end."""
        inputs = sorted(
            ((self._width(crop), index) for index, crop in enumerate(crops)), reverse=True
        )
        for width, group in itertools.groupby(inputs, key=lambda item: item[0]):
            indices = [index for _, index in group]
            size = max(1, _BATCH // width)
            for start in range(0, len(indices), size):
                batch = indices[start : start + size]
                pictures = [self._normalised(crops[index], width) for index in batch]
                output = self._spell(np.stack(pictures))
                yield from zip(batch, map(self._reading, output), strict=True)

    def _width(self, crop: Pixels) -> int:
        height, width = crop.shape[:2]
        steps = int(np.ceil(self._height * width / (height * _STEP)))
        return min(max(1, steps) * _STEP, _WIDEST)

    def _normalised(self, crop: Pixels, padded: int) -> NDArray[np.float32]:
        import cv2

        height, width = crop.shape[:2]
        size = (min(int(np.ceil(self._height * width / height)), padded), self._height)
        # Large print, as on a fine scan, would come out ragged from the recogniser's own resizing.
        how = cv2.INTER_AREA if height > 2 * self._height else cv2.INTER_LINEAR
        small = np.asarray(cv2.resize(crop, size, interpolation=how), np.float32)
        result = np.zeros((3, self._height, padded), np.float32)
        result[:, :, : size[0]] = small[:, :, ::-1].transpose(2, 0, 1) / 127.5 - 1
        return result

    def _reading(self, probabilities: NDArray[np.float32]) -> Reading:
        best = probabilities.argmax(axis=1)
        kept = (best != 0) & np.append(True, best[1:] != best[:-1])
        text = "".join(self.alphabet[index - 1] for index in best[kept])
        if self._sign:
            text = with_number_signs(text, np.flatnonzero(kept).tolist(), probabilities, self._sign)
        sure = probabilities.max(axis=1)[kept]
        return Reading(text, float(sure.mean()) if len(sure) else 0.0, probabilities)
