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
        first = await self._identify(tenant, source, wish, deadline, trace)
        numbers = [source.number or 1]
        if not source.number:
            pages, limit = first.pages, self._limits.max_pages
            if pages > limit:
                message = f"{pages} pages; at most {limit} are read"
                raise DocumentTooLong(message, field="page.number")
            numbers = list(range(1, pages + 1))
        read = [await self._read(tenant, source, first, wish, deadline, trace)]
        for number in numbers[1:]:
            one = replace(source, number=number)
            shown = await self._identify(tenant, one, wish, deadline, trace)
            read.append(await self._read(tenant, one, shown, wish, deadline, trace))
        return read

    async def _identify(
        self, tenant: str, source: Source, wish: Wish, deadline: float, trace: Trace
    ) -> Shown:
        return await self._identifier.identify(
            tenant,
            source,
            fresh=wish.fresh,
            keep=not wish.no_store,
            deadline=deadline,
            trace=trace,
        )

    async def _read(
        self,
        tenant: str,
        source: Source,
        shown: Shown,
        wish: Wish,
        deadline: float,
        trace: Trace,
    ) -> ReadPage:
        if text := await self.texts.known(tenant, shown, wish):
            return ReadPage(shown, text, known=True)
        with trace.waiting():
            async with self._admission.slot(tenant, deadline):
                has_file = source.data is not None
                text = await self.texts.read(tenant, shown, wish, has_file=has_file, trace=trace)
        return ReadPage(shown, text, known=False)
