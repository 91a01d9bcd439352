"""What is asked: as it came in, and once its page and meaning are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from edge_clm.identify import Shown, Source
from edge_clm.policy import Wish
from edge_clm.types import Sampling, Suffix


@dataclass(frozen=True, slots=True)
class Inquiry:
    """One question, or the wish for a description, as it came in."""

    tenant: str
    source: Source
    deadline: float
    """In the event loop's time."""
    question: str = ""
    """Empty for a description."""
    describe: bool = False
    wish: Wish = field(default=Wish())
    max_tokens: int = 0
    """0 for the configured default."""
    temperature: float = 0.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """An inquiry whose page and meaning are known."""

    inquiry: Inquiry
    shown: Shown
    suffix: Suffix
    sampling: Sampling
    joint_hash: str
    joint_hash_of: Callable[[str], str]
    """The joint hash that the same question has about the page of another key."""
    fingerprint: str

    @property
    def has_file(self) -> bool:
        """True where the caller sent the file: work for one who only named it may fail for want of it."""
        return self.inquiry.source.data is not None
