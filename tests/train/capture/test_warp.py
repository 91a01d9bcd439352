"""The way between a sheet and a capture: exact, both ways, and the one that pictures are drawn by."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_clm.train.capture import Bend, Hardness, Light, Plan, plan_capture, plan_scan
from edge_clm.train.capture.grid import Points, Size
from tests.train.capture.sheets import A4, blank, printed

DOTS = np.stack(np.meshgrid(np.linspace(40, 580, 9), np.linspace(40, 837, 11)), -1).reshape(-1, 2)


def across(size: Size) -> Points:
    """Points all over a sheet, its edges among them."""
    return np.stack(np.meshgrid(np.linspace(0, size[0], 23), np.linspace(0, size[1], 31)), -1)


def clear(bend: Bend, seed: int) -> Plan:
    """A photograph in even light, sharp and without noise, so that dots can be found to a fraction of a pixel."""
    plan = plan_capture(A4, seed, Hardness(bends={bend: 1}, lights={Light.BRIGHT: 1}))
    optics = replace(plan.optics, defocus=0.6, motion=0, noise=0, veil=0, sharpening=0, contrast=1)
    return replace(plan, optics=optics, printing=replace(plan.printing, run=0, ink=1))


@pytest.mark.parametrize("bend", Bend)
@pytest.mark.parametrize("severity", [0.0, 1.0, 2.5])
def test_there_and_back(bend: Bend, severity: float) -> None:
    """A point of the sheet leads to a point of the capture and back to within a 20th of a pixel."""
    for seed in range(4):
        warp = plan_capture(A4, seed, Hardness(bends={bend: 1}, severity=severity)).warp
        points = across(A4)
        there = warp.to_capture(points)
        assert np.abs(warp.to_sheet(there) - points).max() < 0.05
        width, height = warp.frame
        inside = ((there >= 0) & (there <= (width, height))).all(axis=-1)
        assert inside.mean() > 0.99, "the sheet lies within the frame"


@given(
    seed=st.integers(-(2**70), 2**70),
    width=st.integers(1, 1500),
    height=st.integers(1, 1500),
    severity=st.floats(0, 3),
)
@settings(max_examples=15, deadline=None)
def test_there_and_back_for_any_sheet(seed: int, width: int, height: int, severity: float) -> None:
    """The same holds for tiny sheets, long strips and any seed, for photographs and scans."""
    points = across((width, height))
    for warp in (
        plan_capture((width, height), seed, Hardness(severity=severity)).warp,
        plan_scan((width, height), seed).warp,
    ):
        assert np.isfinite(warp.to_capture(points)).all()
        assert np.abs(warp.to_sheet(warp.to_capture(points)) - points).max() < 0.05


def test_neighbours_stay_neighbours() -> None:
    """No part of a sheet is drawn over another: every small square keeps its orientation, however bent."""
    for seed in range(12):
        warp = plan_capture(A4, seed, Hardness(severity=3)).warp
        there = warp.to_capture(across(A4))
        right, down = np.diff(there, axis=1)[:-1], np.diff(there, axis=0)[:, :-1]
        assert (right[..., 0] * down[..., 1] - right[..., 1] * down[..., 0] > 0).all()


@pytest.mark.parametrize("bend", Bend)
def test_dots_are_where_the_warp_says(bend: Bend) -> None:
    """Dots drawn on a sheet are found on its capture within half a pixel of where they should be, most far nearer."""
    seed = 3
    plan = clear(bend, seed)
    sheet = blank()
    yy, xx = np.mgrid[: A4[1], : A4[0]] + 0.5
    for x, y in DOTS:
        sheet[np.hypot(xx - x, yy - y) < 4] = 0
    ink = plan.expose(blank()).astype(float).mean(axis=2) - plan.expose(sheet).mean(axis=2)
    rows, columns = np.mgrid[: ink.shape[0], : ink.shape[1]] + 0.5
    misses = []
    for x, y in plan.warp.to_capture(DOTS):
        near = ink * (np.hypot(columns - x, rows - y) < 9)
        assert near.sum() > 500, "the dot is there"
        misses.append(
            np.hypot((near * columns).sum() / near.sum() - x, (near * rows).sum() / near.sum() - y)
        )
    assert np.mean(misses) < 0.12
    assert np.max(misses) < 0.5


def test_boxes_cover_their_ink() -> None:
    """The quad of a box, carried to the capture, covers the box's ink and leaves the rest outside."""
    import cv2

    sheet, box = blank(), np.array([[200, 300], [390, 300], [390, 340], [200, 340]], float)
    sheet[300:340, 200:390] = 0
    for bend in Bend:
        plan = clear(bend, 5)
        ink = plan.expose(blank()).astype(float).mean(axis=2) - plan.expose(sheet).mean(axis=2)
        mask = np.zeros(ink.shape, np.uint8)
        edge = np.concatenate([np.linspace(box[i], box[(i + 1) % 4], 40) for i in range(4)])
        cv2.fillPoly(mask, [np.rint(plan.warp.to_capture(edge)).astype(np.int32)], 1)
        assert ink[mask > 0].sum() > 0.97 * ink.sum()
        assert np.median(ink[mask > 0]) > 0.9 * np.percentile(ink, 99.9) - 40


def test_points_beside_the_sheet_stay_beside_it() -> None:
    """What the capture shows of the table is beside the sheet on the sheet, too."""
    plan = plan_capture(A4, 11)
    width, height = plan.warp.frame
    corners = plan.warp.to_sheet(
        np.array([[0, 0], [width, 0], [width, height], [0, height]], float)
    )
    outside = (corners < 0) | (corners > A4)
    assert outside.any(axis=1).all()


def test_a_sheet_is_not_mirrored_and_hardly_turned() -> None:
    """Where no sheet lies on its side, what is at the left of a sheet is at the left of its capture."""
    for seed in range(10):
        warp = plan_capture(A4, seed, Hardness(on_its_side=0)).warp
        left, right, below = warp.to_capture(np.array([[10, 400], [600, 400], [10, 800]], float))
        assert right[0] > left[0]
        assert below[1] > left[1]
    assert printed().shape == blank().shape
