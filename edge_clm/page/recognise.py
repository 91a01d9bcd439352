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
# Pixels of width, at the recogniser's height, of one row of probabilities.
_PITCH = 8
# Rows by which a letter's picture begins before the middle of the gap.
_SPARE = 0.25


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
        place = {char: at for at, char in enumerate(self.alphabet, start=1)}
        self._columns = (place.get(SIGN, 0), [place[one] for one in "0123456789" if one in place])

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
                for index, probabilities in zip(batch, output, strict=True):
                    yield index, self._reading(crops[index], probabilities)

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

    def _reading(self, crop: Pixels, probabilities: NDArray[np.float32]) -> Reading:
        best = probabilities.argmax(axis=1)
        kept = (best != 0) & np.append(True, best[1:] != best[:-1])
        text = "".join(self.alphabet[index - 1] for index in best[kept])
        if self._columns[0]:
            steps = np.flatnonzero(kept).tolist()

            def alone(at: int) -> NDArray[np.float32]:
                picture = self._letter(crop, steps[at], steps[at + 1])
                one = self._normalised(picture, self._width(picture))[None]
                return np.asarray(self._spell(one)[0], np.float32)

            text = with_number_signs(text, steps, probabilities, self._columns, alone)
        sure = probabilities.max(axis=1)[kept]
        return Reading(text, float(sure.mean()) if len(sure) else 0.0, probabilities)

    def _letter(self, crop: Pixels, step: int, following: int) -> Pixels:
        """One letter of a line, by its step and the next letter's, with paper at either side."""
        height = crop.shape[0]
        scale, half = height / self._height, (following - step) / 2
        left, right = (
            round(((step + 0.5 + side) * _PITCH) * scale) for side in (-half - _SPARE, half)
        )
        paper = np.asarray(np.median(crop, axis=(0, 1)), np.uint8)
        margin = np.broadcast_to(paper, (height, max(4, height // 2), 3))
        return np.concatenate(
            [margin, crop[:, max(0, left) : max(right, left + 1)], margin], axis=1
        )
