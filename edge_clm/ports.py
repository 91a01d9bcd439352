"""The ports through which the wings meet: what the floors above ask of OCR, model, engine and memory."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Protocol

from edge_clm.features import Features
from edge_clm.paper import Difference, Extraction, Named, PageText, Quad
from edge_clm.types import (
    Capture,
    Draft,
    Embedder,
    File,
    Judged,
    Known,
    KnownPage,
    NewAnchor,
    Piece,
    Pixels,
    Prefilled,
    Proof,
    Reading,
    Sampling,
    Seen,
    Sighting,
    Snapshot,
    Step,
    Stop,
    Task,
    View,
)


class TextReader(Protocol):
    """OCR behind one port."""

    fingerprint: str
    """Hex SHA-256 of weights, thresholds and engine."""
    alphabet: Sequence[str]
    """Characters of classes 1…; `alphabet[i]` is class i + 1."""

    def read(self, pixels: Pixels) -> PageText:
        """Finds and reads every line of a page."""
        ...

    def recognise(self, crops: Sequence[Pixels]) -> list[Reading]:
        """Reads given crops, one line of text each, in order."""
        ...


class Engine(Protocol):
    """Everything that touches pixels or weights, as the daemon's event loop sees it."""

    @property
    def fingerprint(self) -> str:
        """Hex SHA-256 of everything that shapes an answer."""
        ...

    @property
    def ocr_fingerprint(self) -> str:
        """Hex SHA-256 of everything that shapes a page's text."""
        ...

    @property
    def embedder(self) -> Embedder | None:
        """What makes vectors; None where captures are not recalled."""
        ...

    async def decode(self, file: File, page: int) -> tuple[Seen, float]:
        """Checks and unpacks one page, and how many milliseconds of work that was.

        Raises the image errors of `errors`.
        """
        ...

    async def read(self, file: File, page: int) -> tuple[PageText, float]:
        """Reads the text of one page, and how many milliseconds of work that was."""
        ...

    async def extract(self, pages: Sequence[tuple[int, PageText]]) -> tuple[Extraction, float]:
        """What stands on numbered pages of one document, and how many milliseconds of work that was."""
        ...

    async def embed(self, file: File, page: int) -> tuple[Features, float]:
        """What a page looks like, and how many milliseconds of work that was."""
        ...

    async def names(self, text: PageText) -> tuple[Named, float]:
        """What tells a page from all others, as read, and the milliseconds of it."""
        ...

    async def differ(self, before: PageText, now: PageText) -> tuple[tuple[Difference, ...], float]:
        """What reads otherwise on a page than on one of the same names, and the milliseconds of it."""
        ...

    async def prepare(self, known: Known) -> None:
        """Makes ready what captures of a known page will be compared with, and may throw it away again."""
        ...

    async def judge(
        self,
        known: Known,
        file: File,
        page: int,
        evidence: Sequence[Quad] | None,
        text: PageText | None = None,
    ) -> tuple[Judged, float]:
        """Whether a capture shows a known page, and on it what evidence boxes of that page show.

        Without a box what names the page is all that is asked for; None asks for the whole page. `text`: what was read of the capture, where it was.
        """
        ...

    def answer(self, task: Task) -> AsyncGenerator[Step, None]:
        """Answers a question about a page; closing it stops the model within one token.

        Raises PageStateGone, before anything else, where the page state is missing and the task
        has no file to make it from.
        """
        ...


class LanguageModel(Protocol):
    """A vision-language model as the engine drives it; one call at a time."""

    fingerprint: str
    sees: bool
    """False when its vision tower is untrained: it knows of a page only what OCR reads."""
    reads_chinese: bool
    """False for a model that was taught English alone."""
    wants_rows: bool
    """True for a model that reads better what it is shown once more, beside the question."""

    def has_state(self, key: str) -> bool:
        """True when the page state of `key` need not be made."""
        ...

    def prefilled(self, key: str) -> Prefilled:
        """What is known of a page state that need not be made."""
        ...

    def prefill(self, key: str, pixels: Pixels, text: PageText, stop: Stop) -> Prefilled:
        """Makes the page state of `key` from upright pixels and page text, and keeps it in memory."""
        ...

    def keep(self, key: str) -> None:
        """Has the page state of `key` kept on the disk, too."""
        ...

    def generate(
        self,
        key: str,
        question: str,
        sampling: Sampling,
        stop: Stop,
        draft: Draft | None = None,
        rows: Sequence[str] = (),
    ) -> Iterator[Piece]:
        """Answers over the page state of `key`; the last piece carries the finish, and what became of a draft.

        `rows`: of the page, shown once more beside the question.
        """
        ...


class Memory(Protocol):
    """What is kept, as the answering floor sees it; every name is scoped by tenant.

    Each method raises StoreUnavailable when the database cannot be reached in time and DiskFull
    when there is no room.
    """

    async def tenant_key(self, tenant: str) -> bytes:
        """The tenant's secret, 32 bytes, the same for ever."""
        ...

    async def put_capture(self, tenant: str, data: bytes, media_type: str, pages: int) -> Capture:
        """Keeps a file; the same bytes give the same handle."""
        ...

    async def capture(self, tenant: str, handle: str) -> Capture | None:
        """The capture of that handle."""
        ...

    async def capture_by_bytes(self, tenant: str, bytes_sha256: str) -> Capture | None:
        """The capture with those bytes."""
        ...

    async def capture_data(self, tenant: str, handle: str) -> bytes | None:
        """The file itself, while it is kept."""
        ...

    async def view(self, tenant: str, handle: str, number: int) -> View | None:
        """What that page of that capture was identified as."""
        ...

    async def put_view(self, tenant: str, view: View) -> None:
        """Remembers what a page of a capture was identified as."""
        ...

    async def page_text(self, tenant: str, page_key: str, ocr_fingerprint: str) -> PageText | None:
        """The text of a page, as read by that very OCR."""
        ...

    async def put_page(
        self, tenant: str, page_key: str, text: PageText, ocr_fingerprint: str
    ) -> None:
        """Keeps the text of a page."""
        ...

    async def sighting(self, tenant: str, page_key: str) -> Sighting | None:
        """What is kept of when that page was read."""
        ...

    async def sightings(self, tenant: str, named: str, view: View) -> Sequence[Sighting]:
        """The last pages of those names and of a view's page number, on other captures, the newest first."""
        ...

    async def put_sighting(self, tenant: str, sighting: Sighting) -> None:
        """Keeps that a page was read; one that is kept already stays as it is."""
        ...

    async def recalled(
        self, tenant: str, features: Features, embedder: Embedder
    ) -> Sequence[KnownPage]:
        """Pages that have most points in common with a capture, likest first, each before its namesakes."""
        ...

    async def namesakes(self, tenant: str, named: str, embedder: Embedder) -> Sequence[KnownPage]:
        """Pages that bear the same names, and that this embedder has seen."""
        ...

    async def put_anchor(self, tenant: str, anchor: NewAnchor, embedder: Embedder) -> None:
        """Makes a page known by a view of it."""
        ...

    async def replace_anchor(
        self, tenant: str, page: KnownPage, anchor: NewAnchor, embedder: Embedder
    ) -> None:
        """Lets another view stand for a page."""
        ...

    async def adopt(self, tenant: str, view: View, page: KnownPage) -> None:
        """Remembers that a view shows a page."""
        ...

    async def forget_anchor(self, tenant: str, page: KnownPage) -> None:
        """Takes a page for unknown, whose anchor can no longer be compared with."""
        ...

    async def adopted(self, tenant: str, page_key: str) -> KnownPage | None:
        """The page that captures of that key were proven to show."""
        ...

    async def put_proof(self, tenant: str, view: View, page: KnownPage, proof: Proof) -> None:
        """Keeps that a snapshot holds for a capture of another key, which shows that page."""
        ...

    async def snapshot(self, tenant: str, joint_hash: str) -> Snapshot | None:
        """The newest undisputed snapshot of that joint hash, or the one proven to hold for it.

        None is proven to hold that says what was disputed as an answer to the same question.
        """
        ...

    async def drafts(self, tenant: str, page_key: str) -> Sequence[Snapshot]:
        """What was answered about the page of that key and is not disputed, the newest first."""
        ...

    async def put_snapshot(self, snapshot: Snapshot) -> Snapshot:
        """Keeps a snapshot, and returns the one that stands for it.

        That is an older one where it says the same, and a disputed one where what it says was.
        """
        ...

    async def touch_snapshot(self, tenant: str, snapshot_id: str) -> None:
        """Counts one use of a snapshot."""
        ...

    async def feedback(self, tenant: str, answer_id: str, right: bool, correction: str) -> bool:
        """Records a judgement; False when the tenant has no such answer."""
        ...
