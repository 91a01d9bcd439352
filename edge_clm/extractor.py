"""The path of an extraction: the pages of a document are read, and rules find what stands on them."""

from __future__ import annotations

from dataclasses import dataclass

from edge_clm.admission import Admission
from edge_clm.document import Documents, ReadPage
from edge_clm.identify import Source
from edge_clm.notices import Notices
from edge_clm.paper import Extraction, Notice
from edge_clm.policy import Wish
from edge_clm.ports import Engine
from edge_clm.trace import Trace
from edge_clm.types import ServeMode, Stage


@dataclass(frozen=True, slots=True)
class Order:
    """A wish to have the fields of a document, as it came in."""

    tenant: str
    source: Source
    """Its number 0 stands for all pages."""
    deadline: float
    """In the event loop's time."""
    wish: Wish


@dataclass(frozen=True, slots=True)
class Extracted:
    """The fields of a document, and how they came about."""

    extraction: Extraction
    pages: tuple[ReadPage, ...]
    notices: tuple[tuple[Notice, ...], ...]
    """Of each page."""
    mode: ServeMode
    stages: tuple[Stage, ...]


class Extractor:
    """Extracts the fields of documents."""

    def __init__(
        self, documents: Documents, engine: Engine, admission: Admission, notices: Notices
    ) -> None:
        self._documents = documents
        self._notices = notices
        self._engine = engine
        self._admission = admission

    async def extract(self, order: Order) -> Extracted:
        """Reads the pages that are not known yet, then applies the rules to all of them.

        Raises every error of `errors` but those of starting up and of questions.
        """
        trace = Trace()
        self._admission.refuse_when_closed()
        pages = await self._documents.read(
            order.tenant, order.source, order.wish, order.deadline, trace
        )
        extraction, ms = await self._engine.extract([(page.number, page.text) for page in pages])
        trace.add([Stage("extract", ms)])
        notices = [
            await self._notices.of(order.tenant, page.shown, page.text, order.wish, trace)
            for page in pages
        ]
        mode = ServeMode.WARM if all(page.known for page in pages) else ServeMode.COLD
        return Extracted(extraction, tuple(pages), tuple(notices), mode, trace.stages)
