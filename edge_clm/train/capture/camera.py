"""A phone held over a sheet: where it is, and how it sees a flat sheet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edge_clm.train.capture.chance import between, either_side, happens, one_of, stream
from edge_clm.train.capture.grid import Points, Size
from edge_clm.train.capture.hardness import Hardness

Matrix = NDArray[np.float64]

# Frames, pixels; a strip of paper is photographed with table beside it.
_LARGEST, _SMALLEST, _NARROWEST = 4096, 24, 0.4


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """How a phone is held. Lengths are in diagonals of the sheet, angles in radians."""

    tilt: float
    """0 is straight from above."""
    azimuth: float
    """To which side of the sheet it is tilted."""
    roll: float
    distance: float
    margins: tuple[float, float, float, float]
    """Table left, above, right, below; shares of what the sheet takes up."""
    scale: float
    """Pixels of the capture for one of the sheet."""


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A pinhole: its place over the sheet, and the homography by which it sees the sheet's plane."""

    centre: tuple[float, float, float]
    """In pixels of the sheet; the third is the height over it."""
    homography: Matrix
    """3 × 3, from the sheet's pixels to the capture's."""
    frame: Size


def draw_pose(seed: int, hardness: Hardness) -> Pose:
    """A pose as people hold a phone."""
    chance = stream(seed, "pose")
    turn = one_of(chance, (90, 270, 180)) if happens(chance, hardness.on_its_side) else 0
    lean = min(hardness.severity, 1.6)
    slanted = happens(chance, 0.55)
    roll = either_side(chance, 0, 32 if slanted else 8) * lean
    left, above, right, below = (between(chance, 0.01, 0.14) for _ in range(4))
    return Pose(
        tilt=np.radians(between(chance, 2, 30)) * lean,
        azimuth=between(chance, 0, 2 * np.pi),
        roll=np.radians(turn + roll),
        distance=between(chance, 0.95, 2.0),
        margins=(left, above, right, below),
        scale=between(chance, *hardness.scale),
    )


def viewed(size: Size, pose: Pose) -> Camera:
    """The camera in that pose over a sheet, before its frame is chosen: the frame is (0, 0)."""
    width, height = size
    middle = np.array([width / 2, height / 2, 0])
    away = np.array(
        [
            np.sin(pose.tilt) * np.cos(pose.azimuth),
            np.sin(pose.tilt) * np.sin(pose.azimuth),
            np.cos(pose.tilt),
        ]
    )
    centre = middle + away * pose.distance * float(np.hypot(width, height))
    right = _unit(np.array([1.0, 0, 0]) - away * away[0])
    down = np.array([0, 1.0, 0]) - away * away[1]
    down = _unit(down - right * right[1])
    turn = np.array(
        [[np.cos(pose.roll), -np.sin(pose.roll)], [np.sin(pose.roll), np.cos(pose.roll)]]
    )
    axes = np.vstack([turn @ np.vstack([right, down]), -away])
    flat = axes @ np.column_stack([[1, 0, 0], [0, 1, 0], -centre])
    return Camera((centre[0], centre[1], centre[2]), flat / flat[2, 2], (0, 0))


def framed(camera: Camera, size: Size, outline: Points, pose: Pose) -> Camera:
    """The camera with a frame around the sheet: `outline`, (n, 2), is what it covers of its plane."""
    seen = project(camera.homography, outline)
    low, high = seen.min(axis=0), seen.max(axis=0)
    left, above, right, below = pose.margins
    extent = np.maximum(high - low, 1e-9)
    low, high = low - extent * (left, above), high + extent * (right, below)
    lacking = np.maximum(0.0, (high - low).max() * _NARROWEST - (high - low)) / 2
    low, high = low - lacking, high + lacking
    area = _area(project(camera.homography, np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * size))
    scale = pose.scale * float(np.sqrt(size[0] * size[1] / area))
    longest = float((high - low).max()) * scale
    scale *= min(max(1.0, _SMALLEST / longest), _LARGEST / longest)
    width, height = (max(1, round(float(side))) for side in (high - low) * scale)
    fit = np.array([[scale, 0, -low[0] * scale], [0, scale, -low[1] * scale], [0, 0, 1.0]])
    return Camera(camera.centre, fit @ camera.homography, (width, height))


def project(matrix: Matrix, points: Points) -> Points:
    """Points, (…, 2), through a homography; what lies at or beyond the horizon comes out far away."""
    flat = points @ matrix[:, :2].T + matrix[:, 2]
    depth: Points = np.maximum(flat[..., 2:], 1e-6)
    seen: Points = flat[..., :2] / depth
    return seen


def _area(corners: Points) -> float:
    following = np.roll(corners, -1, axis=0)
    cross = corners[:, 0] * following[:, 1] - corners[:, 1] * following[:, 0]
    return max(abs(float(cross.sum())) / 2, 1e-12)


def _unit(vector: Matrix) -> Matrix:
    unit: Matrix = vector / np.linalg.norm(vector)
    return unit
