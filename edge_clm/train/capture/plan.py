"""A photograph planned before the sheet is known, so that several sheets can share it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from edge_clm.train.capture.backdrop import draw_backdrop
from edge_clm.train.capture.camera import Camera, draw_pose, framed, viewed
from edge_clm.train.capture.chance import between, one_of, stream
from edge_clm.train.capture.grid import Field, Grid, Size
from edge_clm.train.capture.hardness import Bend, Hardness, Light
from edge_clm.train.capture.light import Illumination, draw_illumination, shading
from edge_clm.train.capture.optics import Optics, developed, draw_optics, exposed
from edge_clm.train.capture.printing import Printing, draw_printing, reduced
from edge_clm.train.capture.surface import Surface, draw_surface
from edge_clm.train.capture.warp import Warp, displacement, make_warp
from edge_clm.types import Pixels

# How much of the severity asked for the best and the worst captures have.
_BEST, _WORST = 0.98, 1.35


@dataclass(frozen=True, slots=True, eq=False)
class Captured:
    """A simulated capture, and the way between it and the sheet."""

    pixels: Pixels
    warp: Warp


@dataclass(frozen=True, eq=False)
class Plan:
    """One photograph: all that is drawn by chance, and nothing of the sheet but its size.

    Sheets that differ in one place give captures that differ there only, up to the reach of blur and
    sharpening, and of JPEG's blocks after `apply`.
    """

    seed: int
    bend: Bend
    light: Light
    warp: Warp
    surface: Surface
    illumination: Illumination
    printing: Printing
    optics: Optics

    def apply(self, pixels: Pixels) -> Captured:
        """The capture of a sheet; raises ValueError where its size is not the one planned for."""
        return Captured(developed(self.expose(pixels), self.optics.quality), self.warp)

    def expose(self, pixels: Pixels) -> Pixels:
        """The capture of a sheet before JPEG; raises ValueError likewise."""
        if pixels.shape[1::-1] != self.warp.size:
            raise ValueError(f"planned for {self.warp.size}, not {pixels.shape[1::-1]}")
        light = self._laid(self.printing.prints(reduced(pixels, min(1.0, 1.1 * self._scale))))
        light *= self._gain
        light += self._rest
        return exposed(light, self.optics, stream(self.seed, "noise"))

    def _laid(self, printed: Pixels) -> Field:
        """What each pixel sees of a printed sheet: float32, (height, width, 3), 0…255."""
        import cv2

        share = _single(printed.shape[1::-1]) / _single(self.warp.size)
        maps = self._places * share - np.float32(0.5)
        seen = cv2.remap(printed, maps, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(seen, np.float32)

    @cached_property
    def _gain(self) -> Field:
        """How much light comes from each pixel for one step of the sheet's brightness."""
        lit, white = self._bent
        return self._falling * _thrice(self._cover * lit * (1 - white) * np.float32(1 / 255))

    @cached_property
    def _rest(self) -> Field:
        """The light that comes whatever is printed: from the table, from gloss, from glare."""
        lit, white = self._bent
        rest = self._table * _thrice(1 - self._cover)
        rest += _thrice(self._cover * lit * white)
        rest *= self._falling
        rest += _thrice(self._glare)
        return rest

    @cached_property
    def _scale(self) -> float:
        """Pixels of the capture for one of the sheet, where there are most of them."""
        down = np.diff(self.warp.forward.values, axis=0)[:, :-1]
        right = np.diff(self.warp.forward.values, axis=1)[:-1]
        area = np.abs(down[..., 0] * right[..., 1] - down[..., 1] * right[..., 0])
        return float(np.sqrt(np.percentile(area, 90))) / self.warp.forward.step

    @cached_property
    def _places(self) -> Field:
        return self.warp.backward.dense(self.warp.frame)

    @cached_property
    def _cover(self) -> Field:
        """How much of each pixel the sheet covers: float32, (height, width, 1), 0…1."""
        nearest = np.minimum(self._places, _single(self.warp.size) - self._places)
        inside = np.minimum(nearest[..., 0], nearest[..., 1])
        cover = np.clip(inside * np.float32(self._scale) + np.float32(0.5), 0, 1)
        return np.asarray(cover[..., None], np.float32)

    @cached_property
    def _bent(self) -> tuple[Field, Field]:
        found = shading(self.surface, self.illumination).under(self._places)
        return found[..., :1].copy(), found[..., 1:].copy()

    @cached_property
    def _table(self) -> Field:
        """The table with the shadow that the sheet's edge throws on it."""
        import cv2

        chance, frame = stream(self.seed, "edge"), self.warp.frame
        small = [max(1, side // 4) for side in frame]
        cover = cv2.resize(self._cover, small, interpolation=cv2.INTER_AREA)
        reach = max(between(chance, 0.002, 0.012) * max(small), 0.5)
        east, south = chance.uniform(-1, 1, 2) * reach
        moved = cv2.warpAffine(cover, _single([[1, 0, east], [0, 1, south]]), small)
        dark = cv2.GaussianBlur(moved, (0, 0), reach) * between(chance, 0.2, 0.6)
        table = draw_backdrop(self.seed, frame)
        table *= np.float32(1) - cv2.resize(dark, frame).astype(np.float32)[..., None]
        return table

    @cached_property
    def _falling(self) -> Field:
        return self.illumination.falling.dense(self.warp.frame)

    @cached_property
    def _glare(self) -> Field:
        return self.illumination.glare.dense(self.warp.frame)


def plan_capture(size: Size, seed: int, hardness: Hardness | None = None) -> Plan:
    """The photograph that `seed` draws of a sheet of that size (width, height)."""
    hardness = _this_time(seed, hardness or Hardness())
    chance = stream(seed, "kind")
    bend = one_of(chance, list(hardness.bends), list(hardness.bends.values()))
    light = one_of(chance, list(hardness.lights), list(hardness.lights.values()))
    surface = draw_surface(seed, size, bend, hardness)
    camera, moved = _view(seed, size, surface, hardness)
    warp = make_warp(size, camera.frame, camera.homography, moved)
    return Plan(
        seed,
        bend,
        light,
        warp,
        surface,
        draw_illumination(seed, light, camera.frame, hardness),
        draw_printing(seed, hardness),
        draw_optics(seed, light, hardness),
    )


def capture(pixels: Pixels, seed: int, hardness: Hardness | None = None) -> Captured:
    """The photograph that `seed` draws of a sheet: RGB, of whatever size."""
    height, width = pixels.shape[:2]
    return plan_capture((width, height), seed, hardness).apply(pixels)


def _single(numbers: ArrayLike) -> Field:
    return np.asarray(numbers, np.float32)


def _thrice(grey: Field) -> Field:
    """One channel as three, contiguous: numpy is slow where it has to repeat one."""
    import cv2

    return np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2RGB), np.float32)


def _this_time(seed: int, hardness: Hardness) -> Hardness:
    """Most captures go well and some badly, in everything at once."""
    luck = stream(seed, "luck").random()
    return replace(hardness, severity=hardness.severity * (_BEST + (_WORST - _BEST) * luck**3))


def _view(seed: int, size: Size, surface: Surface, hardness: Hardness) -> tuple[Camera, Grid]:
    pose = draw_pose(seed, hardness)
    camera = viewed(size, pose)
    moved = displacement(surface, camera.centre, size)
    across = np.stack(np.meshgrid(*(np.linspace(0, side, 65) for side in size)), axis=-1)
    outline = (across + moved.at(across)).reshape(-1, 2)
    return framed(camera, size, outline, pose), moved
