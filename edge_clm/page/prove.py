"""Whether stored strings stand on a new capture, asked of the recogniser crop by crop.

Exact re-reading would refuse a true page for one misread digit. The sharper question is how much likelier
the stored string is than its nearest rivals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from edge_clm.page.geometry import crop
from edge_clm.page.likelihood import Odds, odds
from edge_clm.page.symbols import Symbols
from edge_clm.paper import Quad
from edge_clm.types import Pixels, Reading

_SHIFTS = (0.0, -0.14, 0.14)
"""By how much of its height a place is moved to look again where it was not read at first."""
_GROWN = 0.06
"""Share of its height by which a place is taken larger: what is registered is seldom exact."""

Recognise = Callable[[Sequence[Pixels]], list[Reading]]


class Standing(StrEnum):
    """What a capture says of a stored string."""

    AGREES = "agrees"
    CONFLICTS = "conflicts"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True)
class Claim:
    """A stored string and where it should stand on the capture."""

    text: str
    place: Quad


@dataclass(frozen=True, slots=True)
class Bounds:
    """From which ratios on a string agrees or conflicts, in nats; calibrated, never set by eye."""

    agrees: float
    conflicts: float
    """Negative: the rival is that much likelier."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A claim with what was seen."""

    claim: Claim
    standing: Standing
    odds: Odds | None
    """None where the string cannot be compared."""


def prove(
    claims: Sequence[Claim],
    pixels: Pixels,
    recognise: Recognise,
    symbols: Symbols,
    bounds: Bounds,
) -> list[Proof]:
    """What a capture's pixels say of each claim; those that are not read at once are looked at again, shifted."""
    proofs = [Proof(claim, Standing.UNREAD, None) for claim in claims]
    for shift in _SHIFTS:
        unread = [at for at, one in enumerate(proofs) if one.standing is Standing.UNREAD]
        crops = [crop(pixels, _moved(claims[at].place, shift)) for at in unread]
        for at, reading in zip(unread, recognise(crops) if crops else (), strict=True):
            proofs[at] = _better(proofs[at], _proof(claims[at], reading, symbols, bounds))
    return proofs


def _proof(claim: Claim, reading: Reading, symbols: Symbols, bounds: Bounds) -> Proof:
    compared = symbols.compared(claim.text, reading.probabilities)
    if compared is None:
        return Proof(claim, Standing.UNREAD, None)
    string, rivals, probabilities = compared
    found = odds(probabilities, string, rivals)
    if found.ratio >= bounds.agrees:
        standing = Standing.AGREES
    else:
        standing = Standing.CONFLICTS if found.ratio <= bounds.conflicts else Standing.UNREAD
    return Proof(claim, standing, found)


def _better(one: Proof, other: Proof) -> Proof:
    """The look that makes the stored string likelier; of two that read nothing, the later one."""
    if one.odds is None or other.odds is None:
        return other if other.odds else one
    return one if one.odds.ratio > other.odds.ratio else other


def _moved(place: Quad, shift: float) -> Quad:
    """The place a little larger, and moved along its height."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = place
    up, down = -_GROWN + shift, _GROWN + shift
    left, right = (dx - ax, dy - ay), (cx - bx, cy - by)
    return (
        (ax + up * left[0], ay + up * left[1]),
        (bx + up * right[0], by + up * right[1]),
        (cx + down * right[0], cy + down * right[1]),
        (dx + down * left[0], dy + down * left[1]),
    )
