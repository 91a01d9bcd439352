"""Whether stored strings stand on a new capture, asked of the recogniser line by line.

Exact re-reading would refuse a true page for one misread digit. The sharper question is how much likelier
the stored string is than its nearest rivals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from edge_clm.page.geometry import Ribbon, lengthened, unrolled, widened
from edge_clm.page.likelihood import Odds, odds
from edge_clm.page.symbols import Symbols
from edge_clm.types import Pixels, Reading

_SHIFTS = (0.0, -0.14, 0.14)
"""By how much of its height a place is moved to look again where it was not read at first."""
LOOKS = len(_SHIFTS)
"""How often a place is looked at, at most."""
_GROWN = 0.06
"""Share of its height by which a place is taken larger: what is registered is seldom exact."""
_ASIDE = 0.6
"""Line heights at either end that are looked at as well: there a digit may have been added."""
_ENOUGH = 6.0
"""Nats from which on nobody looks again."""

Recognise = Callable[[Sequence[Pixels]], list[Reading]]


@dataclass(frozen=True, slots=True)
class Claim:
    """A stored value: the text of the line it stands in, and which characters of it are the value."""

    line: int
    """Which line of the page's text."""
    text: str
    first: int
    last: int
    """The one after its last character."""

    @property
    def value(self) -> str:
        """The value as it was read."""
        return self.text[self.first : self.last]


@dataclass(frozen=True, slots=True)
class Proof:
    """A claim with what was seen."""

    claim: Claim
    odds: Odds | None
    """None where the value cannot be compared: no symbol of it is known to the recogniser."""

    @property
    def ratio(self) -> float:
        """By how many nats the stored value is likelier than its nearest rival; 0 where it cannot be compared."""
        return self.odds.ratio if self.odds else 0.0


def prove(
    claims: Sequence[tuple[Claim, Ribbon]],
    pixels: Pixels,
    recognise: Recognise,
    symbols: Symbols,
    looks: int = LOOKS,
) -> list[Proof]:
    """What a capture's pixels say of each claim, at the place where its line should stand.

    What is not read at once is looked at again a little higher and a little lower, `looks` times in all,
    and the look that makes the stored value likeliest counts.
    """
    proofs = [Proof(claim, None) for claim, _ in claims]
    for shift in _SHIFTS[:looks]:
        weak = [at for at, one in enumerate(proofs) if one.odds is None or one.ratio < _ENOUGH]
        places = [
            widened(lengthened(claims[at][1], _ASIDE), _GROWN - shift, _GROWN + shift)
            for at in weak
        ]
        crops = [unrolled(pixels, place) for place in places]
        for at, reading in zip(weak, recognise(crops) if crops else (), strict=True):
            proofs[at] = _likelier(proofs[at], _proof(claims[at][0], reading, symbols))
    return proofs


def _proof(claim: Claim, reading: Reading, symbols: Symbols) -> Proof:
    compared = symbols.compared(claim.text, reading.probabilities)
    first, last = (symbols.count(claim.text[:end]) for end in (claim.first, claim.last))
    if compared is None or first == last:
        return Proof(claim, None)
    string, rivals, probabilities = compared
    return Proof(claim, odds(probabilities, string, rivals, (first, last)))


def _likelier(one: Proof, other: Proof) -> Proof:
    """The look that makes the stored value likelier."""
    if one.odds is None or other.odds is None:
        return other if other.odds else one
    return one if one.odds.ratio > other.odds.ratio else other
