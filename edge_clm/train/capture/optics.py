"""What a phone makes of light: blur, noise, sharpening, tone and JPEG."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edge_clm.train.capture.chance import Chance, between, happens, one_of, stream
from edge_clm.train.capture.grid import Field, Size
from edge_clm.train.capture.hardness import Hardness, Light
from edge_clm.types import Pixels

_SHARE = 1600
"""Blur is counted in 1600ths of a frame's longest side."""


@dataclass(frozen=True, slots=True)
class Optics:
    """A phone's lens, sensor and processing."""

    defocus: float
    """Standard deviation of the blur, 1600ths of the frame."""
    motion: float
    """Length of the smear, likewise."""
    direction: float
    """Of the smear, radians."""
    noise: float
    """Standard deviation, 0…1."""
    veil: float
    """0…1, stray light, which leaves no ink quite black."""
    lopsided: float
    """Standard deviation of the blur at the far end, where only one end is in focus; likewise."""
    smoothing: bool
    """Whether the phone takes single odd pixels for noise."""
    sharpening: float
    contrast: float
    """1 is as the light was; more is steeper in the middle tones."""
    quality: int
    """Of the JPEG."""


def draw_optics(seed: int, light: Light, hardness: Hardness) -> Optics:
    """A phone, and how still it was held in that light."""
    chance = stream(seed, "optics")
    dim = 1.4 if light is Light.DIM else 1.0
    severity = hardness.severity
    moved = happens(chance, min(0.8, 0.12 * dim * severity))
    return Optics(
        defocus=between(chance, 0.35, 0.9) * severity * dim**0.5,
        motion=between(chance, 0.8, 2.5) * severity if moved else 0.0,
        direction=between(chance, 0, np.pi),
        noise=between(chance, 0.003, 0.014) * severity * dim,
        veil=between(chance, 0.0, 0.12) * min(severity, 2),
        lopsided=between(chance, 0.8, 2.4) * severity if happens(chance, 0.2) else 0.0,
        smoothing=happens(chance, 0.4),
        sharpening=one_of(chance, (0.0, 0.5, 1.2)),
        contrast=between(chance, 0.85, 1.25),
        quality=max(20, round(between(chance, 50, 95) - 15 * max(0.0, severity - 1))),
    )


def exposed(light: Field, optics: Optics, chance: Chance) -> Pixels:
    """A picture as the sensor and its processing give it, before JPEG.

    `light` is float32, (height, width, 3), 0…1 or brighter, and is overwritten.
    """
    import cv2

    blurred = _moved(_lopsided(_defocused(light, optics), optics), optics)
    blurred *= np.float32(1 - optics.veil)
    blurred += np.float32(optics.veil)
    _add_noise(blurred, optics.noise, chance)
    if optics.smoothing:
        blurred = np.asarray(cv2.medianBlur(blurred, 3), np.float32)
    if optics.sharpening:
        soft = cv2.GaussianBlur(blurred, (0, 0), 1.2)
        cv2.addWeighted(blurred, 1 + optics.sharpening, soft, -optics.sharpening, 0, blurred)
    blurred *= np.float32(255)
    return np.asarray(
        cv2.LUT(cv2.convertScaleAbs(np.maximum(blurred, 0)), _tones(optics)), np.uint8
    )


def developed(pixels: Pixels, quality: int) -> Pixels:
    """A picture that has been through JPEG."""
    import cv2

    settings = [cv2.IMWRITE_JPEG_QUALITY, quality]
    _, file = cv2.imencode(".jpg", cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), settings)
    return np.asarray(
        cv2.cvtColor(cv2.imdecode(file, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB), np.uint8
    )


def _defocused(light: Field, optics: Optics) -> Field:
    import cv2

    spread = optics.defocus * max(light.shape[:2]) / _SHARE
    return (
        light if spread < 0.25 else np.asarray(cv2.GaussianBlur(light, (0, 0), spread), np.float32)
    )


def _lopsided(light: Field, optics: Optics) -> Field:
    import cv2

    spread = optics.lopsided * max(light.shape[:2]) / _SHARE
    if spread < 0.25:
        return light
    rows, columns = (np.linspace(-1, 1, side, dtype=np.float32) for side in light.shape[:2])
    east, south = np.float32(np.cos(optics.direction)), np.float32(np.sin(optics.direction))
    soft = np.clip(rows[:, None] * south + columns[None] * east, 0, 1)
    change = cv2.GaussianBlur(light, (0, 0), spread) - light
    change *= cv2.cvtColor(soft, cv2.COLOR_GRAY2RGB)
    light += change
    return light


def _moved(light: Field, optics: Optics) -> Field:
    import cv2

    reach = optics.motion * max(light.shape[:2]) / _SHARE
    if reach < 1:
        return light
    side = 2 * int(np.ceil(reach / 2)) + 1
    steps = np.linspace(-reach / 2, reach / 2, 8 * side)
    ends = np.rint(
        side // 2 + steps[:, None] * [np.sin(optics.direction), np.cos(optics.direction)]
    )
    kernel = np.zeros((side, side), np.float32)
    np.add.at(kernel, tuple(ends.astype(int).T), 1.0)
    return np.asarray(cv2.filter2D(light, -1, kernel / kernel.sum()), np.float32)


def _add_noise(light: Field, sigma: float, chance: Chance) -> None:
    """Grain of single pixels in all colours alike, and blotches of colour twice their size."""
    import cv2

    height, width = light.shape[:2]
    half: Size = (max(1, width // 2), max(1, height // 2))
    blotches = chance.standard_normal((half[1], half[0], 3), np.float32) * np.float32(sigma)
    grain = chance.standard_normal((height, width), np.float32) * np.float32(sigma)
    light += cv2.resize(blotches, (width, height), interpolation=cv2.INTER_LINEAR)
    light += cv2.cvtColor(grain, cv2.COLOR_GRAY2RGB)


def _tones(optics: Optics) -> Pixels:
    tones = np.arange(256) / 255
    steep = 0.5 + 0.5 * np.tanh((tones - 0.5) * 2 * optics.contrast) / np.tanh(optics.contrast)
    mixed = tones + (steep - tones) * np.clip(optics.contrast - 0.5, 0, 1)
    return np.asarray(np.clip(np.rint(mixed * 255), 0, 255), np.uint8)
