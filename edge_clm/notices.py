"""What the sender of a page must know of earlier ones that bear the same names: copies, changes, forgeries."""

from __future__ import annotations

import time
from dataclasses import replace

from edge_clm.breaker import CacheBreaker
from edge_clm.identify import Shown
from edge_clm.paper import Difference, Notice, NoticeKind, PageText
from edge_clm.policy import Wish
from edge_clm.ports import Engine, Memory
from edge_clm.trace import Trace
from edge_clm.types import KnownPage, Sighting, View

_SELLER = "seller"
_OWN_NUMBER = "number\n"
"""How names begin that are a document's number, which two sellers may both give out."""


class Notices:
    """Tells of pages that were read before and bear the names of this one, by what was read on both.

    A page is looked up once, when it is first read; what was said then is said again with every answer.
    """

    def __init__(self, memory: Memory, engine: Engine, breaker: CacheBreaker) -> None:
        self._memory = memory
        self._engine = engine
        self._breaker = breaker

    async def kept(self, tenant: str, view: View) -> tuple[Notice, ...]:
        """What was said of a page when it was first read."""
        sighting = await self._sighting(tenant, view.page_key)
        return sighting.notices if sighting else ()

    async def of(
        self, tenant: str, shown: Shown, text: PageText, wish: Wish, trace: Trace
    ) -> tuple[Notice, ...]:
        """What is to be said of a page that has been read; kept, unless against the caller's wish."""
        with trace.stage("notice"):
            view = shown.view
            if kept := await self._sighting(tenant, view.page_key):
                return kept.notices
            named, _ = await self._engine.names(text)
            notices = await self._told(tenant, view, named, text) if named else ()
            if shown.keepable and view.handle and not wish.no_store:
                here = Sighting(view.page_key, view.handle, view.number, named, time.time())
                await self._keep(tenant, replace(here, notices=notices))
            return notices

    async def proven(self, tenant: str, view: View, page: KnownPage) -> tuple[Notice, ...]:
        """What is to be said of a new photograph that was proven to show a known page."""
        if kept := await self._sighting(tenant, view.page_key):
            return kept.notices
        known = await self._sighting(tenant, page.page_key)
        if known is None:
            return ()
        notices = (Notice(NoticeKind.SEEN_BEFORE, known.handle, known.page, known.seen),)
        here = Sighting(view.page_key, view.handle, view.number, known.named, time.time(), notices)
        await self._keep(tenant, here)
        return notices

    async def _told(
        self, tenant: str, view: View, named: str, text: PageText
    ) -> tuple[Notice, ...]:
        look_up = self._memory.sightings(tenant, named)
        notices = []
        for one in await self._breaker.read(look_up, ()):
            if one.page_key != view.page_key and (
                notice := await self._compared(tenant, one, text)
            ):
                notices.append(notice)
        return tuple(notices)

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

    async def _keep(self, tenant: str, sighting: Sighting) -> None:
        await self._breaker.write(self._memory.put_sighting(tenant, sighting), None)


def _kind(named: str, differences: tuple[Difference, ...]) -> NoticeKind | None:
    """None for two sellers' slips that happen to share day, time and total."""
    if not differences:
        return NoticeKind.SEEN_BEFORE
    if any(one.field == _SELLER for one in differences):
        return NoticeKind.SAME_NUMBER if named.startswith(_OWN_NUMBER) else None
    return NoticeKind.CHANGED
