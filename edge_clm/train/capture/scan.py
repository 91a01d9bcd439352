"""A flatbed scan of a sheet: skewed, speckled, faded, its ink run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from edge_clm.train.capture.chance import between, either_side, happens, one_of, stream
from edge_clm.train.capture.grid import Field, Grid, Size, nodes, step_for
from edge_clm.train.capture.optics import developed
from edge_clm.train.capture.plan import Captured
from edge_clm.train.capture.printing import reduced
from edge_clm.train.capture.warp import Warp, make_warp
from edge_clm.types import Pixels

_NODES = 64
_LARGEST = 4096


@dataclass(frozen=True, slots=True)
class Scanner:
    """A scanner and the copy that lies on it; lengths in pixels of the scan, levels 0…1."""

    grey: bool
    black_and_white: bool
    ink: float
    """How dark ink comes out."""
    white: float
    """How light paper comes out."""
    run: float
    """Standard deviation of the blur by which ink has run."""
    bold: float
    """Below 0 strokes come out thinner, above 0 bolder."""
    speckle: float
    """Share of pixels with a speck of dust or of missing toner."""
    noise: float
    through: float
    """How much of the sheet's other side shows: the page itself, mirrored."""
    streaks: float
    quality: int


@dataclass(frozen=True, eq=False)
class ScanPlan:
    """One scan: all that is drawn by chance, and nothing of the sheet but its size; see `Plan`."""

    seed: int
    warp: Warp
    scanner: Scanner

    def apply(self, pixels: Pixels) -> Captured:
        """The scan of a sheet; raises ValueError where its size is not the one planned for."""
        return Captured(developed(self.expose(pixels), self.scanner.quality), self.warp)

    def expose(self, pixels: Pixels) -> Pixels:
        """The scan of a sheet before JPEG; raises ValueError likewise."""
        import cv2

        if pixels.shape[1::-1] != self.warp.size:
            raise ValueError(f"planned for {self.warp.size}, not {pixels.shape[1::-1]}")
        light = self._laid(pixels)
        if self.scanner.grey or self.scanner.black_and_white:
            light = np.repeat(light.mean(axis=2, keepdims=True), 3, axis=2)
        if self.scanner.run > 0.25:
            light = np.asarray(cv2.GaussianBlur(light, (0, 0), self.scanner.run), np.float32)
        light = self._toned(light)
        if self.scanner.black_and_white:
            light = (light > 0.5 * (self.scanner.ink + self.scanner.white)).astype(np.float32)
        return np.rint(np.clip(light, 0, 1) * 255).astype(np.uint8)

    def _laid(self, pixels: Pixels) -> Field:
        import cv2

        size, frame = self.warp.size, self.warp.frame
        small = reduced(pixels, min(1.0, max(frame) / max(size)))
        share = np.array([small.shape[1] / size[0], small.shape[0] / size[1]], np.float32)
        maps = self.warp.backward.dense(frame) * share - np.float32(0.5)
        page = cv2.remap(small, maps, None, cv2.INTER_LINEAR, borderValue=(255, 255, 255))
        return np.asarray(page.astype(np.float32) * np.float32(1 / 255))

    def _toned(self, light: Field) -> Field:
        """Ink and paper as this scanner shows them, with its dirt."""
        scanner = self.scanner
        gamma = np.float32(2.0**scanner.bold)
        light = np.clip(light, 0, 1) ** gamma
        if scanner.through:
            light *= 1 - np.float32(scanner.through) * (
                1 - light[:, ::-1].mean(axis=2, keepdims=True)
            )
        light *= np.float32(scanner.white - scanner.ink)
        light += np.float32(scanner.ink)
        light += self._dirt
        return light

    @cached_property
    def _dirt(self) -> Field:
        """What is added to every scan of this plan: noise, streaks and specks."""
        import cv2

        chance = stream(self.seed, "dirt")
        width, height = self.warp.frame
        dirt = chance.standard_normal((height, width), np.float32) * np.float32(self.scanner.noise)
        dirt += np.float32(self.scanner.streaks) * chance.standard_normal((1, width), np.float32)
        dust = (chance.random((height, width), np.float32) < self.scanner.speckle).astype(
            np.float32
        )
        sign = np.where(
            chance.random((height, width), np.float32) < 0.7, np.float32(-1), np.float32(1)
        )
        dirt += cv2.GaussianBlur(dust * sign, (3, 3), 0) * np.float32(2.5)
        return dirt[..., None]


def plan_scan(size: Size, seed: int) -> ScanPlan:
    """The scan that `seed` draws of a sheet of that size (width, height)."""
    chance = stream(seed, "scan")
    scale = min(between(chance, 0.55, 1.0), _LARGEST / max(size))
    turn = np.radians(either_side(chance, 0, 2.5) if happens(chance, 0.6) else 0.0)
    frame = (max(1, round(size[0] * scale)), max(1, round(size[1] * scale)))
    cos, sin = np.cos(turn) * scale, np.sin(turn) * scale
    about = np.array(frame) / 2 + chance.uniform(-0.01, 0.01, 2) * frame
    start = about - np.array([[cos, -sin], [sin, cos]]) @ (np.array(size) / 2)
    straight = np.array([[cos, -sin, start[0]], [sin, cos, start[1]], [0, 0, 1]])
    step = step_for(size, _NODES)
    still = Grid(np.zeros_like(nodes(size, step)), step)
    return ScanPlan(seed, make_warp(size, frame, straight, still), _draw_scanner(seed))


def scan(pixels: Pixels, seed: int) -> Captured:
    """The scan that `seed` draws of a sheet: RGB, of whatever size."""
    height, width = pixels.shape[:2]
    return plan_scan((width, height), seed).apply(pixels)


def _draw_scanner(seed: int) -> Scanner:
    chance = stream(seed, "scanner")
    return Scanner(
        grey=happens(chance, 0.6),
        black_and_white=happens(chance, 0.15),
        ink=one_of(chance, (between(chance, 0, 0.2), between(chance, 0.2, 0.55)), (3, 1)),
        white=between(chance, 0.85, 1.05),
        run=between(chance, 0.0, 0.9),
        bold=between(chance, -1, 1),
        speckle=between(chance, 0, 0.0012) * happens(chance, 0.6),
        noise=between(chance, 0.0, 0.03),
        through=between(chance, 0.03, 0.12) * happens(chance, 0.2),
        streaks=between(chance, 0, 0.02) * happens(chance, 0.3),
        quality=round(between(chance, 45, 95)),
    )
