"""What one page keeps to throughout: its country, wording, ways of writing and type faces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from random import Random

from edge_clm.paper import PageKind
from edge_clm.train.pages.amounts import Amounts, amounts_of
from edge_clm.train.pages.days import Form, form_of, time_of
from edge_clm.train.pages.draw import chance, split_of, weighted
from edge_clm.train.pages.fonts import Family, families
from edge_clm.train.pages.identities import Identities
from edge_clm.train.pages.lexicon import Labels, phrase
from edge_clm.train.pages.page import Split
from edge_clm.train.pages.places import Place, place_of
from edge_clm.train.pages.type import Colour, Part, Style
from edge_clm.values.value import Day, Quantity, Text

Grammar = Mapping[str, tuple[str, ...]]
"""The choices that make a layout, each with what can be chosen."""
_TRIES = 200
_TWO_DIGITS_FROM = 1970
"""Before it, two digits do not tell the century."""
_INKS: tuple[Colour, ...] = (
    (0, 0, 0),
    (0, 0, 0),
    (25, 25, 25),
    (40, 40, 45),
    (20, 25, 60),
    (60, 60, 60),
)
_ACCENTS: tuple[Colour, ...] = (
    *((20, 60, 120), (150, 30, 40), (30, 110, 70), (90, 50, 120), (200, 90, 20)),
    *((0, 120, 140), (60, 60, 60), (170, 130, 30), (30, 30, 30)),
)


@dataclass(frozen=True, slots=True)
class Setting:
    """The common ground of one page."""

    rng: Random
    split: Split
    kind: PageKind
    layout: Mapping[str, str]
    place: Place
    labels: Labels
    amounts: Amounts
    names: Identities
    form: Form
    body: Family
    heading: Family
    ink: Colour
    accent: Colour
    mark: str
    """Between a label and its value."""
    signs: str
    """Which amounts are printed with the currency: all, sums, total or none."""

    def style(self, size: float, bold: bool = False) -> Style:
        """The body's face at a size."""
        return Style(self.body, max(round(size), 9), bold, self.ink)

    def title(self, size: float) -> Style:
        """The headings' face at a size."""
        return Style(self.heading, round(size), True, self.rng.choice((self.ink, self.accent)))

    def odds(self, share: float) -> bool:
        """True in so many of all cases."""
        return self.rng.random() < share

    def money(self, key: str, amount: Decimal, place: str = "sums") -> Part:
        """An amount; `place` is where it stands: lines, sums or total."""
        signed = self.signs in {"all", place} or (place, self.signs) == ("total", "sums")
        text = self.amounts.signed(amount) if signed else self.amounts.bare(amount)
        return Part(text, key, self.amounts.money(amount))

    def day(self, key: str, day: date) -> Part:
        """A date."""
        text = self.form(day)
        if day.year < _TWO_DIGITS_FROM and str(day.year) not in text:
            text = day.strftime("%m/%d/%Y" if self.place.order == "mdy" else "%d/%m/%Y")
        return Part(text, key, Day((day,)))

    def moment(self, key: str, day: date) -> list[Part]:
        """A date with a time beside it, which is no part of the field."""
        gap = self.rng.choice((" ", " ", "  ", " - ", ", ", " @ "))
        return [self.day(key, day), Part(gap + time_of(self.rng))]

    def quantity(self, key: str, number: Decimal, unit: str = "") -> Part:
        """A number, with its unit where it has one."""
        text = self.amounts.number(number)
        return Part(f"{text} {unit}".strip(), key, Quantity(number, unit))

    def said(self, key: str, text: str) -> Part:
        """Any other text."""
        return Part(text, key, Text(text))

    def address(self, key: str, lines: Sequence[str], joined: bool) -> list[list[Part]]:
        """The lines of an address, or all of it `joined` to one; the value is the whole."""
        whole = Text(", ".join(line.rstrip(",") for line in lines))
        if not joined:
            return [[Part(line, key, whole)] for line in lines]
        ends = [f"{line.rstrip(',')}, " for line in lines[:-1]]
        return [[Part("".join([*ends, lines[-1]]), key, whole)]]

    def phrase(self, name: str) -> str:
        """A sentence around the figures."""
        return phrase(self.rng, self.place.language, name, self.split)

    def code(self, ordered: bool = False) -> str:
        """A number of a document; of an order where it is `ordered`."""
        rng = self.rng
        digits = "".join(rng.choice("0123456789") for _ in range(10))
        year = rng.randint(2009, 2025)
        letters = "".join(rng.choice("ABCDEFGHIJKLMNPRSTUVWXYZ") for _ in range(3))
        if ordered:
            return rng.choice(
                (
                    f"PO-{digits[:5]}",
                    digits[:6],
                    f"{letters}-{digits[:4]}",
                    f"SO{digits[:6]}",
                    f"{year}-{digits[:3]}",
                )
            )
        return rng.choice(
            (
                *(f"INV-{digits[:4]}", f"{year}-{digits[:4]}", digits[:6], digits[:8], digits),
                *(f"#{digits[:6]}", digits[:7], f"#{digits[:4]}"),
                *(f"{letters}{digits[:5]}", f"{letters[:2]}-{digits[:6]}", f"#{digits[:5]}"),
                *(
                    f"{year}/{digits[:3]}",
                    f"{letters[0]}{digits[:7]}",
                    f"{digits[:3]}-{digits[3:8]}",
                ),
                *(f"CS{digits[:7]}", f"OR-{digits[:5]}", f"{digits[:2]}{letters[:2]}{digits[2:6]}"),
                *(f"IV-{year % 100}{digits[:5]}", f"{letters}/{year}/{digits[:4]}"),
            )
        )


def setting_of(
    kind: PageKind, seed: int, split: Split, grammar: Grammar, languages: frozenset[str]
) -> Setting:
    """The setting of a page; the same for the same arguments."""
    rng = chance(kind, split, seed)
    place = place_of(rng, languages, kind is PageKind.RECEIPT)
    faces = _faces(rng, split, place, kind)
    mark = rng.choice(
        (": ", ": ", ":", " : ", " ", ".: ") if split == "train" else (": ", " ", " - ")
    )
    return Setting(
        rng=rng,
        split=split,
        kind=kind,
        layout=_layout(rng, split, grammar),
        place=place,
        labels=Labels(rng, place, split),
        amounts=amounts_of(rng, place),
        names=Identities(rng, place, split),
        form=form_of(rng, place.language, place.order),
        body=faces[0],
        heading=faces[1],
        ink=rng.choice(_INKS),
        accent=rng.choice(_ACCENTS),
        mark=mark,
        signs=weighted(rng, {"all": 0.3, "sums": 0.25, "total": 0.2, "none": 0.25}),
    )


def _layout(rng: Random, split: Split, grammar: Grammar) -> dict[str, str]:
    """Choices whose sum belongs to the split."""
    chosen: dict[str, str] = {}
    for _ in range(_TRIES):
        chosen = {name: rng.choice(options) for name, options in grammar.items()}
        if split_of(signature(chosen)) == split:
            break
    return chosen


def signature(layout: Mapping[str, str]) -> str:
    """A layout's name."""
    return " ".join(f"{name}={layout[name]}" for name in sorted(layout))


def _faces(rng: Random, split: Split, place: Place, kind: PageKind) -> tuple[Family, Family]:
    if place.language == "zh":
        han = rng.choice(families(split, "han"))
        return han, han
    if rng.random() < (0.77 if kind is PageKind.RECEIPT else 0.08):
        body = rng.choice(families(split, "mono"))
    else:
        body = rng.choice(families(split, "sans", "sans", "serif"))
    heading = rng.choice([body, body, *families(split, "sans", "serif", "display")])
    return body, heading
