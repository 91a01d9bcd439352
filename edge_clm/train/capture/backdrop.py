"""What a sheet lies on: tables of wood and stone, cloth, plain tops, other paper, clutter."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from edge_clm.train.capture.chance import Chance, between, one_of, stream
from edge_clm.train.capture.grid import Field, Size

_SIDE = 720
"""Along the longest side, at most: what lies behind may be soft."""


def draw_backdrop(seed: int, frame: Size) -> Field:
    """A table over the whole frame: float32, (height, width, 3), 0…1."""
    import cv2

    chance = stream(seed, "backdrop")
    shrink = max(1.0, max(frame) / _SIDE)
    small = (max(2, round(frame[0] / shrink)), max(2, round(frame[1] / shrink)))
    table = one_of(chance, _WAYS)(chance, small)
    table = np.clip(table, 0.01, 1).astype(np.float32)
    return np.asarray(cv2.resize(table, frame, interpolation=cv2.INTER_LINEAR), np.float32)


def _plain(chance: Chance, size: Size) -> Field:
    even = 1 + 0.03 * _mottle(chance, size, (4, 4))
    return np.asarray(_colour(chance, (0.1, 0.9), 0.35) * even, np.float32)


def _stone(chance: Chance, size: Size) -> Field:
    coarse, fine = _mottle(chance, size, (9, 9)), _mottle(chance, size, (160, 160))
    speckle = _mottle(chance, size, (360, 360))
    veins = 1 + 0.08 * coarse + 0.06 * fine + 0.08 * speckle
    return np.asarray(_colour(chance, (0.2, 0.8), 0.12) * veins, np.float32)


def _wood(chance: Chance, size: Size) -> Field:
    lengthwise = bool(chance.random() < 0.5)
    long, wide = between(chance, 2, 6), between(chance, 40, 130)
    cells = (long, wide) if lengthwise else (wide, long)
    grain = _mottle(chance, size, cells) + 0.6 * _mottle(chance, size, (cells[0] * 3, cells[1] * 3))
    base = np.array([1.0, between(chance, 0.62, 0.8), between(chance, 0.3, 0.55)], np.float32)
    table = base * between(chance, 0.25, 0.8) * (1 + 0.1 * grain)
    return np.asarray(table * _joints(chance, size, lengthwise), np.float32)


def _joints(chance: Chance, size: Size, lengthwise: bool) -> Field:
    """Dark lines between planks, each of which is a little lighter or darker than the next."""
    width, height = size
    across = np.arange(height if lengthwise else width) / max(size)
    planks = int(chance.integers(2, 8))
    at = (across * planks + between(chance, 0, 1)) % 1
    tone = chance.uniform(0.85, 1.1, planks + 2)[(across * planks).astype(int)]
    line = tone * (1 - 0.6 * (at < 0.012 * planks / 4))
    return np.asarray(line[:, None, None] if lengthwise else line[None, :, None], np.float32)


def _cloth(chance: Chance, size: Size) -> Field:
    width, height = size
    period = between(chance, 4, 14)
    x, y = np.arange(width) * (2 * np.pi / period), np.arange(height) * (2 * np.pi / period)
    weave = 0.5 * (np.sin(x)[None, :] * np.sin(y)[:, None])[..., None]
    folds = _mottle(chance, size, (5, 3))
    return np.asarray(
        _colour(chance, (0.15, 0.85), 0.6) * (1 + 0.15 * weave + 0.12 * folds), np.float32
    )


def _paper(chance: Chance, size: Size) -> Field:
    """Crumpled white paper."""
    ridges = np.abs(_mottle(chance, size, (7, 7))) + 0.5 * np.abs(_mottle(chance, size, (17, 17)))
    return np.asarray(_colour(chance, (0.75, 0.95), 0.06) * (0.92 + 0.08 * ridges), np.float32)


def _clutter(chance: Chance, size: Size) -> Field:
    """Things and other sheets, with lines on them, over a table."""
    import cv2

    table = np.ascontiguousarray(one_of(chance, (_plain, _wood, _stone))(chance, size), np.float32)
    for _ in range(int(chance.integers(4, 12))):
        middle = chance.uniform(-0.05, 1.05, 2) * size
        extent = chance.uniform(0.08, 0.45, 2) * max(size)
        turn = between(chance, 0, 180)
        box = cv2.boxPoints((middle.tolist(), extent.tolist(), turn))
        cv2.fillConvexPoly(table, np.rint(box).astype(np.int32), _shade(chance), cv2.LINE_AA)
        for share in np.arange(0.1, 0.9, between(chance, 0.08, 0.3)):
            left, right = (
                box[a] + (box[b] - box[a]) * (0.1 + share * 0.8) for a, b in ((0, 1), (3, 2))
            )
            start, end = (
                left + (right - left) * 0.1,
                left + (right - left) * between(chance, 0.3, 0.9),
            )
            points = [tuple(int(v) for v in np.rint(point)) for point in (start, end)]
            cv2.line(
                table,
                points[0],
                points[1],
                _shade(chance),
                1 + int(chance.integers(3)),
                cv2.LINE_AA,
            )
    return np.asarray(cv2.GaussianBlur(table, (0, 0), between(chance, 0.6, 2.0)), np.float32)


def _shade(chance: Chance) -> tuple[float, ...]:
    return tuple(float(value) for value in _colour(chance, (0.1, 0.95), 0.5))


def _colour(chance: Chance, light: tuple[float, float], depth: float) -> Field:
    """Some colour: float32, (3,)."""
    away = chance.uniform(0, depth, 3) * chance.random()
    return np.asarray(between(chance, *light) * (1 - away), np.float32)


def _mottle(chance: Chance, size: Size, cells: tuple[float, float]) -> Field:
    """Smooth noise of about unit size, with so many patches along each side: (height, width, 1)."""
    import cv2

    columns, rows = (
        max(2, min(round(count), side)) for count, side in zip(cells, size, strict=True)
    )
    noise = chance.standard_normal((rows, columns), np.float32)
    return np.asarray(cv2.resize(noise, size, interpolation=cv2.INTER_CUBIC), np.float32)[..., None]


_WAYS: tuple[Callable[[Chance, Size], Field], ...] = (
    *(_plain, _stone, _wood),
    *(_cloth, _paper, _clutter),
)
