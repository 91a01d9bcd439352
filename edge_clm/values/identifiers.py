"""Identifiers: numbers of invoices and accounts, IBANs, tax numbers with their checksums."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

from edge_clm.values.dates import find_days
from edge_clm.values.level import level
from edge_clm.values.money import find_money
from edge_clm.values.value import Found, Text

_TOKEN = re.compile(
    r"[A-Za-z0-9](?:[A-Za-z0-9_@]|(?<=[0-9]):(?=[0-9])|(?<=[0-9])\.(?=[A-Za-z0-9])|[-/](?=[A-Za-z0-9]))*"
)
_TIME = r"[0-9]{1,2}(?::[0-9]{1,2}){0,2}(?:[ap]m?)?"
_NONE = re.compile(rf"(?=.*[0-9](?:[ap]m|:)){_TIME}(?:-{_TIME})?|[^0-9]*|.*@.*", re.IGNORECASE)
_MARKED = re.compile(r"(?<=\d)[^\w\s]+(?=\d)")
_POINTED = re.compile(r"(?<=\d)[.,](?=\d)")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,30}")
_EU = "AT|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK|XI|GB|NO"
_TAX = re.compile(
    rf"(?<![A-Za-z0-9])(?:(?:{_EU})[ -]?[A-Z0-9](?:[ .-]?[A-Z0-9]){{6,13}}(?: ?MVA)?"
    r"|CHE[- ]?[0-9]{3}[. ]?[0-9]{3}[. ]?[0-9]{3}"
    r"|[0-9]{2}[A-Z]{5}[0-9]{4}[A-Z][0-9A-Z]Z[0-9A-Z]"
    r"|[0-9]{2}\.[0-9]{3}\.[0-9]{3}/[0-9]{4}-[0-9]{2}"
    r"|[19ANY][1239][0-9]{6}[0-9A-HJ-NPQRTUWXY]{10})"
)


def identifier_form(text: str) -> str:
    """An identifier's letters and digits, casefolded; "# INV-0042" becomes "inv0042"."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in plain if char.isalnum())


def same_identifier(a: str, b: str) -> bool:
    """Whether two texts are the same identifier; O and 0 are different, and so are any two digits.

    Marks between digits may be left out, but where both have some they are at the same places, and
    a point or comma between digits is never left out: 4-512 is 4512 and not 45-12, 5.9 is not 59.
    """
    form = identifier_form(a)
    if not form or form != identifier_form(b) or _POINTED.findall(a) != _POINTED.findall(b):
        return False
    marked = [_MARKED.sub("|", text) for text in (a, b)]
    return "|" not in marked[0] or "|" not in marked[1] or len({*map(_parts, marked)}) == 1


def _parts(marked: str) -> tuple[str, ...]:
    return tuple(identifier_form(part) for part in marked.split("|"))


def find_identifiers(text: str) -> list[Found[Text]]:
    """The words with a digit that are no date, amount, time, percentage or address of the internet.

    IBANs and tax numbers are one each, with the spaces inside them.
    """
    plain = level(text)
    tokens = [match.span() for match in _TOKEN.finditer(plain) if not _NONE.fullmatch(match[0])]
    if not tokens:
        return []
    long = [*find_ibans(text), *find_tax_ids(text)]
    taken = [(one.start, one.end) for one in long]
    taken += [(one.start, one.end) for one in find_days(text)]
    taken += [(one.start, one.end) for one in find_money(text)]
    free = [
        Found(Text(text[start:end]), start, end)
        for start, end in tokens
        if plain[end : end + 1] not in {"%", "@"}
        and not any(first < end and start < last for first, last in taken)
    ]
    return sorted([*long, *free], key=lambda one: one.start)


def is_iban(text: str) -> bool:
    """Whether the whole text is an IBAN with the right length, form and checksum."""
    from stdnum import iban

    plain = level(text).strip()
    return bool(_IBAN.fullmatch(plain.upper())) and iban.is_valid(plain)


def find_ibans(text: str) -> list[Found[Text]]:
    """The IBANs inside a text whose checksum is right, grouped by spaces or not."""
    return list(_checked(text, _IBAN, is_iban))


def find_tax_ids(text: str) -> list[Found[Text]]:
    """The tax numbers inside a text whose checksum is right.

    VAT numbers of the European Union, Britain, Norway and Switzerland with their country's letters,
    India's GSTIN, Brazil's CNPJ and China's unified social credit code.
    """
    return list(_checked(text, _TAX, _is_tax_id))


def _is_tax_id(text: str) -> bool:
    from stdnum.br import cnpj
    from stdnum.ch import uid
    from stdnum.cn import uscc
    from stdnum.eu import vat
    from stdnum.gb import vat as british
    from stdnum.in_ import gstin
    from stdnum.no import mva

    if text.startswith("CHE"):
        return uid.is_valid(text)
    if text[:2].isalpha():
        country = {"GB": british, "NO": mva}.get(text[:2], vat)
        return bool(country.is_valid(text))
    return gstin.is_valid(text) or cnpj.is_valid(text) or uscc.is_valid(text)


def _checked(
    text: str, pattern: re.Pattern[str], is_valid: Callable[[str], bool]
) -> Iterator[Found[Text]]:
    """What the pattern finds, cut back group by group until it is valid."""
    plain, at = level(text), 0
    while match := pattern.search(plain, at):
        start, end = match.span()
        ends = [end, *(place for place in range(end - 1, start, -1) if plain[place] == " ")]
        whole = (e for e in ends if not plain[e : e + 1].isalnum() and is_valid(plain[start:e]))
        found = next(whole, None)
        at = found or start + 1
        if found:
            yield Found(Text(text[start:found]), start, found)
