"""The way between a sheet and a capture of it, for points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edge_clm.train.capture.camera import Matrix, project
from edge_clm.train.capture.grid import Field, Grid, Points, Size, nodes, step_for
from edge_clm.train.capture.surface import Surface

_NODES = 512
"""Along the longest side of a capture."""
_ROUNDS = 80
_NEAR = 0.02
"""Pixels of the sheet within which the search for a point ends."""
_POLISH = 4


@dataclass(frozen=True, slots=True, eq=False)
class Warp:
    """Where each point of a sheet lies on a capture, and the other way; bilinear between nodes.

    Points are float64, (…, 2), (x, y) in pixels counted from the top left corner, the first pixel
    spanning 0…1; quads and boxes are points as well.
    """

    size: Size
    """Of the sheet."""
    frame: Size
    """Of the capture."""
    forward: Grid
    """Over the sheet: where its points lie on the capture."""
    backward: Grid
    """Over the capture: which points of the sheet are seen there. Pictures are drawn by it."""

    def to_sheet(self, points: Points) -> Points:
        """Points of the capture on the sheet; those beside it come out beside it."""
        return self.backward.at(points)

    def to_capture(self, points: Points) -> Points:
        """Points of the sheet on the capture: those that `to_sheet` leads back to them, to 0.05 pixels."""
        aim = np.asarray(points, np.float64)
        tried, found = aim, self.forward.at(aim)
        for _ in range(_POLISH):
            tried = tried + (aim - self.backward.at(found))
            found = self.forward.at(tried)
        return found


def make_warp(size: Size, frame: Size, homography: Matrix, moved: Grid) -> Warp:
    """The warp of a sheet on whose plane bending has moved each point as seen by the camera.

    `moved`, over the sheet, in its pixels, must nowhere change by as much as it is moved along:
    see `displacement`.
    """
    step = moved.step
    forward = project(homography, (nodes(size, step) + moved.values).astype(np.float64))
    apart = step_for(frame, _NODES)
    plane = project(
        np.linalg.inv(homography).astype(np.float64), nodes(frame, apart).astype(np.float64)
    )
    far = 2.0 * max(size)
    plane = np.clip(plane, -far, far + np.array(size))
    found = _unmoved(moved, plane.astype(np.float32))
    back = plane - moved.at(found.astype(np.float64))
    return Warp(
        size, frame, Grid(forward.astype(np.float32), step), Grid(back.astype(np.float32), apart)
    )


def displacement(surface: Surface, centre: tuple[float, float, float], size: Size) -> Grid:
    """By how much each point of a sheet seems moved along the sheet's plane, seen from `centre`.

    Paper that would hide other paper from the camera is bent less, until it hides none.
    """
    for share in (0.85**power for power in range(40)):
        moved = _moved(surface.scaled(share), centre, size)
        if _steepest(moved) <= 0.75:
            return moved
    return Grid(np.zeros((*surface.height.shape, 2), np.float32), surface.step)


def _moved(surface: Surface, centre: tuple[float, float, float], size: Size) -> Grid:
    lying = nodes(size, surface.step) + surface.shift
    rise = surface.height / (np.float32(centre[2]) - surface.height)
    seen = surface.shift + rise[..., None] * (lying - np.array(centre[:2], np.float32))
    return Grid(seen.astype(np.float32), surface.step)


def _steepest(moved: Grid) -> float:
    """The most by which neighbouring points move apart or together, per pixel between them."""
    down = np.diff(moved.values, axis=0)[:, :-1] / moved.step
    right = np.diff(moved.values, axis=1)[:-1] / moved.step
    return float(np.sqrt((down**2).sum(axis=-1) + (right**2).sum(axis=-1)).max())


def _unmoved(moved: Grid, plane: Field) -> Field:
    """The points of the sheet that bending has moved to given places of its plane.

    Found for every fourth place first, since that is cheap and nearly tells the others.
    """
    import cv2

    coarse = _settled(moved, plane[::4, ::4], plane[::4, ::4])
    spread = np.array([[4, 0, 0], [0, 4, 0]], np.float32)
    guess = cv2.warpAffine(coarse, spread, plane.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
    return _settled(moved, plane, np.asarray(guess, np.float32))


def _settled(moved: Grid, plane: Field, found: Field) -> Field:
    for _ in range(_ROUNDS):
        before, found = found, plane - moved.under(found)
        if float(np.abs(found - before).max()) < _NEAR:
            break
    return found
