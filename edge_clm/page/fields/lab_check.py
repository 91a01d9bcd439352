"""Whether a laboratory's result lies in its range, by arithmetic, and what its flag says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from edge_clm.page.fields.wording import bare, fold, word_list
from edge_clm.paper import Field
from edge_clm.values.quantity import Range, read_quantity, read_range, same_unit
from edge_clm.values.value import Quantity, Text

Row = Sequence[Field]

_MARKS = "()[] .:"
_DECIMALS = (".", ",")


def side_of(row: Row, sex: str = "", decimal: str = "") -> int | None:
    """-1 below the range, 0 within, 1 above it or positive where negative is usual; None: not told.

    `sex` is "male" or "female" where it is known, for ranges that differ; `decimal` is the table's
    decimal mark, where it is known. It cannot be told without a value or a range, with other units, and
    where a bound or numbers may lie on either side.
    """
    cells = {field.name: field for field in row}
    if "value" not in cells or "range" not in cells:
        return None
    value, printed = cells["value"].best.value, cells["range"].best.raw
    if isinstance(value, Text):
        return _told(value.text, printed)
    if not isinstance(value, Quantity):
        return None
    sides = {
        _side(read, found)
        for mark in (decimal or _DECIMALS)
        for read in _readings(cells["value"], mark)
        for found in _ranges(printed, sex, mark)
    }
    return sides.pop() if len(sides) == 1 else None


def _readings(value: Field, mark: str) -> Iterator[Quantity]:
    """What a value was read as, but for readings that another decimal mark gave it."""
    for candidate in (value.best, *value.alternatives):
        if isinstance(candidate.value, Quantity):
            read = read_quantity(candidate.raw, mark)
            if read is None or read.number == candidate.value.number:
                yield candidate.value


def contradicted(row: Row, flags_printed: bool, sex: str = "", decimal: str = "") -> bool:
    """Whether a row's flag and the arithmetic of value and range disagree.

    `flags_printed`: some row of the table has a flag, so that none says "within".
    """
    side = side_of(row, sex, decimal)
    flag = next((field.best.raw for field in row if field.name == "flag"), "")
    if side is None or not (flag or flags_printed):
        return False
    meant = _meaning(flag) if flag else "normal"
    allowed = {"high": (1,), "low": (-1,), "normal": (0,), "abnormal": (-1, 1)}
    return meant in allowed and side not in allowed[meant]


def doubted(
    rows: Sequence[tuple[Field, ...]], sex: str, decimal: str
) -> tuple[tuple[Field, ...], ...]:
    """The rows, with a second look asked for where flag and arithmetic disagree."""
    flags = any(field.name == "flag" for row in rows for field in row)
    return tuple(
        tuple(replace(field, look_again=True) for field in row)
        if contradicted(row, flags, sex, decimal)
        else row
        for row in rows
    )


def _side(value: Quantity, usual: Range) -> int | None:
    if value.unit and usual.unit and not same_unit(value.unit, usual.unit):
        return None
    if value.comparison:
        return _side_of_bound(value, usual)
    if usual.holds(value.number):
        return 0
    return -1 if usual.low is not None and value.number <= usual.low else 1


def _side_of_bound(value: Quantity, usual: Range) -> int | None:
    """Where all numbers lie that a bound leaves open; None where they lie on several sides."""
    down = value.comparison in ("<", "≤")
    # Nothing is less than none of it: a range from 0 is open below.
    low = usual.low if usual.low and usual.low > 0 else None
    near, far = (low, usual.high) if down else (usual.high, usual.low)
    sign = -1 if down else 1
    if near is not None:
        return sign if sign * value.number >= sign * near else None
    return 0 if far is not None and sign * value.number >= sign * far else None


def _told(value: str, usual: str) -> int | None:
    """A result in words against a range in words."""
    told, normal = _polarity(value), _polarity(usual)
    if told is None or normal is None:
        same = bool(bare(value)) and bare(value) == bare(usual)
        return 0 if same else None
    return (told > normal) - (told < normal)


def _polarity(text: str) -> int | None:
    said = fold(text).strip(" .,:")
    groups = _polarities()
    return groups.get(said, groups.get(said.strip(_MARKS)))


@cache
def _polarities() -> Mapping[str, int]:
    words = word_list("lab_words")["words"]
    said = {fold(word): 0 for word in words["negative"]}
    return said | {fold(word): 1 for word in words["positive"] if fold(word) not in said}


def _meaning(flag: str) -> str:
    return _meanings().get(fold(flag).strip(_MARKS), "")


@cache
def _meanings() -> Mapping[str, str]:
    groups = word_list("lab_words")["flags"].items()
    return {fold(word): name for name, words in groups for word in words}


def _ranges(printed: str, sex: str, decimal: str) -> list[Range]:
    """The range, or those for the patient's sex; for both sexes where the patient's is not known."""
    parts = list(_sexed().finditer(fold(printed)))
    if not parts:
        found = read_range(printed.strip(), decimal)
        return [found] if found else []
    ends = [*(part.start() for part in parts[1:]), len(printed)]
    ranges = []
    for part, end in zip(parts, ends, strict=True):
        own = next(name for name, said in part.groupdict().items() if said)
        found = read_range(printed[part.end() : end].strip(" ;,/|()[]:="), decimal)
        if found and sex in ("", own):
            ranges.append(found)
    return ranges


@cache
def _sexed() -> re.Pattern[str]:
    groups = []
    for sex, words in word_list("lab_words")["sexes"].items():
        longest = sorted({fold(word) for word in words}, key=lambda it: (-len(it), it))
        groups.append(f"(?P<{sex}>{'|'.join(map(re.escape, longest))})")
    return re.compile(rf"(?<![^\W\d_])(?:{'|'.join(groups)})(?![^\W\d_])\s?[:=]?")
