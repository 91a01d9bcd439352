"""Photographs: the same from the same seed, other from another, and an edit stays where it was made."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from itertools import cycle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_clm.train.capture import (
    Bend,
    Hardness,
    Light,
    capture,
    flattened,
    plan_capture,
    plan_scan,
    put_back,
    scan,
)
from edge_clm.types import Pixels
from tests.train.capture.sheets import A4, blank, printed

CHILD = """
import hashlib, sys
from edge_clm.train.capture import capture, scan
from tests.train.capture.sheets import printed
for seed in (1, 2):
    for way in (capture, scan):
        print(hashlib.sha256(way(printed(), seed).pixels.tobytes()).hexdigest())
"""


def alike(flat: Pixels) -> float:
    """How well the strokes of a flattened capture of `printed` go with the sheet's own."""
    inner = (slice(40, -40), slice(40, -40))
    seen, drawn = (pixels[inner].astype(float).mean(axis=2) for pixels in (flat, printed()))
    return float(np.corrcoef(seen.ravel(), drawn.ravel())[0, 1])


def digest(pixels: Pixels) -> str:
    return hashlib.sha256(pixels.tobytes()).hexdigest()


def test_the_same_in_every_process() -> None:
    """Captures and scans of a seed are the same to the bit in another process."""
    child = subprocess.run(
        [sys.executable, "-c", CHILD], capture_output=True, text=True, check=True
    )
    here = [digest(way(printed(), seed).pixels) for seed in (1, 2) for way in (capture, scan)]
    assert child.stdout.split() == here
    assert len(set(here)) == 4


@pytest.mark.parametrize(("bend", "light"), [*zip(Bend, cycle(Light), strict=False)])
def test_every_kind_is_a_picture_with_print(bend: Bend, light: Light) -> None:
    """Every bend in every light gives RGB in which ink is darker than the paper about it."""
    plan = plan_capture(A4, 7, Hardness(bends={bend: 1}, lights={light: 1}))
    found = plan.apply(printed())
    assert found.pixels.dtype == np.uint8 and found.pixels.flags.c_contiguous
    assert found.pixels.shape == (found.warp.frame[1], found.warp.frame[0], 3)
    assert plan.bend is bend and plan.light is light
    change = plan.expose(blank()).astype(int) - plan.expose(printed()).astype(int)
    assert np.percentile(change.max(axis=2), 99) > 20
    assert (change < -40).mean() < 0.001


@pytest.mark.parametrize("seed", range(4))
def test_an_edit_stays_where_it_was_made(seed: int) -> None:
    """Two sheets that differ in one box give captures that differ there only, up to the reach of blur."""
    before, after = printed(), printed()
    after[400:420, 250:300] = 128
    box = np.array([[250, 400], [300, 400], [300, 420], [250, 420]], float)
    for plan, reach in ((plan_capture(A4, seed), 14), (plan_scan(A4, seed), 6)):
        changed = np.argwhere((plan.expose(before) != plan.expose(after)).any(axis=2))
        assert len(changed), "the edit shows"
        low, high = (edge(plan.warp.to_capture(box)) for edge in (axis_min, axis_max))
        assert (changed.min(axis=0)[::-1] >= low - reach).all()
        assert (changed.max(axis=0)[::-1] <= high + reach).all()
        whole = np.argwhere((plan.apply(before).pixels != plan.apply(after).pixels).any(axis=2))
        assert (whole.min(axis=0)[::-1] >= low - reach - 32).all()
        assert (whole.max(axis=0)[::-1] <= high + reach + 32).all()


def axis_min(points: np.ndarray) -> np.ndarray:
    return points.min(axis=0)


def axis_max(points: np.ndarray) -> np.ndarray:
    return points.max(axis=0)


def test_an_edit_is_put_back_into_a_capture() -> None:
    """An edit of the flattened sheet reaches the capture at its place, and leaves every other pixel."""
    plan = plan_capture(A4, 2)
    taken = plan.apply(printed()).pixels
    flat = flattened(plan.warp, taken)
    assert flat.shape == (A4[1], A4[0], 3)
    edited = flat.copy()
    edited[400:420, 250:300] = 0
    again = put_back(plan.warp, taken, flat, edited)
    box = plan.warp.to_capture(np.array([[250, 400], [300, 400], [300, 420], [250, 420]], float))
    changed = np.argwhere((again != taken).any(axis=2))[:, ::-1]
    assert (changed >= box.min(axis=0) - 3).all() and (changed <= box.max(axis=0) + 3).all()
    x, y = box.mean(axis=0).astype(int)
    assert again[y, x].max() < 40
    assert np.array_equal(put_back(plan.warp, taken, flat, flat), taken)


def test_flattening_undoes_the_warp() -> None:
    """A flattened capture shows strokes where the sheet has them."""
    for bend in Bend:
        plan = plan_capture(
            A4, 4, Hardness(bends={bend: 1}, lights={Light.BRIGHT: 1}, scale=(1, 1))
        )
        assert alike(flattened(plan.warp, plan.expose(printed()))) > 0.7, bend


@given(
    seed=st.integers(0, 2**63),
    size=st.sampled_from([(1, 1), (3, 2), (1, 900), (900, 1), (9, 400), (2500, 60), (64, 64)]),
    severity=st.sampled_from([0.0, 1.0, 3.0]),
)
@settings(max_examples=15, deadline=None)
def test_any_sheet_can_be_taken(seed: int, size: tuple[int, int], severity: float) -> None:
    """Sheets of any size and shape are photographed and scanned."""
    for found in (capture(blank(size), seed, Hardness(severity=severity)), scan(blank(size), seed)):
        assert found.pixels.shape == (found.warp.frame[1], found.warp.frame[0], 3)
        assert found.warp.size == size


def test_huge_sheets_give_captures_of_a_phones_size() -> None:
    """A sheet larger than any picture is brought down to one, whatever OpenCV's own limits."""
    strip = (60, 40_000)
    for found in (capture(blank(strip), 1), scan(blank(strip), 1)):
        assert max(found.pixels.shape) <= 4096
    assert max(plan_capture((30_000, 20_000), 1).warp.frame) <= 4096


def test_severity_takes_print_away() -> None:
    """The print of harder captures is less like that of their sheets, on the whole."""

    def likeness(severity: float) -> float:
        hardness = Hardness(severity=severity, lights={Light.BRIGHT: 1})
        plans = [plan_capture(A4, seed, hardness) for seed in range(4)]
        return float(np.mean([alike(flattened(p.warp, p.expose(printed()))) for p in plans]))

    easy, usual, hard = (likeness(severity) for severity in (0.0, 1.0, 3.0))
    assert hard < usual - 0.05
    assert usual < easy


def test_a_sheet_of_another_size_is_refused() -> None:
    """A plan is for one size of sheet."""
    for plan in (plan_capture(A4, 0), plan_scan(A4, 0)):
        with pytest.raises(ValueError, match="planned for"):
            plan.apply(blank((100, 100)))


def test_only_kinds_with_weight_are_drawn() -> None:
    """Bends and lights without weight never come; those with weight all do."""
    hardness = Hardness(bends={Bend.CURLED: 1, Bend.FLAT: 1}, lights={Light.DIM: 1, Light.LAMP: 0})
    plans = [plan_capture((40, 60), seed, hardness) for seed in range(30)]
    assert {plan.bend for plan in plans} == {Bend.CURLED, Bend.FLAT}
    assert {plan.light for plan in plans} == {Light.DIM}
