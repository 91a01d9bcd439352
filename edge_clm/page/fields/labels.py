"""Labels: the printed words that say what the value beside them is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from typing import NamedTuple

from edge_clm.page.fields.layout import Cell, Layout, Span, shared
from edge_clm.page.fields.spelling import Spelling
from edge_clm.page.fields.wording import fold, is_ideographic, word_list

PARTIES = ("seller", "buyer", "shipping_party")
_GRADES = {"best": 1.0, "good": 0.9, "fair": 0.6}
_TOKEN = re.compile(r"[^\W_]+|[#№$%]")
_RUN = re.compile(r"[^\W\d_]+|\d+")
_LONGEST = 6
# No line in earnest holds more labels.
_MOST = 16
# What a label is worth of which a letter was misread, and one that stands in the midst of other words.
_MISREAD = 0.85
_BURIED = 0.35
_SURE = 0.5


class Meaning(NamedTuple):
    """What a label may stand for."""

    concept: str
    """The name of a table in labels.toml."""
    worth: float
    """0…1: how sure it is that such words are a label of this."""


@dataclass(frozen=True, slots=True)
class Label:
    """A label on a page: in one cell, or broken over two that stand one over the other."""

    spans: tuple[Span, ...]
    meanings: tuple[Meaning, ...]
    alone: bool
    """Whether the cell says nothing before it."""

    @property
    def last(self) -> Span:
        """The part of it that a value would follow."""
        return self.spans[-1]

    @property
    def surest(self) -> float:
        """Its greatest worth, whatever it means."""
        return max(worth for _, worth in self.meanings)

    def worth(self, concept: str) -> float:
        """0…1: how sure it is that the label means this; 0 if it cannot."""
        return max((worth for name, worth in self.meanings if name == concept), default=0.0)


@dataclass(frozen=True, slots=True)
class Labels:
    """All labels of a page."""

    all: tuple[Label, ...]
    by_cell: dict[int, list[Label]]
    """The labels of each cell from left to right, by the cell's index."""

    def of(self, concept: str) -> list[tuple[Label, float]]:
        """Labels that may mean this, in reading order, each with its worth."""
        found = [(label, label.worth(concept)) for label in self.all]
        return [(label, worth) for label, worth in found if worth]

    def within(self, cell: Cell) -> list[Label]:
        """The labels that stand in a cell, from left to right."""
        return self.by_cell.get(cell.index, [])

    def opens(self, cell: Cell) -> bool:
        """Whether the cell begins with a label."""
        found = self.within(cell)
        return bool(found) and found[0].alone

    def within_surely(self, cell: Cell) -> list[Label]:
        """Those labels in a cell that are no words of a sentence or a name."""
        return [label for label in self.within(cell) if label.surest > _SURE]

    def free(self, cell: Cell) -> Span:
        """What a cell says before its first label; all of it if it has none."""
        found = self.within_surely(cell)
        end = min((s.start for label in found for s in label.spans if s.cell is cell), default=None)
        return cell.whole if end is None else cell.part(0, end)


def labels_of(layout: Layout, lists: tuple[str, ...] = ("labels",)) -> Labels:
    """Finds every label on a page; `lists` names the TOML files that say what is one."""
    known = _phrases(lists)
    by_cell: dict[int, list[Label]] = {}
    words = {cell.index: _tokens(cell, known) for cell in layout.cells}
    for cell in layout.cells:
        by_cell[cell.index] = list(islice(_in_cell(cell, words[cell.index], known), _MOST))
    for label in _broken(layout, words, known):
        for span in label.spans:
            by_cell[span.cell.index] = [label]
    every: list[Label] = []
    for cell in layout.cells:
        every += [label for label in by_cell[cell.index] if label not in every[-8:]]
    return Labels(tuple(every), {index: found for index, found in by_cell.items() if found})


class _Token(NamedTuple):
    word: str
    """In plain letters, as the lists spell it."""
    start: int
    end: int
    misread: bool


class _Phrases(NamedTuple):
    latin: dict[str, tuple[Meaning, ...]]
    ideographic: dict[str, tuple[Meaning, ...]]
    spelling: Spelling
    pattern: re.Pattern[str]


@cache
def _phrases(lists: tuple[str, ...]) -> _Phrases:
    latin: dict[str, tuple[Meaning, ...]] = {}
    ideographic: dict[str, tuple[Meaning, ...]] = {}
    words: set[str] = set()
    for concept, grades in chain.from_iterable(word_list(name).items() for name in lists):
        for grade, phrases in grades.items():
            for phrase in phrases:
                parts = _TOKEN.findall(fold(phrase))
                bare = "".join(parts)
                known = ideographic if is_ideographic(phrase) else latin
                meant = Meaning(concept, _GRADES[grade])
                known[bare] = tuple(dict.fromkeys((*known.get(bare, ()), meant)))
                if known is latin:
                    words.update(parts)
    longest = sorted(ideographic, key=lambda it: (-len(it), it))
    spelling = Spelling(words | {bare for bare in latin if len(bare) > 7})
    return _Phrases(
        latin, ideographic, spelling, re.compile("|".join(map(re.escape, longest)) or "(?!)")
    )


def _tokens(cell: Cell, known: _Phrases) -> list[_Token]:
    spelling = known.spelling
    folded = fold(cell.text)
    found: list[_Token] = []
    matches = list(_TOKEN.finditer(folded))
    for match in matches:
        word, misread = spelling.known(match[0], alone=len(matches) == 1)
        if word or not any(map(str.isdigit, match[0])):
            found.append(_Token(word or match[0], match.start(), match.end(), misread))
            continue
        for run in _RUN.finditer(match[0]):
            word, misread = spelling.known(run[0], alone=False)
            start = match.start() + run.start()
            found.append(_Token(word or run[0], start, start + len(run[0]), misread))
    return found


def _in_cell(cell: Cell, tokens: list[_Token], known: _Phrases) -> Iterator[Label]:
    place, spoken, ended = 0, 0, 0
    while place < len(tokens):
        size, meanings = _longest(tokens, place, known)
        if not size:
            spoken += tokens[place].word.isalpha()
            place += 1
            continue
        used = tokens[place : place + size]
        span = Span(cell, used[0].start, used[-1].end)
        if _is_particle(meanings, span) or (ended and _is_prefix(span, ended)):
            spoken += 1
            place += size
            continue
        buried = (
            spoken > 1 or (spoken and not _leads(span)) or _runs_on(span, tokens[place + size :])
        )
        worth = (_MISREAD if any(t.misread for t in used) else 1) * (_BURIED if buried else 1)
        yield Label((span,), _scaled(meanings, worth), not spoken)
        place, spoken, ended = place + size, spoken if buried else 0, span.end
    if is_ideographic(cell.text):
        for match in known.pattern.finditer(cell.text):
            yield Label((Span(cell, *match.span()),), known.ideographic[match[0]], True)


def _is_particle(meanings: tuple[Meaning, ...], label: Span) -> bool:
    """Whether a small word that may head an address ("to", "for", "from") only joins other words."""
    if len(label.text) > 4 or not any(concept in PARTIES for concept, _ in meanings):
        return False
    rest = label.cell.text[label.end :].strip()
    return label.cell.text[: label.start].strip() != "" or (
        rest.strip(".") not in ("", ":") and rest[0] != ":"
    )


def _is_prefix(label: Span, ended: int) -> bool:
    """Whether it is the beginning of the value of the label that ended before: "No: INV-42"."""
    text = label.cell.text
    alone = not any(map(str.isalnum, text[ended : label.start]))
    return alone and re.match(r"[-/_.]?\d", text[label.end :]) is not None


def _leads(label: Span) -> bool:
    """Whether what follows a label is a value or nothing, and no further word."""
    return re.match(r"\s*(?:$|[:=#(.]|\W?\d)", label.cell.text[label.end :]) is not None


def _runs_on(label: Span, rest: list[_Token]) -> bool:
    """Whether the label is but the first words of a sentence."""
    if re.match(r"\s*[:=.#\-(]", label.cell.text[label.end :]):
        return False
    return sum(token.word.isalpha() and len(token.word) > 1 for token in rest) > 4


def _longest(tokens: list[_Token], place: int, known: _Phrases) -> tuple[int, tuple[Meaning, ...]]:
    """How many tokens the longest label from here on has, and what it means."""
    latin = known.latin
    for size in range(min(_LONGEST, len(tokens) - place), 0, -1):
        found = latin.get("".join(token.word for token in tokens[place : place + size]))
        if found and not (size == 1 and _doubtful(tokens[place], tokens)):
            return size, found
    return 0, ()


def _doubtful(token: _Token, tokens: list[_Token]) -> bool:
    """Whether a short word among others was only nearly a label."""
    return token.misread and len(token.word) < 7 and sum(t.word.isalpha() for t in tokens) > 1


def _broken(layout: Layout, words: dict[int, list[_Token]], known: _Phrases) -> Iterator[Label]:
    """Labels of which the first words stand in one cell and the others in the cell below."""
    latin = known.latin
    for cell in layout.cells:
        first = words[cell.index]
        if not 0 < len(first) < _LONGEST:
            continue
        for under in layout.below(cell, rows=2)[:2]:
            second = words[under.index]
            found = latin.get("".join(token.word for token in (*first, *second)))
            if second and found and _is_stack(layout, cell, under):
                yield Label((cell.whole, under.whole), _scaled(found, 0.95), True)


def _is_stack(layout: Layout, cell: Cell, under: Cell) -> bool:
    """Whether two cells are one text in two rows, and not two labels with a value each."""
    apart = under.level - cell.level
    near = apart < 2 * max(cell.height, under.height) and shared(cell, under) > 0.5
    return near and not (_has_value(layout, cell) and _has_value(layout, under))


def _has_value(layout: Layout, cell: Cell) -> bool:
    return any(map(str.isdigit, "".join(right.text for right in layout.right_of(cell)[:1])))


def _scaled(meanings: tuple[Meaning, ...], by: float) -> tuple[Meaning, ...]:
    return tuple(Meaning(concept, worth * by) for concept, worth in meanings)
