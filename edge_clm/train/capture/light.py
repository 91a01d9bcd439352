"""The light that falls on a sheet and its table, and what a bent sheet makes of it."""

from __future__ import annotations

import colorsys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from edge_clm.train.capture.chance import Chance, between, either_side, happens, stream
from edge_clm.train.capture.grid import Field, Grid, Size, nodes, step_for
from edge_clm.train.capture.hardness import Hardness, Light
from edge_clm.train.capture.surface import Surface

_NODES = 400
_EYE = np.array([0.299, 0.587, 0.114], np.float32)
_MIRROR = 0.12
"""How exactly a glossy sheet must face the light, as a slope."""


@dataclass(frozen=True, slots=True, eq=False)
class Illumination:
    """How light falls on what is photographed, as shares of what white paper can give back."""

    falling: Grid
    """Over the capture: RGB, 0…1 or brighter."""
    glare: Grid
    """Over the capture: one channel, light that is reflected without touching the ink."""
    towards: tuple[float, float]
    """From which side of the sheet light comes: the tangent of its slant to the right and downwards."""
    hardness: float
    """0…1, how much of it comes from one side."""
    gloss: float
    """0…1, how much a part of the sheet that is tilted halfway towards the light mirrors it."""


def draw_illumination(seed: int, kind: Light, frame: Size, hardness: Hardness) -> Illumination:
    """Light of that kind over a frame."""
    chance = stream(seed, "light")
    step = step_for(frame, _NODES)
    scene = _Scene(chance, nodes(frame, step) / np.float32(max(frame)), hardness.severity)
    _WAYS[kind](scene)
    scene.expose()
    side, slant = between(chance, 0, 2 * np.pi), between(chance, 0.5, 1.3)
    towards = (float(np.cos(side)) * slant, float(np.sin(side)) * slant)
    falling = np.maximum(scene.falling, np.float32(0.01))
    return Illumination(
        Grid(falling, step),
        Grid(scene.glare, step),
        towards,
        between(chance, 0.35, 0.75),
        min(0.8, between(chance, 0.0, 0.35) * hardness.severity),
    )


def shading(surface: Surface, light: Illumination) -> Grid:
    """How bright each point of a bent sheet is against a flat one, and how far gloss and wear make
    its ink white: two channels."""
    down, right = np.gradient(surface.height, np.float32(surface.step))
    east, south = np.float32(light.towards[0]), np.float32(light.towards[1])
    facing = (1 - right * east - down * south) / np.sqrt(1 + right**2 + down**2)
    lit = 1 + np.float32(light.hardness) * (np.maximum(facing, 0) - 1)
    off = (right + east / 3) ** 2 + (down + south / 3) ** 2
    mirrored = np.float32(light.gloss) * np.exp(off / np.float32(-(_MIRROR**2)))
    white = 1 - (1 - mirrored) * (1 - surface.wear)
    return Grid(np.stack([np.clip(lit, 0.15, 1.6), white], axis=-1), surface.step)


class _Scene:
    """Light while it is being set; places are in longest sides of the frame."""

    def __init__(self, chance: Chance, places: Field, severity: float) -> None:
        self.chance = chance
        self.places = places
        self.severity = severity
        self.falling = np.ones((*places.shape[:2], 3), np.float32)
        self.glare = np.zeros((*places.shape[:2], 1), np.float32)
        self.white = np.float32(1)

    def level(self, low: float, high: float) -> None:
        """How bright white paper comes out in the picture, as a share of what can be told apart."""
        self.white = np.float32(between(self.chance, low, high))

    def expose(self) -> None:
        """Sets the phone's exposure by what is brightest, to the eye and in any one colour."""
        seen = 0.65 * (self.falling @ _EYE) + 0.35 * self.falling.max(axis=-1)
        self.falling *= self.white / np.percentile(seen, 85)

    def slope(self, least: float, most: float) -> Field:
        """0…1 across the frame in some direction; light changes along it by a share drawn here."""
        angle = between(self.chance, 0, 2 * np.pi)
        along = self.places @ np.array([np.cos(angle), np.sin(angle)], np.float32)
        even = (along - along.min()) / max(float(np.ptp(along)), 1e-6)
        share = np.float32(between(self.chance, least, most))
        self.falling *= (1 - share * even)[..., None]
        return np.asarray(even, np.float32)

    def tint(self, hue: float, depth: float, over: Field | None = None) -> None:
        """Takes away what is not of a hue, everywhere or by a share."""
        gains = 1 - np.float32(depth) * (
            1 - np.array(colorsys.hsv_to_rgb(hue % 1, 1, 1), np.float32)
        )
        self.falling *= gains if over is None else 1 + over[..., None] * (gains - 1)

    def spot(self, radius: float) -> Field:
        """1 in the middle of some spot, fading to 0."""
        middle = self.chance.uniform(0.15, 0.85, 2).astype(np.float32) * self.places[-1, -1]
        away = ((self.places - middle) ** 2).sum(axis=-1)
        return np.asarray(np.exp(away * np.float32(-1 / radius**2)), np.float32)


def _bright(scene: _Scene) -> None:
    scene.level(0.72, 0.98)
    scene.slope(0.05, 0.3)
    scene.tint(between(scene.chance, 0, 1), between(scene.chance, 0, 0.05))
    _maybe_glare(scene, 0.12)


def _colour(scene: _Scene) -> None:
    scene.level(0.7, 1.05)
    even = scene.slope(0.1, 0.5)
    hue = between(scene.chance, 0, 1)
    depth = between(scene.chance, 0.1, 0.85) * min(scene.severity, 1.1)
    scene.tint(hue, depth)
    scene.tint(hue + either_side(scene.chance, 0, 0.15), depth / 2, even)


def _shadow(scene: _Scene) -> None:
    scene.level(0.7, 1.0)
    scene.slope(0.0, 0.2)
    scene.tint(between(scene.chance, 0.55, 0.68), between(scene.chance, 0, 0.2))
    for _ in range(1 + int(scene.chance.integers(3))):
        shade = _half(scene) if happens(scene.chance, 0.55) else _blob(scene)
        depth = between(scene.chance, 0.35, 0.7) * min(scene.severity, 1.3)
        scene.falling *= 1 - np.float32(min(depth, 0.85)) * shade[..., None]


def _half(scene: _Scene) -> Field:
    """The shadow of something with a long straight edge."""
    angle = between(scene.chance, 0, 2 * np.pi)
    along = scene.places @ np.array([np.cos(angle), np.sin(angle)], np.float32)
    share = between(scene.chance, 0.25, 0.75)
    edge = along.min() + np.float32(share) * np.ptp(along)
    return _soft(along - edge, between(scene.chance, 0.003, 0.03))


def _blob(scene: _Scene) -> Field:
    """The shadow of a hand or a head: round, with a wavy edge."""
    middle = scene.chance.uniform(0.0, 1.0, 2).astype(np.float32) * scene.places[-1, -1]
    right, down = np.moveaxis(scene.places - middle, -1, 0)
    around = np.arctan2(down, right)
    wavy = sum(
        between(scene.chance, 0, 0.25) * np.sin(count * around + between(scene.chance, 0, 6))
        for count in (1, 2, 3, 5)
    )
    radius = between(scene.chance, 0.12, 0.35) * (1 + wavy)
    return _soft(radius - np.hypot(right, down), between(scene.chance, 0.003, 0.03))


def _soft(inwards: Field, softness: float) -> Field:
    return np.asarray(0.5 + 0.5 * np.tanh(inwards / np.float32(softness)), np.float32)


def _lamp(scene: _Scene) -> None:
    scene.level(0.75, 1.0)
    dark = np.float32(between(scene.chance, 0.25, 0.6))
    scene.falling *= (dark + (1 - dark) * scene.spot(between(scene.chance, 0.5, 0.9)))[..., None]
    scene.tint(between(scene.chance, 0.07, 0.13), between(scene.chance, 0.1, 0.45))
    _maybe_glare(scene, 0.3)


def _dim(scene: _Scene) -> None:
    scene.level(0.3, 0.55)
    scene.slope(0.1, 0.4)
    scene.tint(between(scene.chance, 0.05, 0.15), between(scene.chance, 0, 0.35))


def _maybe_glare(scene: _Scene, probability: float) -> None:
    if happens(scene.chance, probability * min(scene.severity, 2)):
        reach = between(scene.chance, 0.02, 0.07)
        scene.glare += np.float32(between(scene.chance, 0.3, 1.2)) * scene.spot(reach)[..., None]


_WAYS: dict[Light, Callable[[_Scene], None]] = {
    Light.BRIGHT: _bright,
    Light.COLOUR: _colour,
    Light.SHADOW: _shadow,
    Light.LAMP: _lamp,
    Light.DIM: _dim,
}
