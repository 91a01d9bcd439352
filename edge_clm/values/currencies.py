"""How currencies are written: codes, signs and words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from edge_clm.values.level import level

_ISO_4217 = (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN "
    "BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DEM DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP FRF GBP "
    "GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK ITL JMD JOD JPY KES KGS KHR "
    "KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN "
    "MYR MZN NAD NGN NIO NLG NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD "
    "SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX "
    "USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG"
)
CODES = frozenset(_ISO_4217.split())
"""ISO 4217, with a few that the euro replaced."""
_SPELLED = "ALL BAM BHD BOB COP CUP GEL LAK MAD MOP PEN RON SAR SOS TOP STN TRY NAD ANG"
_WORDS_TOO = frozenset(_SPELLED.split())
"""Codes that capitals on a receipt spell as words or names: "PEN 2.50" is a pen, "SDN BHD" a company."""
_ANY_CASE = "USD EUR GBP CHF MYR SGD JPY CNY INR AUD CAD HKD SEK NOK DKK PLN"

_WRITTEN = {
    "": "$, ¥, kr, kr., rs, rs., ₨, dollar, dollars",
    "USD": "us$, $us, u$s, us dollar, us dollars, 美元",
    "EUR": "€, euro, euros, 欧元",
    "GBP": "£, £gb, pounds sterling, 英镑",
    "JPY": "円, yen, 日元",
    "CNY": "元, rmb, yuan, 人民币",
    "AUD": "a$, au$, $au, 澳元",
    "CAD": "c$, ca$, $ca, 加元",
    "CHF": "sfr, sfr., fr., franken",
    "HKD": "hk$, $hk, 港元",
    "NZD": "nz$, $nz",
    "SGD": "s$, $sg, 新加坡元",
    "TWD": "nt$, 新台币",
    "BRL": "r$",
    "MXN": "mx$, $mx",
    "MYR": "rm, ringgit, ringgit malaysia, 令吉",
    "INR": "₹, 卢比",
    "IDR": "rp, rp., rupiah",
    "THB": "฿, baht",
    "PHP": "₱",
    "KRW": "₩, 원, 韩元",
    "VND": "₫",
    "SEK": "kronor",
    "PLN": "zł",
    "CZK": "kč",
    "HUF": "ft",
    "RON": "lei",
    "BGN": "лв, лв.",
    "RUB": "₽, руб, руб.",
    "UAH": "₴, грн",
    "TRY": "₺",
    "ILS": "₪",
    "NGN": "₦",
    "KZT": "₸",
    "GEL": "₾",
    "GHS": "₵",
    "PYG": "₲",
    "CRC": "₡",
    "PEN": "s/, s/.",
}
"""Signs and words in small letters; the first are shared by several currencies and tell none."""
_SIGNS = {mark: code for code, marks in _WRITTEN.items() for mark in marks.split(", ")}
_FAMILIES = {
    "$": "USD CAD AUD SGD HKD NZD TWD MXN BND CLP COP ARS UYU JMD BBD BSD TTD FJD XCD",
    "¥": "JPY CNY",
    "kr": "SEK NOK DKK ISK",
    "rs": "INR PKR LKR NPR MUR SCR",
}
_FAMILY_OF = {"kr.": "kr", "rs.": "rs", "₨": "rs", "dollar": "$", "dollars": "$"}
_ONLY_BEHIND = frozenset("元円원")
_NO_MARKS = frozenset({"ft", "FT"})
_LOOSE = frozenset({"ft", "lei", "fr.", "s/", "rp", "yen", "sfr"})
"""Too much like words or units to name a currency away from a number."""


def _cased(words: set[str]) -> set[str]:
    """As they are usually printed: as listed, in capitals, with a capital."""
    return {form for word in words for form in (word, word.upper(), word.title())}


MARKS = frozenset(
    (
        (CODES - _WORDS_TOO)
        | _cased({code.lower() for code in _ANY_CASE.split()})
        | _cased(set(_SIGNS))
    )
    - {"Rm", "rm"}
    - _NO_MARKS
)
"""Signs, codes and words that stand for a currency beside a number inside a text."""
_LONGEST = max(map(len, MARKS))
_START = re.compile(f"[{re.escape(''.join({mark[0] for mark in MARKS}))}]")


def mark_before(text: str, at: int) -> int:
    """Where the mark that ends at `at` of the levelled text begins; `at` when there is none."""
    for start in range(max(0, at - _LONGEST), at):
        mark = text[start:at]
        if mark in MARKS and not (start and _one_word(text[start - 1], text[start])):
            return at if mark in _ONLY_BEHIND else start
    return at


def mark_after(text: str, at: int) -> int:
    """Where the mark that begins at `at` of the levelled text ends; `at` when there is none."""
    for end in range(min(len(text), at + _LONGEST), at, -1):
        if text[at:end] in MARKS and not (end < len(text) and _one_word(text[end - 1], text[end])):
            return end
    return at


def _one_word(left: str, right: str) -> bool:
    """Whether two letters belong to one word; Chinese words are not set apart."""
    return left.isalpha() and right.isalpha() and max(left, right) < "\u2e80"


def currency_of(text: str, currency: str = "") -> str:
    """The one currency (ISO 4217) that a text names by sign, code or word; "" for none or several.

    `currency` is the page's. A sign of several currencies means the page's where that is written so;
    else "$" alone means USD, and "¥", "kr" and "Rs" tell no currency.
    """
    whole = level(text).strip()
    if (code := mark_currency(whole, currency)) is not None:
        return code
    found = {mark_currency(mark, currency) or "" for mark in _marks_in(whole)}
    return found.pop() if len(found) == 1 else ""


def _marks_in(text: str) -> Iterator[str]:
    at = 0
    for match in _START.finditer(text):
        start = match.start()
        if start < at or (start and _one_word(text[start - 1], text[start])):
            continue
        at = mark_after(text, start)
        if at > start and text[start:at].casefold() not in _LOOSE:
            yield text[start:at]


def mark_currency(mark: str, currency: str = "") -> str | None:
    """What one sign, code or word means on a page in `currency`; None where it is no such thing.

    "" for a sign that several currencies share, when neither the page's nor USD is among them.
    """
    if mark.upper() in CODES:
        return mark.upper()
    folded = mark.casefold()
    if folded not in _SIGNS or mark in _NO_MARKS:
        return None
    return _SIGNS[folded] or _shared(_FAMILY_OF.get(folded, folded), currency)


def _shared(sign: str, currency: str) -> str:
    if currency in _family(sign):
        return currency
    return "USD" if sign == "$" else ""


@cache
def _family(sign: str) -> frozenset[str]:
    return frozenset(_FAMILIES[sign].split())
