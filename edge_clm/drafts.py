"""What was answered about a page before and may be the answer again: for the model to confirm."""

from __future__ import annotations

from collections.abc import Callable

from edge_clm.breaker import CacheBreaker
from edge_clm.inquiry import Request
from edge_clm.ports import Memory
from edge_clm.types import Draft, Snapshot, Suffix


class Drafts:
    """Finds the stored answer that the model will most likely give again."""

    def __init__(
        self, memory: Memory, breaker: CacheBreaker, asked_field: Callable[[str], str]
    ) -> None:
        """`asked_field` names the field that a question is for, empty where that is not sure."""
        self._memory = memory
        self._breaker = breaker
        self._asked_field = asked_field

    async def likeliest(self, request: Request, page_key: str) -> Snapshot | None:
        """The answer to the same question about the page of that key, else to the same in other words.

        The newest one, and one of the model that is asked before another's. None for who wants a fresh answer
        or a drawn one.
        """
        if request.inquiry.wish.fresh or request.sampling.temperature > 0:
            return None
        kept = self._memory.drafts(request.inquiry.tenant, page_key)
        found = await self._breaker.read(kept, ())
        # Of equals max takes the first, which is the newest.
        near = [one for one in found if self._is_near(one.suffix, request.suffix)]
        return max(near, key=lambda one: _nearness(one, request), default=None)

    def _is_near(self, one: Suffix, other: Suffix) -> bool:
        if one == other:
            return True
        field = self._asked_field(other.text)
        return one.guard == other.guard and bool(field) and self._asked_field(one.text) == field


def _nearness(kept: Snapshot, request: Request) -> tuple[bool, bool]:
    """Whether it answers the very same words, and whether the same model said it."""
    return kept.suffix == request.suffix, kept.fingerprint == request.fingerprint


def draft_of(snapshot: Snapshot | None, fingerprint: str) -> Draft | None:
    """A snapshot as a draft for the model of that fingerprint."""
    if snapshot is None:
        return None
    return Draft(snapshot.text, snapshot.tokens if snapshot.fingerprint == fingerprint else ())
