"""Pictures spoilt on purpose, each in one way, by so much of their own print's size."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from edge_clm.page.geometry import sides
from edge_clm.paper import Flaw, Line
from edge_clm.types import Pixels

Spoil = Callable[[Pixels, Sequence[Line], float, np.random.Generator], Pixels]
"""Takes a picture, its lines, a strength and a source of chance."""


def blur(
    pixels: Pixels, lines: Sequence[Line], strength: float, chance: np.random.Generator
) -> Pixels:
    """Out of focus: a Gaussian of `strength` line heights."""
    import cv2

    sigma = strength * print_height(lines)
    return np.asarray(cv2.GaussianBlur(pixels, (0, 0), sigma), np.uint8)


def smear(
    pixels: Pixels, lines: Sequence[Line], strength: float, chance: np.random.Generator
) -> Pixels:
    """Moved while it was taken: a straight stroke of `strength` line heights, in any direction."""
    import cv2

    reach = max(3, round(strength * print_height(lines)))
    angle = chance.uniform(0, np.pi)
    steps = np.linspace(-reach / 2, reach / 2, 4 * reach)
    middle = reach // 2 + 1
    kernel = np.zeros((2 * middle + 1, 2 * middle + 1), np.float32)
    xs, ys = np.rint(middle + steps * np.cos(angle)), np.rint(middle + steps * np.sin(angle))
    np.add.at(kernel, (ys.astype(int), xs.astype(int)), 1.0)
    return np.asarray(cv2.filter2D(pixels, -1, kernel / kernel.sum()), np.uint8)


def glare(
    pixels: Pixels, lines: Sequence[Line], strength: float, chance: np.random.Generator
) -> Pixels:
    """Three reflections over print, each with a burnt-out core and a soft rim.

    `strength` is a core's radius as a share of the shorter side.
    """
    height, width = pixels.shape[:2]
    radius = strength * min(height, width)
    rows, columns = np.ogrid[:height, :width]
    light = np.zeros((height, width), np.float32)
    for index in chance.choice(len(lines), size=min(3, len(lines)), replace=False):
        x, y = np.mean(lines[index].quad, axis=0)
        stretch = chance.uniform(1.0, 2.0)
        distance = np.hypot((columns - x) / stretch, rows - y) / radius
        light = np.maximum(light, np.clip(2.0 - distance, 0, 1) ** 2)
    return _uint8(pixels + (265.0 - pixels) * light[:, :, None])


def darken(
    pixels: Pixels, lines: Sequence[Line], strength: float, chance: np.random.Generator
) -> Pixels:
    """Too little light: the picture times `strength`, with the noise that a camera then has."""
    return _noisy(pixels * np.float32(strength), 4.0, chance)


def fade(
    pixels: Pixels, lines: Sequence[Line], strength: float, chance: np.random.Generator
) -> Pixels:
    """Too little contrast: `strength` of the picture, the rest a light grey."""
    return _noisy(pixels * np.float32(strength) + 190.0 * (1 - strength), 2.0, chance)


def cut(
    pixels: Pixels, lines: Sequence[Line], strength: float, chance: np.random.Generator
) -> Pixels:
    """Cut off at one side, through print, so that about this share of the text's width is lost."""
    quads = np.array([line.quad for line in lines], np.float32)
    lefts, rights = quads[:, :, 0].min(axis=1), quads[:, :, 0].max(axis=1)
    left, right = float(lefts.min()), float(rights.max())
    from_left = chance.random() < 0.5
    middle = strength if from_left else 1 - strength
    places = left + (right - left) * np.linspace(middle - 0.08, middle + 0.08, 33)
    crossed = [int(((lefts + 9 < place) & (place < rights - 9)).sum()) for place in places]
    at = round(float(places[int(np.argmax(crossed))]))
    return np.ascontiguousarray(pixels[:, at:] if from_left else pixels[:, :at])


def shrink(
    pixels: Pixels, lines: Sequence[Line], strength: float, chance: np.random.Generator
) -> Pixels:
    """Taken from too far away: a line is `strength` pixels tall."""
    import cv2

    share = strength / print_height(lines)
    if share >= 1:
        return pixels
    size = [max(32, round(side * share)) for side in pixels.shape[1::-1]]
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)


WAYS: dict[str, tuple[Flaw, Spoil, tuple[float, ...]]] = {
    "blur": (Flaw.BLURRED, blur, (0.06, 0.1, 0.16)),
    "smear": (Flaw.BLURRED, smear, (0.3, 0.5, 0.8)),
    "glare": (Flaw.GLARE, glare, (0.06, 0.12, 0.2)),
    "darken": (Flaw.DARK, darken, (0.2, 0.08, 0.04)),
    "fade": (Flaw.DARK, fade, (0.25, 0.1, 0.07)),
    "cut": (Flaw.CUT_OFF, cut, (0.1, 0.3, 0.5)),
    "shrink": (Flaw.TOO_SMALL, shrink, (14, 10, 7)),
}
"""Each way to spoil a picture: the flaw that it makes, how, and from weak to strong."""


def print_height(lines: Sequence[Line]) -> float:
    """The median height of a line, pixels."""
    quads = np.array([line.quad for line in lines], np.float32)
    return float(np.median(sides(quads)[:, 1]))


def _noisy(light: NDArray[np.float32], sigma: float, chance: np.random.Generator) -> Pixels:
    return _uint8(light + chance.normal(0.0, sigma, light.shape).astype(np.float32))


def _uint8(light: NDArray[np.float32]) -> Pixels:
    return np.clip(np.rint(light), 0, 255).astype(np.uint8)
