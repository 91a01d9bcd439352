"""Whether comparing a capture with a known page is worth it: by what it has saved and cost so far."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from math import frexp

from edge_clm.types import KnownPage

_NEWEST = 0.2
"""Weight of the newest time, and of the newest outcome, in a running mean."""
_PRIOR = 4.0
"""How many outcomes the share of captures as much alike counts for beside those of a page itself."""
_PAGES = 4096
"""How many pages' outcomes are remembered, the latest."""
_AGAIN = 20
"""Of so many captures that were not compared, one is: what was not worth it may have come to be."""


@dataclass(slots=True)
class _Outcomes:
    """How often a page was recalled, and how often its answer could be given."""

    tried: float = 0.0
    served: float = 0.0


class Economy:
    """Decides by measured times: those of reading a page anew, of comparing, and how often that served
    where a capture looked as much like a page.

    Optimistic until it knows better. What one tenant does changes nothing for another but the times.
    """

    def __init__(self) -> None:
        self._read_ms: float | None = None
        self._compared_ms: float | None = None
        self._shares: dict[tuple[str, int], float] = {}
        self._skipped: dict[str, int] = {}
        self._pages: OrderedDict[tuple[str, int], _Outcomes] = OrderedDict()

    def read(self, ms: float) -> None:
        """A page was read, and its state made, in so many milliseconds."""
        self._read_ms = _mean(self._read_ms, ms)

    def compared(self, tenant: str, page: KnownPage, ms: float, *, served: bool) -> None:
        """A capture was compared with a page in so many milliseconds; `served` where an answer could be given."""
        self._compared_ms = _mean(self._compared_ms, ms)
        like = (tenant, _step(page))
        self._shares[like] = _mean(self._shares.get(like, 1.0), float(served))
        outcomes = self._pages.setdefault((tenant, page.number), _Outcomes())
        self._pages.move_to_end((tenant, page.number))
        outcomes.tried += 1
        outcomes.served += served
        while len(self._pages) > _PAGES:
            self._pages.popitem(last=False)

    def is_worth(self, tenant: str, page: KnownPage) -> bool:
        """Whether comparing with that page will, as far as is known, save more than it costs."""
        if self._read_ms is None or self._compared_ms is None:
            return True
        if self._likely(tenant, page) * self._read_ms > self._compared_ms:
            return True
        skipped = self._skipped.get(tenant, 0) + 1
        self._skipped[tenant] = skipped % _AGAIN
        return skipped == _AGAIN

    def _likely(self, tenant: str, page: KnownPage) -> float:
        """How likely an answer can be given: by this page's outcomes, and where they are few by those of
        captures that looked as much like other pages."""
        outcomes = self._pages.get((tenant, page.number), _Outcomes())
        share = self._shares.get((tenant, _step(page)), 1.0)
        return (_PRIOR * share + outcomes.served) / (_PRIOR + outcomes.tried)


def _step(page: KnownPage) -> int:
    """Outcomes are told apart by likeness, in powers of two: what has more in common more often serves."""
    return frexp(page.likeness)[1]


def _mean(before: float | None, now: float) -> float:
    return now if before is None else before + _NEWEST * (now - before)
