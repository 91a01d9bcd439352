"""Text as it is set: styles, parts of lines, and how they are wrapped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from edge_clm.train.pages.fonts import Family, Font, covering, face
from edge_clm.values.value import Value

Align = Literal["left", "centre", "right"]


Colour = tuple[int, int, int]


BLACK: Colour = (0, 0, 0)


_LEADING = 1.32


@dataclass(frozen=True, slots=True)
class Style:
    """How text is set."""

    family: Family
    size: int
    bold: bool = False
    colour: Colour = BLACK

    def font(self, text: str) -> Font:
        """The face that has every character of the text."""
        return face(covering(self.family, text), self.bold, self.size)

    def width(self, text: str) -> float:
        """In pixels."""
        return self.font(text).getlength(text)

    @property
    def leading(self) -> float:
        """From one line to the next, pixels."""
        return self.size * _LEADING

    def but(
        self, size: float = 1.0, bold: bool | None = None, colour: Colour | None = None
    ) -> Style:
        """The same with another relative size, weight or colour."""
        return replace(
            self,
            size=max(round(self.size * size), 9),
            bold=self.bold if bold is None else bold,
            colour=colour or self.colour,
        )


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a line; with a key where it is what a field says."""

    text: str
    key: str = ""
    """A field's name, or `table.row.column`."""
    value: Value | None = None
    within: str = ""
    """The key of the passage that it is part of."""
    whole: Value | None = None
    """What that passage says."""


def as_parts(text: str | Sequence[Part]) -> list[Part]:
    """Plain text as one part without a key."""
    return [Part(text)] if isinstance(text, str) else list(text)


def wrapped(text: str | Sequence[Part], width: float, style: Style) -> list[list[Part]]:
    """The lines that a text takes in a column; a word that is wider than it stands alone."""
    lines: list[list[Part]] = []
    used, space = 0.0, style.width(" ")
    for word, spaced in _words(as_parts(text)):
        wide = style.width("".join(piece.text for piece in word))
        if not lines or used + wide > width:
            lines.append([])
            used = 0.0
        lines[-1] += [Part(" "), *word] if lines[-1] and spaced else word
        used += wide + space * spaced
    return [_joined(line) for line in lines]


def _words(parts: Iterable[Part]) -> list[tuple[list[Part], bool]]:
    """What may stand on a line of its own, and whether a space sets it apart from what is before.

    A word may be made of several parts.
    """
    words: list[tuple[list[Part], bool]] = [([], True)]
    for part in parts:
        for at, piece in enumerate(part.text.split(" ")):
            if at:
                words.append(([], True))
            for number, few in enumerate(_breakable(piece)):
                if number:
                    words.append(([], False))
                words[-1][0].extend([replace(part, text=few)] if few else [])
    return [(word, spaced) for word, spaced in words if word]


def _breakable(word: str) -> list[str]:
    """Chinese has no spaces and comes apart anywhere."""
    if len(word) <= 8 or max(word) < "\u2e80":
        return [word]
    return [word[at : at + 4] for at in range(0, len(word), 4)]


def _joined(pieces: Sequence[Part]) -> list[Part]:
    """Pieces of one key made one part again, with the spaces between them."""
    line: list[Part] = []
    for piece in pieces:
        if line and not piece.text.strip():
            line[-1] = replace(line[-1], text=f"{line[-1].text} ")
        elif line and replace(line[-1], text="") == replace(piece, text=""):
            line[-1] = replace(line[-1], text=line[-1].text + piece.text)
        else:
            if line and line[-1].text.endswith(" "):
                line[-1] = replace(line[-1], text=line[-1].text[:-1])
                line.append(Part(" "))
            line.append(piece)
    return line
