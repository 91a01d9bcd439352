"""The bench of flaws: how it counts, and that what spoils pictures does so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bench.flaws import figures_of
from bench.spoil import WAYS, print_height
from edge_clm.paper import Line


def look(lost: float, *flaws: str, flaw: str = "blurred") -> dict[str, Any]:
    return {"flaw": flaw, "lost": lost, "flaws": list(flaws)}


def test_caught_counts_what_lost_words_and_alarms_count_pictures() -> None:
    """Only strong spoiling counts as missed, only its own flaw as caught, only clean pictures as alarms."""
    spoilt = [
        look(0.9, "blurred"),
        look(0.3, "dark"),
        look(0.2),
        look(0.05, "blurred"),
        look(0.0),
        look(1.0, "dark", flaw="dark"),
    ]
    results = [{"flaws": ["glare", "dark"], "spoilt": spoilt}, {"flaws": [], "spoilt": []}]
    figures = figures_of(results)
    told = {name: (figure.value, figure.n) for name, figure in figures.items()}
    assert told == {
        "flaws.blurred.caught": (0.5, 2),
        "flaws.blurred.slight": (0.5, 2),
        "flaws.dark.caught": (1.0, 1),
        "flaws.false_alarms": (0.5, 2),
    }


@pytest.mark.parametrize("way", WAYS)
def test_a_picture_is_spoilt_alike_each_time_and_more_by_more(way: str) -> None:
    """The same chance spoils alike; a stronger one leaves less of the print, or less of the picture."""
    light = np.full((400, 300), 210, np.uint8)
    light[40:360, 40:260] = np.random.default_rng(0).integers(40, 210, (320, 220))
    pixels = np.repeat(light[:, :, None], 3, axis=2)
    boxes = [((40.0, y), (260.0, y), (260.0, y + 30), (40.0, y + 30)) for y in range(40, 340, 40)]
    lines = [Line("text", box, 0.9) for box in boxes]
    _, spoil, strengths = WAYS[way]
    assert print_height(lines) == 30
    weak, again, strong = (
        spoil(pixels, lines, strength, np.random.default_rng(1))
        for strength in (strengths[0], strengths[0], strengths[-1])
    )
    assert np.array_equal(weak, again)
    assert weak.dtype == np.uint8 and weak.ndim == 3
    assert print_left(strong) < print_left(weak) < print_left(pixels)


def print_left(pixels: np.ndarray[Any, Any]) -> float:
    """How much grey changes along the rows, in all."""
    return float(np.abs(np.diff(pixels.astype(float), axis=1)).sum())
