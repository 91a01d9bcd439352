"""What the sender of a page must know of earlier ones that bear the same names: copies, changes, forgeries."""

from __future__ import annotations

import logging
import time

from edge_clm.breaker import CacheBreaker
from edge_clm.errors import InternalFault, MemoryExhausted
from edge_clm.identify import Shown
from edge_clm.paper import Difference, Notice, NoticeKind, PageText
from edge_clm.policy import Wish
from edge_clm.ports import Engine, Memory
from edge_clm.trace import Trace
from edge_clm.types import KnownPage, Sighting, View

log = logging.getLogger(__name__)

_SELLER = "seller"
_OWN_NUMBER = "number\n"
"""How names begin that are a document's number, which two sellers may both give out."""


class Notices:
    """Tells of pages that were read before and bear the names of this one, by what was read on both.

    A page is looked up once, when it is first read; what was said then is said again with every answer. Pages of
    one document, and of other numbers, are not compared: each bears the document's number.
    """

    def __init__(self, memory: Memory, engine: Engine, breaker: CacheBreaker) -> None:
        self._memory = memory
        self._engine = engine
        self._breaker = breaker

    async def kept(self, tenant: str, view: View) -> tuple[Notice, ...]:
        """What is to be said of a page that is not read now: what was when it was first read.

        Of a photograph that was never read, but proven to show a known page, that this was seen before.
        """
        sighting = await self._sighting(tenant, view.page_key)
        if sighting:
            return _said(sighting, view)
        adopted = self._memory.adopted(tenant, view.page_key)
        page = await self._breaker.read(adopted, None)
        return await self.proven(tenant, page) if page else ()

    async def of(
        self, tenant: str, shown: Shown, text: PageText, wish: Wish, trace: Trace
    ) -> tuple[Notice, ...]:
        """What is to be said of a page that has been read; kept, unless against the caller's wish."""
        with trace.stage("notice"):
            view, faults = shown.view, self._breaker.faults
            if sighting := await self._sighting(tenant, view.page_key):
                return _said(sighting, view)
            try:
                named, _ = await self._engine.names(text)
                notices = await self._told(tenant, view, named.names, text)
            except (InternalFault, MemoryExhausted) as error:
                log.warning("earlier pages could not be compared with: %s", error.reason)
                return ()
            # What could not be looked up now may be another time.
            whole = self._breaker.faults == faults and not self._breaker.reading_stopped
            if whole and shown.keepable and view.handle and not wish.no_store:
                where = (view.page_key, view.handle, view.number)
                here = Sighting(*where, named.names, named.kind, time.time(), notices)
                await self._breaker.write(self._memory.put_sighting(tenant, here), None)
            return notices

    async def proven(self, tenant: str, page: KnownPage) -> tuple[Notice, ...]:
        """What is to be said of a new photograph that was proven to show a known page, and was not read."""
        known = await self._sighting(tenant, page.page_key)
        return _seen(known) if known else ()

    async def _told(
        self, tenant: str, view: View, named: str, text: PageText
    ) -> tuple[Notice, ...]:
        if not named:
            return ()
        look_up = self._memory.sightings(tenant, named, view)
        found = [
            await self._compared(tenant, one, text) for one in await self._breaker.read(look_up, ())
        ]
        return tuple(notice for notice in found if notice)

    async def _compared(self, tenant: str, earlier: Sighting, text: PageText) -> Notice | None:
        """What is to be said of one earlier page; nothing where its text is not kept as it is read now."""
        ocr = self._engine.ocr_fingerprint
        look_up = self._memory.page_text(tenant, earlier.page_key, ocr)
        before = await self._breaker.read(look_up, None)
        if before is None:
            return None
        differences, _ = await self._engine.differ(before, text)
        kind = _kind(earlier.named, differences)
        if kind is None:
            return None
        return Notice(kind, earlier.handle, earlier.page, earlier.seen, differences)

    async def _sighting(self, tenant: str, page_key: str) -> Sighting | None:
        return await self._breaker.read(self._memory.sighting(tenant, page_key), None)


def _said(sighting: Sighting, view: View) -> tuple[Notice, ...]:
    """What was said of a page; and of another file with its very pixels that these were seen before."""
    return sighting.notices if view.handle in ("", sighting.handle) else _seen(sighting)


def _seen(sighting: Sighting) -> tuple[Notice, ...]:
    """That a page was seen before, and what was said of it then."""
    seen = Notice(NoticeKind.SEEN_BEFORE, sighting.handle, sighting.page, sighting.seen)
    return (seen, *sighting.notices)


def _kind(named: str, differences: tuple[Difference, ...]) -> NoticeKind | None:
    """None for two sellers' slips that happen to share day, time and total."""
    if not differences:
        return NoticeKind.SEEN_BEFORE
    if any(one.field == _SELLER for one in differences):
        return NoticeKind.SAME_NUMBER if named.startswith(_OWN_NUMBER) else None
    return NoticeKind.CHANGED
