"""Where a page answers a question, as far as rules can tell: rows that the model is shown once more, beside the question.

A small model that has a whole receipt before it takes the wrong one of its sums; shown the row that the
rules have read as what is asked, it takes that one, and still says itself what stands there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from edge_clm.ground import FILLER, surely_read
from edge_clm.model.rows import GAP, row_text, visual_rows
from edge_clm.occurrences import tokens
from edge_clm.paper import Evidence, Extraction, Field, PageText, Quad
from edge_clm.truth import row_named
from edge_clm.values.value import Text

RULES = 2
"""Counted up whenever another row is shown of the same page for the same question."""
_MOST = 800
"""Characters of rows that are shown, at most."""


def rows_for(question: str, asked: str, text: PageText, extraction: Extraction) -> tuple[str, ...]:
    """The rows of a page that the rules have read what is asked in, as printed, from top to bottom.

    `asked` names the field that the question likely asks for, empty where it names none. None where nothing of it
    was surely read; the rows of every reading where several are as likely; of a long passage its beginning. Of a row
    that has words asked for, such as a name, those lines alone: beside a seller stands the buyer.
    """
    if field := surely_read(asked, extraction):
        readings = (field.best, *(field.alternatives if field.ambiguous else ()))
        words = isinstance(field.best.value, Text)
        found = _rows(text, (place for one in readings for place in one.evidence), alone=words)
    elif row := row_named(question, extraction):
        found = iter([GAP.join(dict.fromkeys(cell.best.raw for cell in row.values()))])
    else:
        measured = _measured(question, extraction)
        found = _rows(text, (place for cell in measured for place in cell.best.evidence))
    return tuple(_fitting(found))


def _measured(question: str, extraction: Extraction) -> Iterator[Field]:
    """The cells of every measurement of what the question names."""
    words = set(tokens(question)) - FILLER
    tables = (table for table in extraction.tables if table.name == "measurements")
    for row in (row for table in tables for row in table.rows):
        what = next((cell.best.raw for cell in row if cell.name == "what"), "")
        if words & set(tokens(what)):
            yield from row


def _rows(text: PageText, places: Iterable[Evidence], *, alone: bool = False) -> Iterator[str]:
    """The visual rows that have the middle of any of those places; `alone`: without the lines beside it there."""
    middles = [_middle(place.quad) for place in places]
    for row in visual_rows(text.lines) if middles else ():
        mine = [line for line in row if any(_holds(line.quad, *middle) for middle in middles)]
        if mine:
            yield row_text(mine if alone else row)


def _fitting(rows: Iterable[str]) -> Iterator[str]:
    room = _MOST
    for row in rows:
        room -= len(row)
        if room < 0:
            return
        yield row


def _middle(quad: Quad) -> tuple[float, float]:
    return sum(x for x, _ in quad) / 4, sum(y for _, y in quad) / 4


def _holds(quad: Quad, x: float, y: float) -> bool:
    """Whether a point lies within a quadrilateral: on one side of each of its edges."""
    sides = [
        (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)
        for (x0, y0), (x1, y1) in zip(quad, (*quad[1:], quad[0]), strict=True)
    ]
    return all(side >= 0 for side in sides) or all(side <= 0 for side in sides)
