"""Where a comparison looks for marks: beside values, and over a whole page."""

from __future__ import annotations

import re
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from edge_clm.page import sign
from edge_clm.page.align import aligned, settled
from edge_clm.page.anchor import Anchor
from edge_clm.page.geometry import crop, lengthened, ribbon_of, shrunk, unrolled, widened
from edge_clm.page.look import ABOVE, ASIDE, BELOW, HIGH, Look
from edge_clm.page.prove import Claim
from edge_clm.page.register import Registration
from edge_clm.paper import Quad
from edge_clm.types import Pixels

_NUMBER = re.compile(r"([^\w]{0,3}(?:[^\W\d]{1,3}[^\w]{0,2})?)\d[\d.,' ]*\D{0,12}")
"""A number, behind a currency's sign or name at most and before a unit: of dates and names no sign changes what they say."""
_SIDE = 1000
"""Pixels of the longest side of a page that is looked at as a whole."""
_EDGE = 0.03
"""Share of a page's longest side, at its rim, that may show what lies beside it."""


@dataclass(frozen=True, slots=True)
class _Window:
    """How much around a line a look takes in."""

    line: int
    """Pixels of its height."""
    aside: float
    """Line heights at either end, as those above and below it."""
    above: float
    below: float
    narrowest: int
    """Pixels."""


_BESIDE = _Window(HIGH, ASIDE, ABOVE, BELOW, HIGH)
_BEFORE = _Window(
    sign.HIGH, sign.ASIDE, sign.AROUND, sign.AROUND, round(3 * sign.HIGH * sign.ASIDE)
)


def near(
    look: Look, anchor: Anchor, capture: Pixels, registration: Registration, claim: Claim
) -> float:
    """The log odds of a mark on or beside a value."""
    quad = anchor.text.lines[claim.line].part(*_around(claim))
    return look.lines([_looks(anchor, capture, registration, quad, _BESIDE)])[0]


def before(anchor: Anchor, capture: Pixels, registration: Registration, claim: Claim) -> float:
    """How much new ink stands before a value that is a number; 0 before any other."""
    number = _NUMBER.fullmatch(claim.value)
    if not number:
        return 0.0
    quad = anchor.text.lines[claim.line].part(claim.first + number.end(1), claim.last)
    return sign.sign(*_looks(anchor, capture, registration, quad, _BEFORE))


def far(look: Look, anchor: Anchor, capture: Pixels, registration: Registration) -> float:
    """The log odds of a mark anywhere on the page, as far as the capture shows it."""
    known, scale = shrunk(anchor.picture, _SIDE)
    height, width = known.shape[:2]
    places = registration.over(width, height, scale)
    seen = cv2.remap(
        capture, places[..., 0], places[..., 1], cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE
    )
    inside = (places >= 0).all(axis=2) & (places < [capture.shape[1], capture.shape[0]]).all(axis=2)
    valid = inside & _paper(anchor, height, width, scale)
    return float(look.page(known, np.asarray(seen, np.uint8), valid).max())


def _around(claim: Claim) -> tuple[int, int]:
    """A value's characters and one at either end: where they lie is known by their share of the line."""
    return max(claim.first - 1, 0), min(claim.last + 1, len(claim.text))


def _looks(
    anchor: Anchor, capture: Pixels, registration: Registration, quad: Quad, window: _Window
) -> tuple[Pixels, Pixels]:
    """The place of a value on the page and on the capture, straightened, in one size."""
    place, _ = aligned(crop(anchor.picture, quad), capture, registration.ribbon(quad))
    known, seen = (
        unrolled(pixels, widened(lengthened(ribbon, window.aside), window.above, window.below))
        for pixels, ribbon in ((anchor.picture, ribbon_of(quad)), (capture, place))
    )
    high = round(window.line * (1 + window.above + window.below))
    size = (max(window.narrowest, round(known.shape[1] * high / known.shape[0])), high)
    one, other = (
        np.asarray(cv2.resize(each, size, interpolation=cv2.INTER_AREA), np.uint8)
        for each in (known, seen)
    )
    return one, settled(one, other)


def _paper(anchor: Anchor, height: int, width: int, scale: float) -> NDArray[np.bool_]:
    """Where the known picture shows the sheet for sure: within the hull of its print and a little around."""
    corners = np.array([line.quad for line in anchor.text.lines], np.float32).reshape(-1, 2) / scale
    mask = np.zeros((height, width), np.uint8)
    if len(corners):
        hull = cv2.convexHull(corners).astype(np.int32)
        cv2.fillConvexPoly(mask, hull, 1)
    reach = max(1, round(_EDGE * max(height, width)))
    return np.asarray(cv2.dilate(mask, np.ones((reach, reach), np.uint8)) > 0)
