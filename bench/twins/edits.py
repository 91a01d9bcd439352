"""Near twins of a page: one small thing of it is another, in the page's own print."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from bench.twins.letters import added, changed, donor, erased, readable, seen
from bench.twins.strips import Strip, put_back
from edge_clm.paper import Quad
from edge_clm.types import Pixels

DIGITS = "0123456789"
_MARKS = ".,"
_SIGNS = "-−"
_FLAGS = {"H": "L", "L": "H"}
_PREFIXES = "mnukµ"
_UNIT = re.compile(r"(?<=[\d\s])[A-Za-zµ%][A-Za-zµ/%]*$|^[A-Za-zµ][A-Za-zµ/%]*$")
_TRIES = 24
_MOST = 4
"""How often a value may stand on a page: what stands there more often is no one thing of it."""
_SHORT = 3
"""Letters of a value below which it is found by its place only, or where nothing else is like it."""


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """Letters of a strip that spell a value."""

    strip: Strip
    first: int
    """Among the strip's glyphs."""


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A value of a page, wherever it is printed."""

    field: str
    text: str
    """Spaces left out: one character for each letter of print."""
    spots: tuple[Spot, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Twin:
    """A page with one edit."""

    kind: str
    field: str
    before: str
    after: str
    pixels: Pixels


class Act(StrEnum):
    """What happens to one letter."""

    CHANGED = "changed"
    LOST = "lost"
    ADDED = "added"
    """Before it, or behind the last one."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One letter of a value made another."""

    act: Act
    at: int
    char: str = ""

    def of(self, text: str) -> str:
        """The text after it."""
        behind = self.at if self.act is Act.ADDED else self.at + 1
        return text[: self.at] + self.char + text[behind:]


Maker = Callable[[str, set[str], Random], Iterator[Edit]]
"""From a value's text and the letters that the page can lend, edits in random order."""


def value_of(
    field: str, printed: str, strips: Sequence[Strip], place: Quad | None = None
) -> Value | None:
    """Where a value stands; None where no strip has it, or where it is not sure which print is meant.

    `place`: where it is known to stand, in the pixels of the strips' picture.
    """
    spots = [spot for strip in strips for spot in _spots(printed, strip)]
    bare = "".join(printed.split())
    if place is not None:
        here = [spot for spot in spots if _inside(spot, len(bare), place)]
        spots = spots if here and len(bare) >= _SHORT else here
    if not 1 <= len(spots) <= (_MOST if len(bare) >= _SHORT or place is not None else 1):
        return None
    return Value(field, bare, tuple(spots))


def edited(
    kind: str, picture: Pixels, value: Value, strips: Sequence[Strip], rng: Random
) -> Twin | None:
    """A twin by an edit of that kind; None where the value or the page's letters do not allow one."""
    makers = MAKERS[kind](value.text, readable(strips), rng)
    for edit, _ in zip(makers, range(_TRIES), strict=False):
        twin = picture
        for spot in value.spots:
            strip = _applied(edit, spot, strips)
            if strip is None:
                break
            twin = put_back(twin, spot.strip, strip)
        else:
            return Twin(kind, value.field, value.text, edit.of(value.text), twin)
    return None


def _applied(edit: Edit, spot: Spot, strips: Sequence[Strip]) -> Pixels | None:
    at = spot.first + edit.at
    if edit.act is Act.LOST:
        found = erased(spot.strip, at)
    else:
        letter = donor(spot.strip, edit.char, strips)
        make = changed if edit.act is Act.CHANGED else added
        found = make(spot.strip, at, letter) if letter is not None else None
    # What nobody could see is no edit.
    return found if found is not None and seen(spot.strip.pixels, found) else None


def _digit(text: str, lent: set[str], rng: Random) -> Iterator[Edit]:
    """One digit is another."""
    others = sorted(lent & set(DIGITS))
    yield from _other(text, str.isdigit, lambda _: others, rng)


def _letter(text: str, lent: set[str], rng: Random) -> Iterator[Edit]:
    """One letter of a name is another of the same case."""
    known = sorted(char for char in lent if char.isalpha() and char.isascii())

    def others(char: str) -> list[str]:
        return [one for one in known if one.isupper() == char.isupper()]

    if not any(char.isdigit() for char in text):
        yield from _other(text, str.isalpha, others, rng)


def _flag(text: str, lent: set[str], rng: Random) -> Iterator[Edit]:
    """High is low."""
    if text in _FLAGS:
        yield Edit(Act.CHANGED, 0, _FLAGS[text])


def _digit_lost(text: str, lent: set[str], rng: Random) -> Iterator[Edit]:
    """The first or the last digit is gone."""
    ends = [at for at in (0, len(text) - 1) if text[at].isdigit()]
    if sum(char.isdigit() for char in text) > 1:
        yield from (Edit(Act.LOST, at) for at in rng.sample(ends, len(ends)))


def _digit_added(text: str, lent: set[str], rng: Random) -> Iterator[Edit]:
    """There is one digit more, behind the last one."""
    if text[-1].isdigit():
        yield from (Edit(Act.ADDED, len(text), char) for char in rng.sample(DIGITS, len(DIGITS)))


def _point_lost(text: str, lent: set[str], rng: Random) -> Iterator[Edit]:
    """The decimal point is gone."""
    points = [match.start() for match in re.finditer(r"(?<=\d)[.,](?=\d+$)", text)]
    yield from (Edit(Act.LOST, at) for at in points)


def _sign_lost(text: str, lent: set[str], rng: Random) -> Iterator[Edit]:
    """The minus is gone."""
    if text[0] in _SIGNS and any(char.isdigit() for char in text):
        yield Edit(Act.LOST, 0)


def _sign_added(text: str, lent: set[str], rng: Random) -> Iterator[Edit]:
    """An amount is negative."""
    if re.fullmatch(r"\d[\d.,]*", text):
        yield Edit(Act.ADDED, 0, "-")


def _unit(text: str, lent: set[str], rng: Random) -> Iterator[Edit]:
    """A unit is a thousand times another, or is per another amount."""
    unit = _UNIT.search(text)
    if not unit:
        return
    start, told = unit.start(), unit[0]
    if told[0] in _PREFIXES and len(told) > 1:
        yield from (Edit(Act.CHANGED, start, char) for char in _PREFIXES if char != told[0])
        yield Edit(Act.LOST, start)
    if "/d" in told:
        yield Edit(Act.LOST, start + told.index("/d") + 1)
    if told == "cm":
        yield Edit(Act.CHANGED, start, "m")


MAKERS: dict[str, Maker] = {
    "digit": _digit,
    "letter": _letter,
    "flag": _flag,
    "digit_lost": _digit_lost,
    "digit_added": _digit_added,
    "point_lost": _point_lost,
    "sign_lost": _sign_lost,
    "sign_added": _sign_added,
    "unit": _unit,
}
"""Kinds of edits."""


def _other(
    text: str, wanted: Callable[[str], bool], others: Callable[[str], Sequence[str]], rng: Random
) -> Iterator[Edit]:
    """Edits of some letter to another that the page can lend."""
    edits = [
        Edit(Act.CHANGED, at, char)
        for at, old in enumerate(text)
        if wanted(old)
        for char in others(old)
        if char != old
    ]
    rng.shuffle(edits)
    yield from edits


def _spots(printed: str, strip: Strip) -> Iterator[Spot]:
    """Where a strip spells a value, with spaces or without, not as a part of a longer number or word."""
    chars = [re.escape(char) for char in printed if not char.isspace()]
    if not chars:
        return
    spelt = r"\s*".join(chars)
    pattern = rf"(?<!\w)(?<!\d[.,])(?<![-−]){spelt}(?!\w)(?![.,]\d)"
    for match in re.finditer(pattern, strip.text):
        yield Spot(strip, sum(not char.isspace() for char in strip.text[: match.start()]))


def _inside(spot: Spot, letters: int, place: Quad) -> bool:
    """Whether the middle of a value lies in a place."""
    first, last = spot.strip.glyphs[spot.first], spot.strip.glyphs[spot.first + letters - 1]
    x, y = spot.strip.at((first.left + last.right) / 2, spot.strip.pixels.shape[0] / 2)
    xs, ys = [corner[0] for corner in place], [corner[1] for corner in place]
    return min(xs) <= x <= max(xs) and min(ys) <= y <= max(ys)
