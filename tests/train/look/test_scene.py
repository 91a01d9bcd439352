"""Light and lenses over a stretch of paper."""

from __future__ import annotations

from random import Random

import numpy as np

from edge_clm.train.look.scene import draw_scene

SHAPE = (83, 160)


def test_a_scene_lights_equal_paper_equally() -> None:
    """What two papers have in common, far from where they differ, a scene shows alike before its grain."""
    for seed in range(20):
        scene = draw_scene(SHAPE, 32.0, Random(seed))
        paper = np.full((*SHAPE, 3), 230, np.float32)
        marked = paper.copy()
        marked[:, :20] = 30
        one, other = scene.lit(paper), scene.lit(marked)
        assert np.allclose(one[:, 60:], other[:, 60:], atol=0.5)


def test_ink_stays_darker_than_its_paper() -> None:
    """Under whatever light, black print on white paper is not seen lighter than the paper around it."""
    for seed in range(20):
        scene = draw_scene(SHAPE, 32.0, Random(seed))
        paper = np.full((*SHAPE, 3), 230, np.float32)
        printed = paper.copy()
        printed[30:50, 60:100] = 20
        bare, inked = scene.lit(paper), scene.lit(printed)
        assert (inked[38:42, 75:85] <= bare[38:42, 75:85] + 0.5).all()


def test_a_scene_is_seen_the_same_twice() -> None:
    """Grain and JPEG come from the scene's own seed."""
    scene = draw_scene(SHAPE, 32.0, Random(3))
    lit = scene.lit(np.full((*SHAPE, 3), 200, np.float32))
    assert (scene.seen(lit) == scene.seen(lit)).all()
