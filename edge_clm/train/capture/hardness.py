"""How hard simulated captures are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Bend(StrEnum):
    """How the paper lies."""

    FLAT = "flat"
    """Seen in perspective, hardly bent."""
    CURLED = "curled"
    FEW_FOLDS = "few_folds"
    MANY_FOLDS = "many_folds"
    CRUMPLED = "crumpled"
    CRUMPLED_HARD = "crumpled_hard"


class Light(StrEnum):
    """What light it lies in."""

    BRIGHT = "bright"
    COLOUR = "colour"
    """Tinted, from a hint to a strong hue."""
    SHADOW = "shadow"
    """Shadows with soft edges fall on it."""
    LAMP = "lamp"
    """A warm lamp nearby, which fades over the sheet and may be reflected."""
    DIM = "dim"
    """So little that the picture is noisy."""


def _bends() -> dict[Bend, float]:
    return dict.fromkeys(Bend, 1.0)


def _lights() -> dict[Light, float]:
    real = dict.fromkeys((Light.BRIGHT, Light.COLOUR, Light.SHADOW), 1.0)
    return real | {Light.LAMP: 0.5, Light.DIM: 0.5}


@dataclass(frozen=True, slots=True)
class Hardness:
    """What kinds of capture are drawn, and how strong everything in them is.

    The default is as hard as real phone photos of bent invoices: `python -m bench capture` shows it.
    """

    bends: Mapping[Bend, float] = field(default_factory=_bends)
    """Weight of each; those that are absent are not drawn."""
    lights: Mapping[Light, float] = field(default_factory=_lights)
    severity: float = 1.0
    """0 leaves what the light is and where the sheet lies; 2 is about twice as bent, blurred, noisy
    and faded. Each capture varies about it."""
    on_its_side: float = 0.06
    """How often a sheet lies on a side or on its head."""
    scale: tuple[float, float] = (0.72, 1.05)
    """Pixels of the capture for one of the sheet, from the fewest to the most."""
