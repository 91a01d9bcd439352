"""How much a line of print looks like the name of a business, or like a part of an address."""

from __future__ import annotations

import re
from functools import cache

from edge_clm.page.fields.wording import fold, word_list

_WORD = re.compile(r"[^\W_]+(?:['’.\-/&][^\W_]+)*")
_CONTACT = re.compile(
    r"@|\bwww\.|https?:|\b(?:tel|fax|phone|h/?p|mobile|hotline)\b|\.(?:com|net|org|biz|info)\b"
    r"|^\W*\+?[\d\s()./x×\-]{8,}$",
    re.IGNORECASE,
)
_POSTCODE = re.compile(
    r"\b\d{5}(?:-\d{4})?\b|\b[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}\b|\b\d{4} ?[A-Z]{2}\b"
    r"|^[A-Z][a-z]+(?: [A-Z][a-z]+)*,? \d{6}$|\b[A-Z]\d{2} ?[A-Z\d]{4}$|^[A-Z][a-z]+(?: [A-Z][a-z]+)*,? \d{4}$"
)
_OPEN = re.compile(r"\w\s+(?:&|\+|and|und|et|y|e|of)$", re.IGNORECASE)
_REGISTRATION = re.compile(
    r"\s*[(\[]\s*(?:co\.?\s*)?(?:reg\.?)?\s*(?:no\.?)?\s*[:.]?\s*[A-Z]{0,3}[\d ]{4,}\s*[-·.]?\s*[A-Z]{0,2}\s*[)\]]?\s*$"
    r"|\s+[A-Z]{0,3}\d{5,}\s*[-·]\s*[A-Z]{1,2}\s*$",
    re.IGNORECASE,
)
# "S/B", as OCR reads it.
_SLASHED = re.compile(r"\b[S5]/[BD8]\b")
_ADDRESS = 0.35
_JOINS = re.compile(r"&|\band\b|\bund\b|\bet\b|\by\b", re.IGNORECASE)


def name_likeness(text: str) -> float:
    """0…1: how much a line looks like the name of a business."""
    letters = [char for char in text if char.isalpha()]
    digits = sum(map(str.isdigit, text))
    if len(letters) < 3 or digits > len(letters) or _CONTACT.search(text) or is_noise(text):
        return 0.0
    score = 0.45
    if is_legal(text):
        score += 0.4
    if _has_any(text, "trade"):
        score += 0.2
    if _JOINS.search(text):
        score += 0.1
    if all(char.islower() for char in letters):
        score *= 0.5
    if address_likeness(text) >= _ADDRESS and not is_legal(text):
        score *= 0.8 if _has_any(text, "trade") else 0.25
    return min(score, 1.0)


def business_likeness(text: str) -> float:
    """0…1: how much a name looks like a business's and not like a person's."""
    if is_legal(text):
        return 1.0
    if _JOINS.search(text):
        return 0.9
    if _has_any(text, "trade"):
        return 0.8
    words = _WORD.findall(text)
    if len(words) == 1:
        return 0.6
    return 0.4 if len(words) in (2, 3) and all(word[:1].isupper() for word in words) else 0.5


def address_likeness(text: str) -> float:
    """0…1: how much a line looks like a part of an address."""
    words = _words(text)
    if not words:
        return 0.0
    hits = sum(word in _single("address") for word in words)
    digits = any(map(str.isdigit, text))
    score = 0.35 * min(hits, 2) + 0.25 * (digits and hits > 0)
    score += 0.5 * bool(_POSTCODE.search(text)) + 0.3 * text.rstrip().endswith(",")
    score += 0.4 * bool(re.match(r"\W*\d+[\w\-/]*,? +[^\W\d]", text) and len(words) > 2)
    if _many("address").search(_spaced(text)):
        score += 0.3
    return min(score, 1.0)


def is_contact(text: str) -> bool:
    """Whether a line is a telephone number, a mail address or a web page."""
    return _CONTACT.search(text) is not None


def is_legal(text: str) -> bool:
    """Whether a line says a legal form."""
    words = _words(text)
    # A legal form stands at the end of a name, or before a registration number in brackets.
    return (
        any(word in _single("legal") for word in words[1:])
        or _many("legal").search(_spaced(text)) is not None
        or _SLASHED.search(text) is not None
    )


def is_noise(text: str) -> bool:
    """Whether a line is a title or a phrase that stands on any document."""
    return _bare(text) in _noise()


def is_tail(text: str) -> bool:
    """Whether a line is a legal form, at most with one word of a trade before it: the end of a name."""
    ends = _single("legal") | {"sdn", "bhd"}
    others = [word for word in _words(text) if word not in ends]
    return is_legal(f"x {text}") and (
        not others or (len(others) == 1 and others[0] in _single("trade"))
    )


def is_open(text: str) -> bool:
    """Whether a line breaks off where a name cannot end."""
    return _OPEN.search(text.strip()) is not None


def name_end(text: str) -> int:
    """Where a name ends: before the registration number behind it."""
    found = _REGISTRATION.search(text)
    return found.start() if found and found.start() >= 3 else len(text)


def _has_any(text: str, kind: str) -> bool:
    return any(word in _single(kind) for word in _words(text)) or bool(
        _many(kind).search(_spaced(text))
    )


def _words(text: str) -> list[str]:
    return [word.strip(".") for word in _WORD.findall(fold(text))]


def _spaced(text: str) -> str:
    return " " + " ".join(re.findall(r"[^\W_]+", fold(text))) + " "


@cache
def _single(kind: str) -> frozenset[str]:
    return frozenset(
        fold(word).strip(".") for word in word_list("parties")[kind] if " " not in word
    )


@cache
def _many(kind: str) -> re.Pattern[str]:
    phrases = [_spaced(phrase) for phrase in word_list("parties")[kind]]
    several = [re.escape(phrase) for phrase in phrases if phrase.strip().count(" ")]
    return re.compile("|".join(several) or r"(?!)")


def _bare(text: str) -> str:
    return _spaced(text).replace(" ", "")


@cache
def _noise() -> frozenset[str]:
    return frozenset(_bare(phrase) for phrase in word_list("parties")["noise"])
