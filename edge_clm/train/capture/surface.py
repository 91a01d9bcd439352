"""Bent paper: how high each point of a sheet lies, and how far bending has drawn it in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edge_clm.train.capture.chance import Chance, between, either_side, happens, stream
from edge_clm.train.capture.grid import Field, Size, nodes, step_for
from edge_clm.train.capture.hardness import Bend, Hardness

_NODES = 384
"""Along the longest side of a sheet."""
_MOST = 1.6
"""Severity beyond which no sheet is bent further: nobody could read it."""
_SAMPLES = np.linspace(-1.2, 1.2, 1537)
"""Along one direction, in longest sides from the middle of the sheet."""
Samples = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """A sheet's shape on the nodes of a grid over it; lengths in the sheet's own pixels."""

    height: Field
    """float32, (rows, columns): towards the camera."""
    shift: Field
    """float32, (rows, columns, 2): along the table, since paper bends without stretching."""
    wear: Field
    """float32, (rows, columns), 0…1: where print has broken off along creases."""
    step: int

    def scaled(self, share: float) -> Surface:
        """The same sheet, less bent; drawing in goes with the square of the slopes."""
        height, shift = self.height * np.float32(share), self.shift * np.float32(share**2)
        return Surface(height, shift, self.wear, self.step)


def draw_surface(seed: int, size: Size, bend: Bend, hardness: Hardness) -> Surface:
    """A sheet of that size, bent in that way."""
    step = step_for(size, _NODES)
    long = float(max(size))
    places = (nodes(size, step) - np.array(size, np.float32) / 2) / np.float32(long)
    sheet = _Sheet(
        places.astype(np.float32), stream(seed, "surface"), min(hardness.severity, _MOST)
    )
    _wave(sheet)
    _WAYS[bend](sheet)
    unit = np.float32(long)
    return Surface(sheet.height * unit, sheet.shift * unit, np.clip(sheet.wear, 0, 1), step)


class _Sheet:
    """A sheet while it is being bent; lengths in longest sides."""

    def __init__(self, places: Field, chance: Chance, severity: float) -> None:
        self.places = places
        self.chance = chance
        self.severity = severity
        self.height = np.zeros(places.shape[:2], np.float32)
        self.shift = np.zeros(places.shape, np.float32)
        self.wear = np.zeros(places.shape[:2], np.float32)

    @property
    def extent(self) -> Field:
        """Width and height."""
        return np.asarray(-(self.places[0, 0] + self.places[1, 1]), np.float32)

    def around(self, x: float, y: float, reach: float) -> tuple[slice, slice]:
        """The rows and columns of the nodes about a place."""
        across, down = self.places[0, :, 0], self.places[:, 0, 1]
        left, right = np.searchsorted(across, (x - reach, x + reach))
        top, bottom = np.searchsorted(down, (y - reach, y + reach))
        return slice(top, bottom), slice(left, right)

    def along(self, angle: float) -> Field:
        """How far each node lies in a direction."""
        east, south = np.float32(np.cos(angle)), np.float32(np.sin(angle))
        return self.places[..., 0] * east + self.places[..., 1] * south

    def bend(self, angle: float, slopes: Samples) -> None:
        """Bends the sheet about parallel lines: `slopes` at `_SAMPLES` in the direction `angle`.

        The arc is as long as the paper was, as on a cylinder or between folds.
        """
        apart = float(_SAMPLES[1] - _SAMPLES[0])
        place = self.along(angle)
        self.height += _read(place, np.cumsum(slopes) * apart)
        drawn = _read(place, np.cumsum(np.sqrt(np.maximum(1 - slopes**2, 0.1)) - 1) * apart)
        self.shift += drawn[..., None] * np.array([np.cos(angle), np.sin(angle)], np.float32)


def _read(place: Field, values: Samples) -> Field:
    values = values - values[len(values) // 2]
    return np.interp(place, _SAMPLES, values).astype(np.float32)


def _wave(sheet: _Sheet) -> None:
    """No paper lies quite flat."""
    angle = between(sheet.chance, 0, np.pi)
    turns, start = between(sheet.chance, 1, 5), between(sheet.chance, 0, 6)
    slope = between(sheet.chance, 0.005, 0.04) * sheet.severity
    sheet.bend(angle, slope * np.sin(turns * _SAMPLES + start))


def _flat(sheet: _Sheet) -> None:
    """Nothing more."""


def _curled(sheet: _Sheet) -> None:
    across = happens(sheet.chance, 0.6)
    angle = (0 if across else np.pi / 2) + either_side(sheet.chance, 0, 0.5)
    turns, start = between(sheet.chance, 1.5, 5), between(sheet.chance, 0, 2 * np.pi)
    slope = between(sheet.chance, 0.3, 0.75) * sheet.severity
    sheet.bend(angle, slope * np.sin(turns * _SAMPLES + start))


def _few_folds(sheet: _Sheet) -> None:
    _fold(sheet, np.pi / 2, 1 + int(sheet.chance.integers(2)))


def _many_folds(sheet: _Sheet) -> None:
    _fold(sheet, np.pi / 2, 1 + int(sheet.chance.integers(3)))
    _fold(sheet, 0.0, 1 + int(sheet.chance.integers(2)))
    if happens(sheet.chance, 0.3):
        _fold(sheet, between(sheet.chance, 0.4, 1.2), 1)


def _fold(sheet: _Sheet, angle: float, count: int) -> None:
    """Parallel folds about evenly apart, which leave the parts between them tilted to and fro."""
    chance = sheet.chance
    angle += either_side(chance, 0, 0.05)
    reach = float(np.ptp(sheet.along(angle)))
    even = (np.arange(1, count + 1) / (count + 1) - 0.5) * reach
    folds = even + chance.uniform(-0.08, 0.08, count) * reach
    sign = 1 if happens(chance, 0.5) else -1
    tilts = (
        chance.uniform(0.1, 0.38, count + 1) * sheet.severity * sign * (-1) ** np.arange(count + 1)
    )
    rounding = between(chance, 0.002, 0.008)
    steps = 0.5 + 0.5 * np.tanh((_SAMPLES[:, None] - folds) / rounding)
    slopes = tilts[0] + steps @ np.diff(tilts)
    sheet.bend(angle, slopes - slopes[np.abs(_SAMPLES) < reach / 2].mean())
    depth = between(chance, 0, 0.9) * min(sheet.severity, 1.5)
    for fold in folds:
        sheet.wear += np.float32(depth) * np.exp(-(((sheet.along(angle) - fold) / 0.0012) ** 2))


def _crumpled(sheet: _Sheet) -> None:
    _crumple(sheet, 26, (0.1, 0.35), (0.04, 0.16))
    _crumple(sheet, 30, (0.04, 0.12), (0.05, 0.17))


def _crumpled_hard(sheet: _Sheet) -> None:
    _crumple(sheet, 36, (0.08, 0.3), (0.06, 0.2))
    _crumple(sheet, 90, (0.03, 0.1), (0.07, 0.24))


def _crumple(
    sheet: _Sheet, count: int, reach: tuple[float, float], tilt: tuple[float, float]
) -> None:
    """Short creases in all directions, each of which fades out around its middle."""
    chance = sheet.chance
    height = np.zeros_like(sheet.height)
    for _ in range(count):
        x, y = chance.uniform(-0.5, 0.5, 2).astype(np.float32) * sheet.extent
        long, angle = np.float32(between(chance, *reach)), between(chance, 0, np.pi)
        part = sheet.around(x, y, 2.5 * float(long))
        right, down = sheet.places[part][..., 0] - x, sheet.places[part][..., 1] - y
        fading = np.exp((right**2 + down**2) / -(long**2))
        across = right * np.float32(np.cos(angle)) + down * np.float32(np.sin(angle))
        sharp = np.float32(between(chance, 0.002, 0.006))
        tilted = np.float32(either_side(chance, *tilt) * sheet.severity)
        height[part] += tilted * np.sqrt(across**2 + sharp**2) * fading
    sheet.height += height
    sheet.shift += _drawn_in(height, sheet.places)


def _drawn_in(height: Field, places: Field) -> Field:
    """How far a sheet that is bent in all directions is drawn in, about its middle."""
    import cv2

    apart = float(places[1, 1, 0] - places[0, 0, 0])
    shift = np.zeros(places.shape, np.float32)
    for axis, channel in ((1, 0), (0, 1)):
        lost = -(np.gradient(height, apart, axis=axis) ** 2) / 2
        even = np.asarray(cv2.GaussianBlur(lost.astype(np.float32), (0, 0), 8), np.float32)
        along = np.cumsum(even, axis=axis) * np.float32(apart)
        shift[..., channel] = along - along.mean(axis=axis, keepdims=True)
    return shift


_WAYS: dict[Bend, Callable[[_Sheet], None]] = {
    Bend.FLAT: _flat,
    Bend.CURLED: _curled,
    Bend.FEW_FOLDS: _few_folds,
    Bend.MANY_FOLDS: _many_folds,
    Bend.CRUMPLED: _crumpled,
    Bend.CRUMPLED_HARD: _crumpled_hard,
}
