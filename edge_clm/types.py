"""What the parts hand to each other: frozen values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from edge_clm.features import Features
from edge_clm.paper import Grounding, Notice, PageKind, PageText, Quad

Pixels = NDArray[np.uint8]
"""uint8, (height, width, 3), RGB, C-contiguous."""

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
    vector: bytes = b""
    """Only in the last one of a whole answer: see `Snapshot.vector`."""


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
    vector: bytes = b""
    """What the model's last layer said of question and answer, on average and along its main directions,
    float16; empty for a model of which these are not known."""


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
    kind: PageKind
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
    """Share of points that its anchor has in common with the capture that it was recalled for, 0…1; 1 where
    it was not recalled."""


@dataclass(frozen=True, slots=True, eq=False)
class NewAnchor:
    """A view that is to stand for its page."""

    view: View
    features: Features
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
    """What makes the features of captures."""

    fingerprint: str
    """Hex SHA-256; features of equal ones can be compared."""
    least: float
    """Cosine below which two captures are taken to show two pages."""
