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
        self.identifier = identifier
        self._admission = admission
        self._limits = limits

    async def read(
        self, tenant: str, source: Source, wish: Wish, deadline: float, trace: Trace
    ) -> list[ReadPage]:
        """The pages that a source names, in their order.

        Raises the image errors, HandleUnknown, those of admission, and DocumentTooLong where a
        whole document has more pages than one call reads.
        """
        shown = [await self._identify(tenant, source, wish, deadline, trace)]
        pages, limit = shown[0].pages, self._limits.max_pages
        if not source.number:
            if pages > limit:
                message = f"{pages} pages; at most {limit} are read"
                raise DocumentTooLong(message, field="page.number")
            rest = [replace(source, number=number) for number in range(2, pages + 1)]
            shown += [await self._identify(tenant, one, wish, deadline, trace) for one in rest]
        kept = [await self.texts.known(tenant, one, wish) for one in shown]
        texts = [text for text in kept if text]
        if len(texts) < len(kept):
            with trace.waiting():
                texts = await self._read(tenant, source, shown, kept, wish, deadline, trace)
        pairs = zip(shown, texts, kept, strict=True)
        return [ReadPage(one, text, known=was is not None) for one, text, was in pairs]

    async def _identify(
        self, tenant: str, source: Source, wish: Wish, deadline: float, trace: Trace
    ) -> Shown:
        return await self.identifier.identify(
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
        shown: list[Shown],
        kept: list[PageText | None],
        wish: Wish,
        deadline: float,
        trace: Trace,
    ) -> list[PageText]:
        """Has the engine read what is not known, all of it in one turn.

        At the end of the queue after each page, a document would wait as often as it has pages; but
        between two pages other tenants go first, so that no document holds them up.
        """
        has_file, read = source.data is not None, list[PageText]()
        async with self._admission.slot(tenant, deadline) as slot:
            for one, text in zip(shown, kept, strict=True):
                if text is None:
                    await slot.let_others()
                    text = await self.texts.read(  # noqa: PLW2901
                        tenant, one, wish, has_file=has_file, trace=trace
                    )
                read.append(text)
        return read
