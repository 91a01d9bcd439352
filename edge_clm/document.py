"""The pages of a document: identified and read, one after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace

from edge_clm.admission import Admission
from edge_clm.config import Limits
from edge_clm.errors import DocumentTooLong
from edge_clm.identify import Identifier, Shown, Source
from edge_clm.pagetext import PageTexts
from edge_clm.paper import PageText
from edge_clm.policy import Wish
from edge_clm.trace import Trace


@dataclass(frozen=True, slots=True)
class ReadPage:
    """One page of a document, with its text."""

    shown: Shown
    text: PageText
    known: bool
    """True where it had been read before."""

    @property
    def number(self) -> int:
        """Which page of the document, from 1."""
        return self.shown.view.number


class Documents:
    """Reads documents: one page where the source names it, else all of them."""

    def __init__(
        self, identifier: Identifier, texts: PageTexts, admission: Admission, limits: Limits
    ) -> None:
        self.texts = texts
        self._identifier = identifier
        self._admission = admission
        self._limits = limits

    async def read(
        self, tenant: str, source: Source, wish: Wish, deadline: float, trace: Trace
    ) -> list[ReadPage]:
        """The pages that a source names, in their order.

        Raises the image errors, HandleUnknown, those of admission, and DocumentTooLong where a
        whole document has more pages than one call reads.
        """
        first = await self._page(tenant, source, wish, deadline, trace)
        if source.number:
            return [first]
        pages, limit = first.shown.pages, self._limits.max_pages
        if pages > limit:
            raise DocumentTooLong(f"{pages} pages; at most {limit} are read", field="page.number")
        rest = [replace(source, number=number) for number in range(2, pages + 1)]
        return [first, *[await self._page(tenant, one, wish, deadline, trace) for one in rest]]

    async def _page(
        self, tenant: str, source: Source, wish: Wish, deadline: float, trace: Trace
    ) -> ReadPage:
        shown = await self._identifier.identify(
            tenant,
            source,
            fresh=wish.fresh,
            keep=not wish.no_store,
            deadline=deadline,
            trace=trace,
        )
        if text := await self.texts.known(tenant, shown, wish):
            return ReadPage(shown, text, known=True)
        with trace.waiting():
            async with self._admission.slot(tenant, deadline):
                has_file = source.data is not None
                text = await self.texts.read(tenant, shown, wish, has_file=has_file, trace=trace)
        return ReadPage(shown, text, known=False)
