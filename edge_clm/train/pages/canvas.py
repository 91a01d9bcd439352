"""Print that is placed first and drawn last, so that a page can be as long as what stands on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from edge_clm.paper import Quad
from edge_clm.train.pages.fonts import Font, covering
from edge_clm.train.pages.page import Truth, Word, box
from edge_clm.train.pages.type import BLACK, Align, Colour, Part, Style, as_parts
from edge_clm.values.value import Value

_SHIFT = {"left": 0.0, "centre": 0.5, "right": 1.0}
Shape = Callable[[ImageDraw.ImageDraw], None]


@dataclass(frozen=True, slots=True)
class _Run:
    """A line of print."""

    x: float
    baseline: float
    text: str
    style: Style
    font: Font

    def quad(self, start: int, end: int) -> Quad:
        left = self.x + self.font.getlength(self.text[:start])
        right = self.x + self.font.getlength(self.text[:end])
        _, top, _, bottom = self.font.getbbox(self.text[start:end], anchor="ls")
        return box(left, self.baseline + top, right, self.baseline + bottom)


@dataclass(slots=True)
class _Saying:
    """Where a key's text stands: stretches of lines."""

    value: Value
    places: list[tuple[_Run, int, int]] = field(default_factory=list)

    def add(self, run: _Run, start: int, end: int) -> None:
        """One more stretch; it goes on where the last one in the same line ended."""
        if self.places and self.places[-1][0] is run:
            start = self.places.pop()[1]
        self.places.append((run, start, end))

    def truth(self) -> Truth:
        texts = [run.text[start:end] for run, start, end in self.places]
        return Truth(
            " ".join(texts), self.value, tuple(run.quad(a, b) for run, a, b in self.places)
        )


class Canvas:
    """A page in the making, `width` pixels wide."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.families: set[str] = set()
        self._runs: list[_Run] = []
        self._said: dict[str, _Saying] = {}
        self._under: list[Shape] = []
        self._over: list[Shape] = []

    def write(
        self,
        x: float,
        y: float,
        text: str | Sequence[Part],
        style: Style,
        align: Align = "left",
    ) -> float:
        """Sets one line with its top at `y`; returns its width. Runs off no edge: it is set smaller."""
        parts = as_parts(text)
        whole = "".join(part.text for part in parts)
        if not whole.strip():
            return 0.0
        style, width = self._fitted(whole, style, x, align)
        font = style.font(whole)
        start = x - width * _SHIFT[align]
        run = _Run(start, y + style.size * 0.98, whole, style, font)
        self._runs.append(run)
        self.families.add(covering(style.family, whole).name)
        self._note(run, parts)
        return width

    def _fitted(self, text: str, style: Style, x: float, align: Align) -> tuple[Style, float]:
        room = {"left": self.width - x, "right": x, "centre": 2 * min(x, self.width - x)}[align] - 6
        width = style.width(text)
        while width > room and style.size > 9:
            style = style.but(0.93)
            width = style.width(text)
        return style, width

    def _note(self, run: _Run, parts: Sequence[Part]) -> None:
        at = 0
        for part in parts:
            end = at + len(part.text)
            for key, value in ((part.key, part.value), (part.within, part.whole)):
                if key and value is not None and part.text.strip():
                    self._said.setdefault(key, _Saying(value)).add(run, at, end)
            at = end

    def under(self, shape: Shape) -> None:
        """Draws below the print."""
        self._under.append(shape)

    def over(self, shape: Shape) -> None:
        """Draws above the print."""
        self._over.append(shape)

    def rule(
        self, left: float, y: float, right: float, colour: Colour = BLACK, thick: int = 1
    ) -> None:
        """A horizontal line."""
        self.under(lambda pen: pen.line((left, y, right, y), fill=colour, width=thick))

    def upright(self, x: float, top: float, bottom: float, colour: Colour = BLACK) -> None:
        """A vertical line."""
        self.under(lambda pen: pen.line((x, top, x, bottom), fill=colour, width=1))

    def frame(
        self,
        corners: tuple[float, float, float, float],
        outline: Colour | None = None,
        fill: Colour | None = None,
        thick: int = 1,
    ) -> None:
        """A box; its filling lies below everything that is drawn later."""
        self.under(lambda pen: pen.rectangle(corners, fill=fill, outline=outline, width=thick))

    def said(self) -> dict[str, Truth]:
        """What has been written under each key."""
        return {key: saying.truth() for key, saying in self._said.items()}

    def words(self) -> tuple[Word, ...]:
        """Every word, rows from top to bottom, each from left to right."""
        words: list[Word] = []
        for line, run in enumerate(_in_order(self._runs)):
            at = 0
            for text in run.text.split(" "):
                if text.strip():
                    words.append(Word(text, run.quad(at, at + len(text)), line))
                at += len(text) + 1
        return tuple(words)

    def bottom(self) -> float:
        """Where the lowest print ends."""
        return max((run.baseline + run.style.size * 0.3 for run in self._runs), default=0.0)

    def draw(self, height: int, paper: Colour) -> NDArray[np.uint8]:
        """The page as (height, width, 3) RGB."""
        image = Image.new("RGB", (self.width, height), paper)
        pen = ImageDraw.Draw(image)
        for shape in self._under:
            shape(pen)
        for run in self._runs:
            pen.text(
                (run.x, run.baseline), run.text, fill=run.style.colour, font=run.font, anchor="ls"
            )
        for shape in self._over:
            shape(pen)
        return np.array(image)


def _in_order(runs: Sequence[_Run]) -> list[_Run]:
    """Rows of print, told apart by gaps between base lines of half a line's height."""
    by_height = sorted(runs, key=lambda run: run.baseline)
    rows: list[list[_Run]] = [by_height[:1]]
    for before, run in pairwise(by_height):
        near = run.baseline - before.baseline < 0.45 * min(run.style.size, before.style.size)
        if near:
            rows[-1].append(run)
        else:
            rows.append([run])
    return [run for row in rows for run in sorted(row, key=lambda run: run.x)]
