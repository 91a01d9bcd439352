"""How an OCR misreads: learnt from captures that it has read, put onto pages that it never saw."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path
from random import Random

from edge_clm.paper import Line
from edge_clm.train.nano.base import keep
from edge_clm.train.nano.shown import Sheet
from edge_clm.train.pages.page import Box, around

_ALIKE = 0.5
"""Least likeness of what was read to what is printed there; below it they are not the same line."""
_LONGEST = 3
"""Characters that one misreading covers at most."""
_OFTENEST = 0.5
"""No character is misread more often than that, however bad the page."""

Pair = tuple[str, str]
"""What is printed on a line and what was read."""


@dataclass(frozen=True, slots=True)
class Noise:
    """Misreadings of characters, and how many of them pages have."""

    swaps: Mapping[str, Mapping[str, float]]
    """For a character what it was misread as ("" for nothing), as shares of all its occurrences."""
    rates: Sequence[float]
    """For each page that was read, the share of its characters that were misread."""
    lost: float
    """Share of lines that were not read at all."""

    def of(self, lines: Sequence[Line], rng: Random) -> tuple[Line, ...]:
        """The lines as they might have been read on a page as bad as one of those."""
        usual = sum(self.rates) / len(self.rates)
        worse = rng.choice(self.rates) / usual if usual else 0.0
        kept = (line for line in lines if rng.random() >= self.lost * worse)
        read = (replace(line, text=self._misread(line.text, rng, worse)) for line in kept)
        return tuple(line for line in read if line.text)

    def _misread(self, text: str, rng: Random, worse: float) -> str:
        return "".join(self._one(char, rng, worse) for char in text).strip()

    def _one(self, char: str, rng: Random, worse: float) -> str:
        swaps = self.swaps.get(char)
        if not swaps or rng.random() >= min(_OFTENEST, worse * sum(swaps.values())):
            return char
        return rng.choices(list(swaps), list(swaps.values()))[0]


def learn(pages: Iterable[tuple[Sequence[Pair], float]]) -> Noise:
    """The noise of pages, each told by the pairs of its lines and its share of lost lines; needs one page."""
    seen: Counter[str] = Counter()
    misread: defaultdict[str, Counter[str]] = defaultdict(Counter)
    rates, lost = [], []
    for pairs, gone in pages:
        wrong = 0
        for printed, read in pairs:
            seen.update(printed)
            for char, said in _misreadings(printed, read):
                misread[char][said] += 1
                wrong += 1
        rates.append(round(wrong / max(1, sum(len(printed) for printed, _ in pairs)), 5))
        lost.append(gone)
    swaps = {
        char: {said: round(times / seen[char], 6) for said, times in sorted(found.items())}
        for char, found in sorted(misread.items())
    }
    return Noise(swaps, rates, round(sum(lost) / len(lost), 5))


def noise_of(sheets: Iterable[Sheet], path: Path) -> Noise:
    """The noise of sheets that were read off captures, kept in a file so that they are read once."""
    if not path.exists():
        found = learn((pairs(sheet), _lost(sheet)) for sheet in sheets)
        keep(path, lambda part: part.write_text(json.dumps(asdict(found)), encoding="utf-8"))
    said = json.loads(path.read_text(encoding="utf-8"))
    return Noise(said["swaps"], said["rates"], said["lost"])


def pairs(sheet: Sheet) -> list[Pair]:
    """For each line that was read what is printed there, where the two are alike."""
    words = [(around([sheet.places[word.quad]]), word.text) for word in sheet.page.words]
    found = []
    for line in sheet.lines:
        place = around([line.quad])
        inside = sorted((at[0], text) for at, text in words if _holds(place, at))
        printed = " ".join(text for _, text in inside)
        if SequenceMatcher(None, printed, line.text, autojunk=False).ratio() >= _ALIKE:
            found.append((printed, line.text))
    return found


def _lost(sheet: Sheet) -> float:
    """Share of printed lines none of whose words a line was read at."""
    places = [around([line.quad]) for line in sheet.lines]
    found: dict[int, bool] = {}
    for word in sheet.page.words:
        at = around([sheet.places[word.quad]])
        read = any(_holds(place, at) for place in places)
        found[word.line] = found.get(word.line, False) or read
    return sum(not read for read in found.values()) / max(1, len(found))


def _misreadings(printed: str, read: str) -> Iterator[tuple[str, str]]:
    """Which characters were read as what; one that came from nowhere belongs to the one before it."""
    matched = SequenceMatcher(None, printed, read, autojunk=False)
    for what, a, b, c, d in matched.get_opcodes():
        said = read[c:d]
        if what == "equal" or max(b - a, d - c) > _LONGEST:
            continue
        if what == "insert":
            if a:
                yield printed[a - 1], printed[a - 1] + said
        elif b - a == d - c:
            yield from zip(printed[a:b], said, strict=True)
        else:
            yield printed[a], said
            yield from ((char, "") for char in printed[a + 1 : b])


def _holds(line: Box, word: Box) -> bool:
    """Whether a word's middle lies in a line's box."""
    x, y = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
    return line[0] <= x <= line[2] and line[1] <= y <= line[3]
