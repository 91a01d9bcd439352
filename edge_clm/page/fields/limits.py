"""How much of a page rules look at, so that no page takes them long."""

from __future__ import annotations

from dataclasses import replace

from edge_clm.paper import Line, PageText

# A page of small print has some 300 lines of 100 characters; one OCR has gone astray on has more.
_FIRST, _LAST = 1000, 400
_LONGEST, _ALL, _LEAST = 500, 60_000, 40


def within_limits(text: PageText) -> PageText:
    """The page, or of one beyond all measure the part that rules look at.

    Those are the first 1000 and the last 400 lines, the first 500 characters of each, and 60 000
    characters in all: where there are more, fewer of each line. Boxes are cut with their text.
    """
    lines = text.lines
    if len(lines) > _FIRST + _LAST:
        lines = (*lines[:_FIRST], *lines[-_LAST:])
    longest = _LONGEST
    if sum(min(len(line.text), longest) for line in lines) > _ALL:
        longest = max(_ALL // len(lines), _LEAST)
    cut = tuple(_cut(line, longest) for line in lines)
    return text if cut == text.lines else replace(text, lines=cut)


def _cut(line: Line, longest: int) -> Line:
    if len(line.text) <= longest:
        return line
    return replace(line, text=line.text[:longest], quad=line.part(0, longest))
