"""What the parts hand to each other: frozen values, and the ports through which the wings meet."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from edge_clm.paper import Difference, Extraction, Grounding, Notice, PageText, Quad

Pixels = NDArray[np.uint8]
"""uint8, (height, width, 3), RGB, C-contiguous."""

Vector = NDArray[np.float32]
"""float32, (dimensions,), of length 1: what a page looks like."""

Stop = Callable[[], bool]
"""True once nobody waits for the work any more; polled between steps of long work."""


class ServeMode(StrEnum):
    """How an answer came about."""

    COLD = "cold"
    WARM = "warm"
    VERIFIED = "verified"
    REPLAY = "replay"


class Finish(StrEnum):
    """Why an answer ended."""

    STOP = "stop"
    """The model ended it."""
    LENGTH = "length"
    """It reached the limit of tokens."""
    REPETITION = "repetition"
    """It began to repeat itself and was cut before the repeated part."""
    CANCELLED = "cancelled"
    """Nobody waited for it any more."""


class Outcome(StrEnum):
    """What kind of answer it is."""

    ANSWERED = "answered"
    NOT_ON_PAGE = "not_on_page"
    UNREADABLE = "unreadable"


class Verdict(StrEnum):
    """What comparing a capture with a known page has told."""

    SAME = "same"
    DIFFERENT = "different"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Canonical:
    """A capture's page as canonical pixels: upright by its own metadata, flattened to RGB, at its true size."""

    pixels: Pixels
    sha256: str
    """Hex SHA-256 over mode, size and pixels."""
    page: int
    """Which page of the document this is, from 1."""
    pages: int
    """How many pages the document has."""
    media_type: str
    """As told by content: image/jpeg, application/pdf, …"""


@dataclass(frozen=True, slots=True)
class Seen:
    """What decoding tells about a capture's page, without the pixels."""

    sha256: str
    width: int
    height: int
    page: int
    pages: int
    media_type: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What the recogniser sees on one crop, with its per-step probabilities."""

    text: str
    confidence: float
    probabilities: NDArray[np.float32]
    """float32, (steps, classes), rows sum to 1; class 0 is the CTC blank."""


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


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are chosen; temperature 0 is greedy, and only greedy answers are kept."""

    max_tokens: int
    temperature: float = 0.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer given before, for the model to confirm where it would say the same."""

    text: str
    tokens: tuple[int, ...]
    """Of the model that is asked; none where another one said it."""


@dataclass(frozen=True, slots=True)
class Drafted:
    """What became of a draft: how many of its tokens are in the answer because the model would have said them."""

    accepted: int
    rejected: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of an answer as it is generated; the last one carries why it ended."""

    text: str
    tokens: tuple[int, ...]
    finish: Finish | None = None
    drafted: Drafted | None = None
    """Only in the last one, and where there was a draft."""


@dataclass(frozen=True, slots=True)
class Prefilled:
    """What making (or finding) a page state tells."""

    warm: bool
    """True when the state was already there."""
    tokens: int
    """Tokens of system, image and page text."""
    dropped_lines: int
    """Lines at the end of the page text that did not fit."""
    restore_ms: float = 0.0
    """Milliseconds that fetching the state from the disk took; 0 where it was in memory."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A named stretch of a request's time; names are those of the contract."""

    name: str
    ms: float


@dataclass(frozen=True, slots=True)
class Reason:
    """What was decided at one point of a request's path, and by what; never what page or question say."""

    step: str
    """lookup, page, recall, compare, draft, state or store."""
    outcome: str
    detail: str = ""
    """Numbers, handles and names of fields."""


Step = Stage | Prefilled | Piece | Outcome | Grounding
"""What the engine reports while it answers: stages as they end, the page state once, pieces as they
come, and last of all the outcome and what grounding told."""


PAGE_VERSION = 1
"""Version of a page that has no siblings."""


@dataclass(frozen=True, slots=True)
class Suffix:
    """A question reduced to what it means, and the guard that must match exactly."""

    text: str
    guard: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, however it came about."""

    id: str
    """Names this answer for feedback; the snapshot's id where one is kept."""
    text: str
    outcome: Outcome
    mode: ServeMode
    finish: Finish
    stages: tuple[Stage, ...]
    page: int
    pages: int
    handle: str
    prompt_tokens: int
    answer_tokens: int
    dropped_lines: int
    stored: bool
    """True when the snapshot is kept and will answer the same question again."""
    age_s: float = 0.0
    """Seconds since the snapshot was made; 0 for a fresh answer."""
    turn: int = 0
    width: int = 0
    height: int = 0
    grounding: Grounding = field(default=Grounding())
    drafted: Drafted = field(default=Drafted(0, 0))
    notices: tuple[Notice, ...] = ()
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is kept of one answered (page, suffix)."""

    id: str
    joint_hash: str
    tenant: str
    page_key: str
    suffix: Suffix
    text: str
    tokens: tuple[int, ...]
    outcome: Outcome
    fingerprint: str
    prompt_tokens: int
    dropped_lines: int
    created: float
    """Unix seconds."""
    turn: int = 0
    """Of the upright page, as in PageText."""
    width: int = 0
    height: int = 0
    grounding: Grounding = field(default=Grounding())
    disputed: bool = False


@dataclass(frozen=True, slots=True)
class Capture:
    """One image as it came from a device, known by its immutable, tenant-scoped handle."""

    tenant: str
    handle: str
    bytes_sha256: str
    media_type: str
    pages: int
    size: int
    """Bytes of the file."""
    kept: bool
    """True while the file itself is still kept."""


@dataclass(frozen=True, slots=True)
class View:
    """What one page of a capture shows: the page it was identified as."""

    handle: str
    number: int
    pixels_sha256: str
    width: int
    height: int
    page_key: str


@dataclass(frozen=True, slots=True)
class File:
    """A capture's file, with its digest so that nobody has to take it twice."""

    sha256: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Task:
    """What the engine needs to answer one question."""

    page_key: str
    """Under which the page state is shared."""
    file: File | None
    """The capture's file; None where the engine is thought to have the page state."""
    page: int
    text: PageText
    question: str
    """Empty for a description."""
    sampling: Sampling
    fresh: bool
    """True when the page state must be made anew."""
    draft: Draft | None = None
    keep: bool = False
    """True when the page state may be kept on the disk."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """That a page was read, what names it, and what was to be said of it then."""

    page_key: str
    handle: str
    page: int
    """Which page of that capture."""
    named: str
    """Empty where nothing names it."""
    seen: float
    """When it was first read, Unix seconds."""
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page that captures may show, by the capture that is its anchor."""

    number: int
    """In the database."""
    page_key: str
    handle: str
    page: int
    """Which page of that capture."""
    likeness: float = 1.0
    """Cosine of its anchor and the capture that it was recalled for; 1 where it was not recalled."""


@dataclass(frozen=True, slots=True, eq=False)
class NewAnchor:
    """A view that is to stand for its page."""

    view: View
    vector: Vector
    named: str
    """What names the page, as read; pages with equal names are one, or siblings, or a forgery."""


@dataclass(frozen=True, slots=True)
class Proof:
    """That what a snapshot of another capture's page rests on stands on this capture too."""

    joint_hash: str
    """Under which this capture's own answer would be kept."""
    snapshot_id: str
    grounding: Grounding
    """With evidence as it lies on this capture."""
    turn: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Known:
    """What a capture is compared with: a known page's anchor and its text."""

    file: File
    page: int
    text: PageText


@dataclass(frozen=True, slots=True)
class Judged:
    """What comparing a capture with a known page has told, as far as an answer needs it."""

    verdict: Verdict
    reasons: tuple[str, ...] = ()
    places: tuple[Quad, ...] = ()
    """Where the evidence lies, in upright coordinates of the capture; only with the verdict `same`."""
    turn: int = 0
    """Of the capture, as in PageText."""
    width: int = 0
    height: int = 0
    register_ms: float = 0.0
    """Milliseconds of finding the page on the capture; 0 where it was found before."""


@dataclass(frozen=True, slots=True)
class Embedder:
    """What makes the vectors of captures."""

    fingerprint: str
    """Hex SHA-256; vectors of equal ones can be compared."""
    least: float
    """Cosine below which two captures are taken to show two pages."""


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

    async def embed(self, file: File, page: int) -> tuple[Vector, float]:
        """What a page looks like, and how many milliseconds of work that was."""
        ...

    async def names(self, text: PageText) -> tuple[str, float]:
        """What tells a page from all others, as read; empty where nothing does, so that nothing could
        prove that another capture shows it."""
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
    ) -> Iterator[Piece]:
        """Answers over the page state of `key`; the last piece carries the finish, and what became of a draft."""
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

    async def sightings(self, tenant: str, named: str) -> Sequence[Sighting]:
        """The last pages of those names, the newest first."""
        ...

    async def put_sighting(self, tenant: str, sighting: Sighting) -> None:
        """Keeps that a page was read; one that is kept already stays as it is."""
        ...

    async def recalled(
        self, tenant: str, vector: Vector, embedder: Embedder
    ) -> Sequence[KnownPage]:
        """Pages that look as much alike as the embedder asks, likest first, each before its namesakes."""
        ...

    async def namesakes(self, tenant: str, named: str) -> Sequence[KnownPage]:
        """Pages that bear the same names."""
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
