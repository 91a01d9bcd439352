"""Near twins of a page: one small thing of it is another, in the page's own print."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from bench.twins.letters import added, changed, donor, lost, readable
from bench.twins.strips import Strip, put_back
from edge_clm.types import Pixels

_DIGITS = "0123456789"
_MARKS = ".,"
_SIGNS = "-−"
_FLAGS = {"H": "L", "L": "H"}
_TRIES = 12


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A value of a page and the letters of the strip that it stands in."""

    field: str
    strip: Strip
    first: int
    """Its first letter among the strip's glyphs."""
    last: int
    """The one after its last."""

    @property
    def text(self) -> str:
        """What is printed, spaces left out."""
        return "".join(glyph.char for glyph in self.strip.glyphs[self.first : self.last])


@dataclass(frozen=True, slots=True, eq=False)
class Twin:
    """A page with one edit."""

    kind: str
    field: str
    before: str
    after: str
    pixels: Pixels


Change = tuple[str, Pixels]
"""What the value is afterwards, and its strip."""
Maker = Callable[[Value, Sequence[Strip], Random], Iterator[Change]]


def value_of(field: str, printed: str, strips: Sequence[Strip]) -> Value | None:
    """Where a value stands; None where no strip has it, or several have."""
    bare = "".join(printed.split())
    found = []
    for strip in strips:
        text = "".join(glyph.char for glyph in strip.glyphs)
        if bare and text.count(bare) == 1:
            start = text.index(bare)
            # 42.50 is not the 142.50 of another line.
            if not _in_number(text, start, start + len(bare)):
                found.append(Value(field, strip, start, start + len(bare)))
    return found[0] if len(found) == 1 else None


def twins(
    picture: Pixels, values: Sequence[Value], strips: Sequence[Strip], rng: Random
) -> Iterator[Twin]:
    """One twin of each kind for each value that can be edited so."""
    for value in values:
        for kind, make in _MAKERS.items():
            found = next(make(value, strips, rng), None)
            if found is not None:
                after, pixels = found
                whole = put_back(picture, value.strip, pixels)
                yield Twin(kind, value.field, value.text, after, whole)


def _digit(value: Value, strips: Sequence[Strip], rng: Random) -> Iterator[Change]:
    """One digit is another."""
    others = sorted(readable(strips) & set(_DIGITS))
    yield from _other_letter(value, strips, rng, str.isdigit, lambda _: others)


def _letter(value: Value, strips: Sequence[Strip], rng: Random) -> Iterator[Change]:
    """One letter is another of the same case."""
    known = sorted(char for char in readable(strips) if char.isalpha() and char.isascii())

    def others(char: str) -> list[str]:
        return [one for one in known if one.isupper() == char.isupper()]

    yield from _other_letter(value, strips, rng, str.isalpha, others)


def _flag(value: Value, strips: Sequence[Strip], rng: Random) -> Iterator[Change]:
    """High is low."""
    if value.text in _FLAGS:
        yield from _other_letter(value, strips, rng, str.isalpha, lambda char: [_FLAGS[char]])


def _digit_lost(value: Value, strips: Sequence[Strip], rng: Random) -> Iterator[Change]:
    """The first or the last digit is gone."""
    ends = [at for at in (value.first, value.last - 1) if value.strip.glyphs[at].char.isdigit()]
    if value.last - value.first > 2 and ends:
        at = rng.choice(ends)
        yield _without(value, at), lost(value.strip, at)


def _digit_added(value: Value, strips: Sequence[Strip], rng: Random) -> Iterator[Change]:
    """There is one digit more, behind the last one."""
    if not value.strip.glyphs[value.last - 1].char.isdigit():
        return
    for char in rng.sample(_DIGITS, len(_DIGITS)):
        letter = donor(value.strip, char, strips)
        found = added(value.strip, value.last - 1, letter) if letter is not None else None
        if found is not None:
            yield value.text + char, found


def _point_lost(value: Value, strips: Sequence[Strip], rng: Random) -> Iterator[Change]:
    """The decimal point is gone."""
    points = [at for at in range(value.first, value.last) if value.strip.glyphs[at].char in _MARKS]
    if points:
        yield _without(value, points[-1]), lost(value.strip, points[-1])


def _sign_lost(value: Value, strips: Sequence[Strip], rng: Random) -> Iterator[Change]:
    """The minus is gone."""
    signs = [at for at in range(value.first, value.last) if value.strip.glyphs[at].char in _SIGNS]
    if signs and signs[0] == value.first:
        yield _without(value, signs[0]), lost(value.strip, signs[0])


_MAKERS: dict[str, Maker] = {
    "digit": _digit,
    "letter": _letter,
    "flag": _flag,
    "digit_lost": _digit_lost,
    "digit_added": _digit_added,
    "point_lost": _point_lost,
    "sign_lost": _sign_lost,
}


def _other_letter(
    value: Value,
    strips: Sequence[Strip],
    rng: Random,
    wanted: Callable[[str], bool],
    others: Callable[[str], Sequence[str]],
) -> Iterator[Change]:
    places = [at for at in range(value.first, value.last) if wanted(value.strip.glyphs[at].char)]
    for _ in range(_TRIES if places else 0):
        at = rng.choice(places)
        old = value.strip.glyphs[at].char
        choice = [char for char in others(old) if char != old]
        if not choice:
            continue
        char = rng.choice(choice)
        letter = donor(value.strip, char, strips)
        found = changed(value.strip, at, letter) if letter is not None else None
        if found is not None:
            inside = at - value.first
            yield value.text[:inside] + char + value.text[inside + 1 :], found


def _without(value: Value, at: int) -> str:
    return value.text[: at - value.first] + value.text[at - value.first + 1 :]


def _in_number(text: str, start: int, end: int) -> bool:
    before, after = text[:start], text[end:]
    number = _DIGITS + _MARKS
    return bool(
        (before and before[-1] in number and text[start].isdigit())
        or (after and after[0].isdigit() and text[end - 1].isdigit())
    )
