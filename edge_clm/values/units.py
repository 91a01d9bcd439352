"""Units of measure: how they are written, and when two ways of writing mean the same unit."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache

from edge_clm.values.level import level

Size = tuple[tuple[tuple[str, int], ...], int]
"""The base units with their exponents, and the power of ten before them."""

_PREFIXES = {
    "k": 3,
    "h": 2,
    "d": -1,
    "c": -2,
    "m": -3,
    "μ": -6,
    "u": -6,
    "mc": -6,
    "n": -9,
    "p": -12,
}
_PREFIXES |= {"f": -15, "M": 6, "G": 9}
_CLINICAL = {
    "g": (("g", 1), 0, "k m μ u mc n p"),
    "l": (("m", 3), -3, "d c m μ u mc n p f"),
    "m": (("m", 1), 0, "k d c m μ u n"),
    "mol": (("mol", 1), 0, "m μ u n p f"),
    "u": (("U", 1), 0, "k m μ u"),
    "iu": (("IU", 1), 0, "k m μ u"),
    "eq": (("eq", 1), 0, "m μ u"),
    "osm": (("osm", 1), 0, "m"),
    "kat": (("kat", 1), 0, "μ u n"),
    "cal": (("cal", 1), 0, "k"),
}
"""Units that are printed in any case without change of meaning: MG/DL is mg/dL. With their prefixes."""
_CASED = {
    **{"s": (("s", 1), 0, "m μ u n"), "Bq": (("Bq", 1), 0, "k M G"), "Ci": (("Ci", 1), 0, "m μ u")},
    **{"Gy": (("Gy", 1), 0, "m c"), "Sv": (("Sv", 1), 0, "m μ u"), "Pa": (("Pa", 1), 0, "m h k M")},
    **{"Hz": (("Hz", 1), 0, "k M G"), "V": (("V", 1), 0, "m μ u k"), "A": (("A", 1), 0, "m μ u")},
    **{"W": (("W", 1), 0, "m k M"), "Wh": (("Wh", 1), 0, "k M"), "J": (("J", 1), 0, "m k M")},
    **{"B": (("B", 1), 0, "k M G"), "Ω": (("Ω", 1), 0, "k M"), "eV": (("eV", 1), 0, "k M")},
}
"""Units whose milli and mega differ by case alone."""
_NAMES = {
    "g": "gm gms gr gram grams",
    "mg": "mgs milligram milligrams",
    "kg": "kgs kilo kilos kilogram kilograms",
    "l": "ltr litre litres liter liters",
    "ml": "cc mls millilitre millilitres milliliter milliliters",
    "cm": "cms centimetre centimetres centimeter centimeters",
    "mm": "millimetre millimetres millimeter millimeters",
    "s": "sec secs second seconds",
}
_OTHERS = (
    "% ‰ ° °C=℃ °F=℉ mmHg=mm[Hg] cmH2O pH ppm ppb dB bpm rpm Hb HU SUV kVp dpi hpf=HPF lpf=LPF "
    "cells=cell copies=copy CFU=cfu FFU AU RU EU MPL GPL APL index ratio titer=titre "
    "min=mins=minute=minutes h=hr=hrs=hour=hours=HR day=days week=weeks=wk=wks "
    "month=months=mth=mths year=years=yr=yrs inch=inches ft=foot=feet yd lb=lbs=pound oz=ounce "
    "gal kn mph kph=km/h pcs=pc=piece=pieces ea=EA unit=units tab=tabs tablets=tablet "
    "capsules=capsule drops=drop Stk Stück WBC RBC"
)
_ONLY_WHOLE = {
    **{"in": ("inch", 1), '"': ("inch", 1), "d": ("day", 1), "D": ("D", 1), "y": ("year", 1)}
}
"""Too much like words to be found beside any number."""
_THOUSANDS = {
    "K": 3,
    "k": 3,
    "thou": 3,
    "Thou": 3,
    "Thous": 3,
    "THOU": 3,
    "M": 6,
    "mil": 6,
    "Mil": 6,
}


def _table() -> tuple[dict[str, Size], dict[str, Size]]:
    """By exact writing, and by casefolded writing for the units where case says nothing."""
    exact: dict[str, Size] = {}
    folded: dict[str, Size] = {}
    for table, bases in ((folded, _CLINICAL), (exact, _CASED)):
        for name, (base, power, prefixes) in bases.items():
            table[name] = ((base,), power)
            for prefix in prefixes.split():
                table[prefix + name] = ((base,), power + _PREFIXES[prefix])
    for name, others in _NAMES.items():
        folded |= dict.fromkeys(others.split(), folded.get(name) or exact[name])
    for group in _OTHERS.split():
        names = group.split("=")
        size: Size = (((names[0], 1),), 0)
        exact |= dict.fromkeys(names, size)
        words = [name for name in names if len(name) > 2 and name.islower() and name.isalpha()]
        exact |= {form: size for name in words for form in (name.upper(), name.title())}
    return exact | {name: ((base,), 0) for name, base in _ONLY_WHOLE.items()}, folded


_EXACT, _FOLDED = _table()
_SINGLE = set("gmlLhsUG")
_FINDABLE = (set(_EXACT) - set(_ONLY_WHOLE)) | set(_FOLDED) | {name.upper() for name in _FOLDED}
_FINDABLE |= {name[:-1] + name[-1].upper() for name in _FOLDED if name[-1] in "lu"}
_FINDABLE |= {name[:-2] + name[-2:].upper() for name in _FOLDED if name.endswith("iu")}
_FINDABLE |= {f"{prefix}Eq" for prefix in "mμu"} | {f"{prefix}Osm" for prefix in "m"} | {"mm Hg"}
_FINDABLE |= set("㎎㎏㎍㎜㎝㎖㎗")
_FINDABLE = {name for name in _FINDABLE if len(name) > 1 or name in _SINGLE or not name.isalpha()}
_ATOM = f"(?:{'|'.join(map(re.escape, sorted(_FINDABLE, key=lambda name: (-len(name), name))))})"
_EXPONENT = r"(?:[²³]|\^?[23])?"
_TEN = r"(?:[xX×*·] ?)?10(?:(?:\^|\*{1,2}|[eE])[0-9]{1,2}|[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}|(?<=[xX×*·]10)(?:12|[369])(?= ?/))"
_DIVISOR = rf" ?/ ?(?:[0-9]{{1,3}}(?:\.[0-9]{{1,2}})? ?)?{_ATOM}{_EXPONENT}"
_SHARE = rf" ?/ ?(?:(?:100|24) ?)?{_ATOM}{_EXPONENT}"
_HEAD = rf"(?:{_TEN}(?: ?{_ATOM})?|(?:{'|'.join(_THOUSANDS)})(?= ?/)|{_ATOM}{_EXPONENT})"
UNIT = rf"(?:{_HEAD}(?:{_DIVISOR}){{0,2}}|{_SHARE}(?:{_DIVISOR})?)(?![A-Za-z0-9])"
"""A unit beside a number, in levelled text."""

_FRACTION = re.compile(r"/(?!(?:100|24)[^0-9])[0-9]")
_POWER = re.compile(r"[xX×*·]?10(?:\^|\*{1,2}|[eE])?([0-9]{1,2})")
_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)?([^0-9]*?)\^?([23])?")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def same_unit(a: str, b: str) -> bool:
    """Whether two writings mean the same unit: mmol/l and mmol/L, mcg and μg, K/uL and 10^9/L.

    Units that are not known are the same only when written the same. Nothing is converted: min is not 60 s.
    """
    one, other = _bare(a), _bare(b)
    if one == other:
        return True
    size = _size(one)
    return size is not None and size == _size(other)


def is_unit(text: str) -> bool:
    """Whether the text is a unit that is known here."""
    return _size(_bare(text)) is not None


def _bare(text: str) -> str:
    superscripts = level(text).translate(_SUPERSCRIPTS)
    return unicodedata.normalize("NFKC", "".join(superscripts.split()))


@lru_cache(maxsize=1024)
def _size(unit: str) -> Size | None:
    """The unit in base units; None where any part of it is unknown."""
    if whole := _atom(unit):
        return whole
    if _FRACTION.match(unit):
        return None
    total, power = Counter[str](), 0
    for place, piece in enumerate(unit.split("/")):
        part = _head(piece, place == 0 and "/" in unit) if place == 0 else _part(piece)
        if part is None:
            return None
        sign = -1 if place else 1
        power += sign * part[1]
        for name, exponent in part[0]:
            total[name] += sign * exponent
    sized = tuple(sorted((name, count) for name, count in total.items() if count))
    return (sized, power) if sized or power else None


def _head(piece: str, divided: bool) -> Size | None:
    """What stands before the first stroke: nothing, a power of ten, a unit, or both."""
    if divided and piece in _THOUSANDS:
        return (), _THOUSANDS[piece]
    if match := _POWER.match(piece):
        rest = _part(piece[match.end() :])
        return rest and (rest[0], rest[1] + int(match[1]))
    return _part(piece) if piece or divided else None


def _part(piece: str) -> Size | None:
    """A unit with the number before it and its exponent; the empty piece is one."""
    match = _PART.fullmatch(piece)
    if match is None or (piece and not match[2]):
        return None
    count, name, exponent = match[1], match[2], int(match[3] or 1)
    size = _atom(name) if name else ((), 0)
    if size is None:
        return None
    counted = ((f"×{count}", 1),) if count else ()
    return tuple((unit, by * exponent) for unit, by in size[0]) + counted, size[1] * exponent


def _atom(name: str) -> Size | None:
    exact = _EXACT.get(name)
    if exact or (len(name) == 1 and name not in _SINGLE):
        return exact
    return _FOLDED.get(name.casefold())
