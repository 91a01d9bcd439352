"""Dark bars on which print is light, as the heads and the sums of tables have them: no marks."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass
from random import Random

import numpy as np

from edge_clm.train.capture.grid import Field
from edge_clm.train.look.changes import Paper
from edge_clm.train.look.gallery import Plate
from edge_clm.train.pages.page import Box

_LIGHT = 250
"""Of print on a bar."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A dark bar on which print is light."""

    about: Box
    """In pixels of the sheet."""
    colour: tuple[float, ...]

    def behind(self, paper: Paper, x: Field, y: Field) -> Paper:
        """The paper with the bar; `x` and `y`, (height, width): where on the sheet its pixels lie."""
        left, top, right, bottom = self.about
        inside = np.minimum(np.minimum(x - left, right - x), np.minimum(y - top, bottom - y))
        share = np.clip(inside + 0.5, 0, 1)[..., None].astype(np.float32)
        ink = 1 - paper.min(axis=2, keepdims=True) / 255
        dark = np.asarray(self.colour, np.float32)
        return np.asarray(paper * (1 - share) + share * (dark + (_LIGHT - dark) * ink), np.float32)


def draw_bar(plate: Plate, line: Box, rng: Random) -> Bar:
    """A bar behind a line of a page, as wide as the page or a little wider than the line."""
    left, top, right, bottom = line
    high, width = bottom - top, plate.looks[0].shape[1]
    wide = rng.random() < 0.6
    about = (
        (0.05 * width if wide else left) - rng.uniform(0.1, 1.5) * high,
        top - rng.choice((0.3, rng.uniform(0.1, 1.2))) * high,
        (0.95 * width if wide else right) + rng.uniform(0.1, 1.5) * high,
        bottom + rng.choice((0.3, rng.uniform(0.1, 1.2))) * high,
    )
    dark = colorsys.hsv_to_rgb(rng.random(), rng.uniform(0, 1), rng.uniform(0.05, 0.6))
    return Bar(about, tuple(255 * one for one in dark))
