"""The capture that stands for a page, with all that others are compared with."""

from __future__ import annotations

from dataclasses import dataclass

from edge_clm.page.geometry import turned
from edge_clm.page.identity import Identity, identity_of
from edge_clm.page.keypoints import Keypoints, keypoints_of
from edge_clm.paper import Extraction, PageText
from edge_clm.types import Pixels


@dataclass(frozen=True, slots=True, eq=False)
class Anchor:
    """A known page."""

    picture: Pixels
    """Upright."""
    text: PageText
    keypoints: Keypoints
    """Of the upright picture."""
    identity: Identity


def anchor_of(
    pixels: Pixels, text: PageText, read: Extraction, keypoints: Keypoints | None = None
) -> Anchor:
    """The anchor of a capture, from its canonical pixels, its text and what rules read on that.

    `keypoints`: those of the upright picture, where they were made before.
    """
    upright = turned(pixels, text.turn)
    return Anchor(upright, text, keypoints or keypoints_of(upright), identity_of(text, read))
