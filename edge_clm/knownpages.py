"""The pages that captures may show: recalled, compared with, and made known."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Sequence
from itertools import islice

from edge_clm.breaker import CacheBreaker
from edge_clm.economy import Economy
from edge_clm.errors import StoreUnavailable
from edge_clm.features import Features
from edge_clm.identify import Shown
from edge_clm.idle import Idle
from edge_clm.paper import PageText
from edge_clm.policy import Wish
from edge_clm.ports import Engine, Memory
from edge_clm.trace import Trace
from edge_clm.types import Embedder, File, Known, KnownPage, NewAnchor, Stage, Verdict, View

log = logging.getLogger(__name__)

_BETTER = 1.1
"""How much more must be legible on a capture for it to take the place of another that stands for the page."""
_SURE = 0.9
"""Confidence of a line that counts as legible."""
_NEAR = 0.5
"""Share of the likest page's likeness without which no other is compared with."""
_TRIES = 2
"""With how many pages a capture is compared at most."""
_FEATURES = 64
"""How many captures' features stay at hand until their page has been read."""


class KnownPages:
    """Finds the page that a new capture may show, and makes pages known once they have been read."""

    def __init__(
        self,
        memory: Memory,
        engine: Engine,
        breaker: CacheBreaker,
        idle: Idle,
        *,
        always: bool = False,
    ) -> None:
        """`always`: compare even where that has not been worth it."""
        self._memory = memory
        self._engine = engine
        self._breaker = breaker
        self._idle = idle
        self._economy = None if always else Economy()
        self._features: OrderedDict[str, Features] = OrderedDict()

    @property
    def recalls(self) -> bool:
        """Whether captures are recalled at all."""
        return self._engine.embedder is not None

    async def recalled(
        self, tenant: str, view: View, file: File, trace: Trace
    ) -> Sequence[KnownPage]:
        """The page that a view was proven to show before, or those that look likest and may be worth comparing with.

        `file`: the view's capture. Raises the errors of the engine.
        """
        embedder = self._engine.embedder
        if embedder is None:
            return ()
        adopted = self._memory.adopted(tenant, view.page_key)
        if page := await self._breaker.read(adopted, None):
            trace.decided("recall", "proven_before", page.handle)
            return (page,)
        features, ms = await self._engine.embed(file, view.number)
        trace.add([Stage("identify.recall", ms)])
        self._remember(view.page_key, features)
        look_up = self._memory.recalled(tenant, features, embedder)
        with trace.stage("identify.recall"):
            pages = await self._breaker.read(look_up, ())
        if not pages:
            trace.decided("recall", "nothing_like_it")
            return ()
        near = [one for one in pages if one.likeness >= _NEAR * pages[0].likeness]
        return [*islice((one for one in near if self._is_worth(tenant, one, trace)), _TRIES)]

    def _is_worth(self, tenant: str, page: KnownPage, trace: Trace) -> bool:
        worth = self._economy is None or self._economy.is_worth(tenant, page)
        told = f"{page.handle} page {page.page}, likeness {page.likeness:.3f}"
        trace.decided("recall", "likely" if worth else "not_worth_it", told)
        return worth

    def compared(self, tenant: str, page: KnownPage, ms: float, *, served: bool) -> None:
        """Notes what comparing a capture with a page has cost, and whether an answer could be given."""
        if self._economy:
            self._economy.compared(tenant, page, ms, served=served)

    async def known(self, tenant: str, page: KnownPage) -> Known | None:
        """What is needed of a page to compare with it; a page that has it no more is not recalled again."""
        ocr = self._engine.ocr_fingerprint
        text = await self._breaker.read(self._memory.page_text(tenant, page.page_key, ocr), None)
        capture = await self._breaker.read(self._memory.capture(tenant, page.handle), None)
        data = await self._data(tenant, page) if text and capture else None
        if text and capture and data:
            return Known(File(capture.bytes_sha256, data), page.page, text)
        if not self._breaker.reading_stopped:
            await self.forget(tenant, page)
        return None

    async def forget(self, tenant: str, page: KnownPage) -> None:
        """Takes a page for unknown whose anchor can no longer be compared with."""
        await self._breaker.write(self._memory.forget_anchor(tenant, page), None)

    async def _data(self, tenant: str, page: KnownPage) -> bytes | None:
        # A large file takes longer than a look-up may, and says nothing of the database's health.
        try:
            return await self._memory.capture_data(tenant, page.handle)
        except StoreUnavailable as error:
            log.info("a known page's file cannot be reached: %s", error.reason)
            return None

    def let_go(self, view: View) -> None:
        """A view was answered without being read: it will not be made known."""
        self._features.pop(view.page_key, None)

    def learn(self, tenant: str, shown: Shown, text: PageText, wish: Wish, read_ms: float) -> None:
        """Makes a page known that was read whole, in an idle moment, where anything tells it from others.

        Not against the caller's wish. `read_ms`: what reading it and making its state has taken. One that bears the names of a known page and is proven to show it is no other page; the better
        capture of the two stands for it from then on.
        """
        if self._economy:
            self._economy.read(read_ms)
        features = self._features.pop(shown.view.page_key, None)
        if features is not None and shown.keepable and shown.view.handle and not wish.no_store:
            self._idle.later(self._learn(tenant, shown, text, features))

    async def _learn(self, tenant: str, shown: Shown, text: PageText, features: Features) -> None:
        embedder, view = self._engine.embedder, shown.view
        named, _ = await self._engine.names(text)
        if embedder is None or not named.names:
            return
        anchor = NewAnchor(view, features, named.names)
        page, known = await self._namesake(tenant, shown, named.names, text, embedder)
        if page is not None and known is not None and not _is_better(text, known.text):
            await self._breaker.write(self._memory.adopt(tenant, view, page), None)
            return
        if page is None:
            keep = self._memory.put_anchor(tenant, anchor, embedder)
        else:
            keep = self._memory.replace_anchor(tenant, page, anchor, embedder)
        await self._breaker.write(keep, None)
        await self._engine.prepare(Known(await shown.file(), view.number, text))

    async def _namesake(
        self, tenant: str, shown: Shown, named: str, text: PageText, embedder: Embedder
    ) -> tuple[KnownPage, Known] | tuple[None, None]:
        """The known page that a capture which was read is proven to be, whole, among those with its names.

        Less would take an order that was changed or paid since for what it was.
        """
        for page in await self._breaker.read(self._memory.namesakes(tenant, named, embedder), ()):
            known = await self.known(tenant, page)
            if known is None:
                continue
            file, number = await shown.file(), shown.view.number
            judged, _ = await self._engine.judge(known, file, number, None, text)
            if judged.verdict is Verdict.SAME:
                return page, known
        return None, None

    def _remember(self, page_key: str, features: Features) -> None:
        self._features[page_key] = features
        while len(self._features) > _FEATURES:
            self._features.popitem(last=False)


def _is_better(text: PageText, known: PageText) -> bool:
    return _legible(text) > _BETTER * _legible(known)


def _legible(text: PageText) -> int:
    """Letters and digits of the lines that were read for sure."""
    return sum(sum(map(str.isalnum, line.text)) for line in text.lines if line.confidence >= _SURE)
