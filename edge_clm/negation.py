"""Words that deny what stands beside them, or make another value of it."""

from __future__ import annotations

import re

_DENIES = (
    r"\b(?:not|non|without|absent|never|denies|negative for|free of|excluded|ruled out|resolved|"
    r"neither|nor|ohne|kein\w*|sans|sin)\b|\bno\b(?!\s*[.:#°]|\s*\d{4})|[无未没]"
)
_DENYING = re.compile(_DENIES, re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|[。；]")
_ANOTHER = re.compile(
    rf"{_DENIES}|\b(?:hundred|thousand|million|billion|lakh|crore|dozen|per|twice|half)\b|%|[千万亿]",
    re.IGNORECASE,
)


def denies(text: str) -> bool:
    """Whether a text denies anything: no, not, without …; the "no." before a number does not."""
    return _DENYING.search(text) is not None


def denied(before: str, after: str) -> bool:
    """Whether what stands between two texts is denied in its own sentence."""
    sentence = _SENTENCE.split(before)[-1] + " · " + _SENTENCE.split(after)[0]
    return denies(sentence)


def makes_another(text: str) -> bool:
    """Whether words beside a value make another of it: not, thousand, per, % …"""
    return _ANOTHER.search(text) is not None
