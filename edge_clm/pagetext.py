"""The text of a page: kept, or read once for all who wait for it."""

from __future__ import annotations

from collections import OrderedDict

from edge_clm.breaker import CacheBreaker
from edge_clm.flight import Flights
from edge_clm.identify import Shown
from edge_clm.paper import PageText
from edge_clm.policy import Wish
from edge_clm.ports import Engine, Memory
from edge_clm.trace import Trace
from edge_clm.types import Stage

_RECENT = 128
"""How many texts that are not kept on disk stay at hand, for the next call about their page."""


class PageTexts:
    """Finds the text of a page in memory, else has the engine read it."""

    def __init__(self, memory: Memory, engine: Engine, breaker: CacheBreaker) -> None:
        self._memory = memory
        self._engine = engine
        self._breaker = breaker
        self._readings: Flights[tuple[PageText, float]] = Flights()
        self._recent: OrderedDict[tuple[str, str], PageText] = OrderedDict()

    async def known(self, tenant: str, shown: Shown, wish: Wish) -> PageText | None:
        """The text as kept, or None where there is none that the caller may have."""
        if wish.fresh:
            return None
        page_key, ocr = shown.view.page_key, self._engine.ocr_fingerprint
        kept = await self._breaker.read(self._memory.page_text(tenant, page_key, ocr), None)
        # Page keys are made under a secret of the tenant's own, so none finds another's page here.
        recent = None if kept else self._recent.get((page_key, ocr))
        if recent and shown.keepable and not wish.no_store:
            keep = self._memory.put_page(tenant, page_key, recent, ocr)
            await self._breaker.write(keep, None)
        return kept or recent

    async def read(
        self, tenant: str, shown: Shown, wish: Wish, *, has_file: bool, trace: Trace
    ) -> PageText:
        """The text as read by the engine, kept where it may be; the caller holds a slot.

        `has_file` says that the caller sent the file: work for one who only named it may fail for
        want of it.
        """
        view, ocr = shown.view, self._engine.ocr_fingerprint

        async def work() -> tuple[PageText, float]:
            text, ms = await self._engine.read(await shown.file(), view.number)
            if shown.keepable and not wish.no_store:
                keep = self._memory.put_page(tenant, view.page_key, text, ocr)
                await self._breaker.write(keep, None)
            else:
                self._remember((view.page_key, ocr), text)
            return text, ms

        text, ms = await self._readings.once((view.page_key, wish, has_file), work)
        trace.add([Stage("ocr", ms)])
        return text

    def _remember(self, key: tuple[str, str], text: PageText) -> None:
        self._recent[key] = text
        self._recent.move_to_end(key)
        while len(self._recent) > _RECENT:
            self._recent.popitem(last=False)
