"""Which way up a picture shows its page."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from edge_clm.page.detect import Detector
from edge_clm.page.geometry import Quads, along_text, as_quad, bgr, crop, shrunk, sides, turned
from edge_clm.page.recognise import Recogniser
from edge_clm.types import Pixels

# Below this the classifier is not worth a detection on the picture as it would have it.
_SURE = 0.85
# How many lines are read both ways, and the longest of them: width over height.
_SAMPLE = 6
_LONGEST = 12
# Lines read the wrong way round scored 0.79 at most on average of a page, the right way 0.87 at least.
_READABLE = 0.9
# By how much another way must read better than the picture as it lies.
_MARGIN = 0.05


class Orienter:
    """Finds by how much a picture must be turned for its page to stand upright. Not thread-safe.

    The classifier alone is wrong about one photographed page in five, and now and then it is wrong
    and sure. So it only says where to look first; what decides is which way a few lines can be read.
    """

    def __init__(
        self,
        classify: Callable[[Pixels], tuple[int, float]],
        detector: Detector,
        recogniser: Recogniser,
    ) -> None:
        """`classify` is an engine's."""
        self._classify = classify
        self._detector = detector
        self._recogniser = recogniser

    def upright(self, pixels: Pixels) -> tuple[int, Quads]:
        """Degrees clockwise (0, 90, 180, 270) to turn the picture, and its lines once it is turned."""
        guess, sure = self._guess(pixels)
        first = guess if sure >= _SURE else 0
        picture = turned(pixels, first)
        quads = along_text(self._detector.find(picture))
        turn = (first + self._correction(picture, quads, first, guess == first)) % 360
        if turn != first:
            quads = along_text(self._detector.find(turned(pixels, turn)))
        return turn, quads

    def _guess(self, pixels: Pixels) -> tuple[int, float]:
        small, _ = shrunk(pixels, 1024)
        degrees, sure = self._classify(bgr(small))
        return -degrees % 360, sure

    def _correction(self, picture: Pixels, quads: Quads, first: int, agreed: bool) -> int:
        """By how much more to turn a picture, judged by reading some of its lines both ways."""
        sample = _clearest(quads)
        if not len(sample):
            return -first % 360
        crops = [crop(picture, as_quad(quad)) for quad in sample]
        scores = dict.fromkeys((0, 90, 180, 270), 0.0)
        scores[-first % 360] = _MARGIN
        turns = [_turn_for(quad) for quad in sample]
        self._score(crops, turns, scores)
        if agreed and max(scores, key=scores.__getitem__) == 0 and scores[0] >= _READABLE:
            return 0
        over = [np.ascontiguousarray(line[::-1, ::-1]) for line in crops]
        self._score(over, [(turn + 180) % 360 for turn in turns], scores)
        return max(scores, key=scores.__getitem__)

    def _score(self, crops: list[Pixels], turns: list[int], scores: dict[int, float]) -> None:
        for index, reading in self._recogniser.read(crops):
            scores[turns[index]] += reading.confidence / len(crops)


def _clearest(quads: Quads) -> Quads:
    """The lines that tell the most: long ones, but not so long that reading them takes long."""
    if not len(quads):
        return quads
    width, height = np.maximum(sides(quads), 1).T
    ratio = width / height
    return quads[np.argsort(np.where(ratio > _LONGEST, 0, -ratio))[:_SAMPLE]]


def _turn_for(quad: np.ndarray) -> int:
    """Degrees clockwise that bring a line's reading direction to the right, to the nearest 90."""
    along = quad[1] - quad[0]
    angle = np.degrees(np.arctan2(along[1], along[0]))
    return int(-90 * round(float(angle) / 90)) % 360
