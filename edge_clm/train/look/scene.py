"""Light that falls on a stretch of paper, and the lens that sees it: much harder than a whole page meets.

Coloured light with hard edges, shadows, creases, glare, blur, grain: none of it is a mark.
"""

from __future__ import annotations

import colorsys
from dataclasses import dataclass
from random import Random

import cv2
import numpy as np

from edge_clm.train.capture.grid import Field
from edge_clm.train.capture.optics import developed
from edge_clm.train.look.changes import Paper
from edge_clm.types import Pixels

_GREY = np.array([0.299, 0.587, 0.114], np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Everything about one look but the paper."""

    falling: Field
    """float32, (height, width, 3): the share of its light that each pixel sends on."""
    glare: Field
    """float32, (height, width, 1): grey levels that come whatever is printed."""
    colour: float
    """1 is as the light was; less is paler, more is stronger in hue."""
    bend: float
    """Exponent of the tones."""
    blur: float
    """Standard deviation, pixels."""
    smear: Field | None
    """Kernel of a hand that moved."""
    coarse: float
    """Pixels of the camera for one of the stretch, at most 1."""
    sharpening: float
    grain: float
    """Standard deviation, grey levels."""
    seed: int
    quality: int
    """Of the JPEG; 0 where there is none."""

    def lit(self, paper: Paper) -> Paper:
        """What the sensor gets, without its grain: smooth in what is on the paper."""
        light = np.minimum(paper * self.falling + self.glare, np.float32(262))
        grey = (light @ _GREY)[..., None]
        light = np.clip(grey + (light - grey) * np.float32(self.colour), 0, 262)
        light = 255 * (light / 255) ** np.float32(self.bend)
        if self.smear is not None:
            light = cv2.filter2D(light, -1, self.smear, borderType=cv2.BORDER_REPLICATE)
        if self.blur > 0.2:
            light = cv2.GaussianBlur(light, (0, 0), self.blur)
        if self.coarse < 1:
            light = _lowered(light, self.coarse)
        if self.sharpening:
            soft = cv2.GaussianBlur(light, (0, 0), 1.2)
            light = light + np.float32(self.sharpening) * (light - soft)
        return np.asarray(light, np.float32)

    def seen(self, lit: Paper) -> Pixels:
        """The picture of what the sensor gets: a coarse one has coarse grain, and colours coarser still."""
        if self.coarse < 1:
            height, width = lit.shape[:2]
            taken = self._taken(_resized(lit, self.coarse))
            return np.asarray(cv2.resize(taken, (width, height), interpolation=cv2.INTER_CUBIC))
        return self._taken(lit)

    def _taken(self, lit: Paper) -> Pixels:
        noise, (height, width) = np.random.default_rng(self.seed), lit.shape[:2]
        fine = noise.standard_normal((height, width, 1), np.float32)
        half = noise.standard_normal((height // 2 + 1, width // 2 + 1, 3), np.float32)
        grain = fine + cv2.resize(half, (width, height), interpolation=cv2.INTER_LINEAR)
        pixels = np.clip(np.rint(lit + np.float32(self.grain) * grain), 0, 255).astype(np.uint8)
        return developed(pixels, self.quality) if self.quality else pixels


def draw_scene(shape: tuple[int, int], high: float, rng: Random) -> Scene:
    """A scene over a stretch of `shape` (height, width) whose lines are `high` pixels high."""
    scale, severe = high / 32, rng.random() ** 1.5
    smeared = rng.random() < 0.3 * severe
    return Scene(
        falling=_falling(shape, high, severe, rng),
        glare=_glare(shape, rng),
        colour=1 + severe * rng.uniform(-0.5, 0.8),
        bend=1 + severe * rng.uniform(-0.3, 0.4),
        blur=rng.uniform(0, 0.5 + 1.7 * severe) * (0.3 + 0.7 * scale),
        smear=_smear(rng.uniform(2, 5) * scale, rng.uniform(0, np.pi)) if smeared else None,
        coarse=1 - rng.uniform(0.1, 0.6) if rng.random() < 0.45 else 1.0,
        sharpening=rng.uniform(0.3, 2.0) if rng.random() < 0.4 else 0.0,
        grain=rng.uniform(0.5, 2) + severe * rng.choice((0.0, rng.uniform(0, 9))),
        seed=rng.getrandbits(32),
        quality=round(95 - 60 * severe * rng.random()) if rng.random() < 0.7 else 0,
    )


def _falling(shape: tuple[int, int], high: float, severe: float, rng: Random) -> Field:
    bright = rng.uniform(0.85 - 0.4 * severe, 1.05)
    light = np.ones((*shape, 3), np.float32) * _gains(severe, rng) * np.float32(bright)
    light *= (1 + rng.uniform(0, 0.4) * (_along(shape, rng) / max(shape)))[..., None]
    for _ in range(_some(severe, 3, rng)):
        softness = rng.choice((0.5, rng.uniform(0.4, 3), rng.uniform(2, 12)))
        inside = (0.5 + 0.5 * np.tanh(_bent(shape, rng) / softness))[..., None]
        gains = _gains(severe, rng) if rng.random() < 0.6 else np.float32(1)
        light *= 1 + inside * (gains * np.float32(rng.uniform(0.9 - 0.6 * severe, 1)) - 1)
    for _ in range(_some(severe, 4, rng)):
        light *= _crease(shape, high, severe, rng)[..., None]
    if rng.random() < 0.5:
        light *= _wrinkles(shape, high, rng)[..., None]
    return np.asarray(light, np.float32)


def _some(severe: float, most: int, rng: Random) -> int:
    """How many of something there are; mostly none where a scene is not severe."""
    return sum(rng.random() < 0.15 + 0.5 * severe for _ in range(most))


def _gains(severe: float, rng: Random) -> Field:
    """What a coloured light leaves of red, green and blue."""
    depth = rng.choice(
        (rng.uniform(0, 0.12), rng.uniform(0, 0.5), rng.uniform(0.2, 0.4 + 0.58 * severe))
    )
    hue = np.array(colorsys.hsv_to_rgb(rng.random(), rng.uniform(0.7, 1), 1), np.float32)
    return np.asarray(1 - np.float32(depth) * (1 - hue), np.float32)


def _along(shape: tuple[int, int], rng: Random) -> Field:
    """How far each pixel lies from some straight line through the stretch, pixels."""
    rows, columns = np.indices(shape, np.float32)
    angle = rng.uniform(0, 2 * np.pi)
    x, y = rng.uniform(0, shape[1]), rng.uniform(0, shape[0])
    away = (columns - x) * np.cos(angle) + (rows - y) * np.sin(angle)
    return np.asarray(away, np.float32)


def _bent(shape: tuple[int, int], rng: Random) -> Field:
    """As `_along`, of a line that is wavy."""
    away, across = _along(shape, rng), _along(shape, rng)
    swing = rng.choice((0.0, rng.uniform(0, 12)))
    wavy = swing * np.sin(across / rng.uniform(6, 60) + rng.uniform(0, 6))
    return np.asarray(away + wavy, np.float32)


def _crease(shape: tuple[int, int], high: float, severe: float, rng: Random) -> Field:
    """A fold: a thin line of shade or gleam, and paper tilted otherwise on its other side."""
    away = _bent(shape, rng)
    width = high / 32 * rng.uniform(1.2, 6)
    line = (
        (0.3 + 0.7 * severe) * rng.uniform(-0.35, 0.35) * np.exp(-((away / np.float32(width)) ** 2))
    )
    side = rng.uniform(-0.2, 0.2) * np.tanh(away / np.float32(2 * width))
    return np.asarray(1 + line + side, np.float32)


def _wrinkles(shape: tuple[int, int], high: float, rng: Random) -> Field:
    """Shade of crumpled paper."""
    noise = np.random.default_rng(rng.getrandbits(32))
    size = high * rng.uniform(0.4, 3)
    rows, columns = (max(2, round(side / size)) for side in shape)
    heights = noise.standard_normal((rows, columns)).astype(np.float32)
    over = cv2.resize(heights, shape[::-1], interpolation=cv2.INTER_CUBIC)
    return np.asarray(np.clip(1 + rng.uniform(0, 0.15) * over, 0.3, 1.8), np.float32)


def _glare(shape: tuple[int, int], rng: Random) -> Field:
    veil = np.float32(rng.choice((0.0, rng.uniform(0, 40))))
    if rng.random() > 0.12:
        return np.full((*shape, 1), veil, np.float32)
    away, across = _along(shape, rng), _along(shape, rng)
    size = np.float32(rng.uniform(10, 80))
    spot = np.exp(-((away / size) ** 2) - (across / (2 * size)) ** 2)
    return np.asarray(veil + rng.uniform(40, 200) * spot[..., None], np.float32)


def _smear(length: float, angle: float) -> Field | None:
    side = 2 * int(np.ceil(length / 2)) + 1
    steps = np.linspace(-length / 2, length / 2, 8 * side)
    ends = np.rint(side // 2 + steps[:, None] * [np.sin(angle), np.cos(angle)]).astype(int)
    kernel = np.zeros((side, side), np.float32)
    np.add.at(kernel, tuple(ends.T), 1.0)
    return np.asarray(kernel / kernel.sum(), np.float32)


def _lowered(light: Paper, share: float) -> Paper:
    """As a camera that is further away sees it."""
    height, width = light.shape[:2]
    small = _resized(light, share)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC), np.float32)


def _resized(light: Paper, share: float) -> Paper:
    height, width = light.shape[:2]
    size = max(2, round(width * share)), max(2, round(height * share))
    return np.asarray(cv2.resize(light, size, interpolation=cv2.INTER_AREA), np.float32)
