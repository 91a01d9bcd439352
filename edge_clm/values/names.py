"""Names of people and companies, apart from how they are written."""

from __future__ import annotations

import re
import unicodedata

_FORMS = (
    "ab abp ag ans aps as asa berhad bhd bv bvba co corp corporation cv dac doo eg eirl eood ev gbr gesmbh gmbh "
    "inc incorporated kft kg kgaa kk lda limitada limited llc llp lllp lp ltd ltda mbh nv og ohg ood oü oy oyj "
    "plc pllc plt pte pty pvt sa sab sapi sarl sàrl sas sasu sb sca scrl sdn se sia sl slu snc spa spol spzoo srl "
    "sro tbk ug uab zrt"
)
_LEGAL_FORMS = frozenset(_FORMS.split())
_SHORT = {
    **{"limited": "ltd", "incorporated": "inc", "corporation": "corp", "berhad": "bhd"},
    **{"gesmbh": "gmbh", "mbh": "gmbh", "ltda": "lda", "limitada": "lda"},
}
_CHINESE_FORMS = ("股份有限公司", "有限责任公司", "有限公司", "株式会社", "주식회사")
_LONGEST = max(map(len, _LEGAL_FORMS))
_SLASHED = re.compile(r"\b([as])\s?/\s?([sb])\b")
_NO_WORD = re.compile(r"[^\w]|_")


def name_form(text: str) -> str:
    """A name casefolded, without punctuation, spaces and the legal forms at its end.

    "MR. D.I.Y. (M) SDN BHD" becomes "mrdiym". A name that is nothing but a legal form is kept.
    """
    words = _words(text)
    return "".join(_without_legal_form(words) or words)


def legal_form(text: str) -> str:
    """The legal form at a name's end, short and without marks: "ltd" of "Smith Limited"; else empty."""
    words = _words(text)
    ends = words[len(_without_legal_form(words)) :]
    return "".join(_SHORT.get(word, word) for word in ends)


def same_name(a: str, b: str) -> bool:
    """Whether two texts are the same name, whatever case, punctuation, spaces and legal form."""
    form = name_form(a)
    return form == name_form(b) and bool(form)


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text).casefold()
    plain = _SLASHED.sub(r"\1\2", plain)
    for mark in "'’":
        plain = plain.replace(mark, "")
    return _NO_WORD.sub(" ", plain).split()


def _without_legal_form(words: list[str]) -> list[str]:
    while words:
        size = _legal_size(words)
        if size:
            words = words[:-size]
            continue
        bare = _without_chinese_form(words[-1])
        if bare == words[-1]:
            return words
        words = [*words[:-1], bare] if bare else words[:-1]
    return words


def _legal_size(words: list[str]) -> int:
    """How many of the last words are a legal form; "L.L.C." has come apart into three."""
    for size in range(min(len(words), _LONGEST), 1, -1):
        tail = words[-size:]
        if (
            set(map(len, tail)) <= {1, 2}
            and min(map(len, tail)) == 1
            and "".join(tail) in _LEGAL_FORMS
        ):
            return size
    return int(words[-1] in _LEGAL_FORMS)


def _without_chinese_form(word: str) -> str:
    for form in _CHINESE_FORMS:
        word = word.removesuffix(form)
    return word
