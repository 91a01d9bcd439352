"""The rows of a table of laboratory results: which text is whose name, value, unit, range, flag."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from statistics import median

from edge_clm.page.fields.lab_columns import Panel, headers_of
from edge_clm.page.fields.lab_items import VALUES, Item, Sort, items_in
from edge_clm.page.fields.lab_parts import has_value, parts_of
from edge_clm.page.fields.labels import Labels
from edge_clm.page.fields.layout import Cell, Layout, Span
from edge_clm.page.fields.passage import Passage, passage_of

# How sure a row is that stands under headings, and one that only looks like a result.
_UNDER_HEADINGS, _ALIKE = 0.97, 0.85
_MOST_WORDS = 14
# A line of a name is nearer to its other lines than so much of the distance between results.
_TIGHT = 0.75
_OPEN_END = re.compile(
    r"(?:[,/(&\-]|\b(?:and|of|with|by|to|und|et|y|e|en))\s*$|\([^)]*$", re.IGNORECASE
)
_OPEN_START = re.compile(r"[(\[]|[a-zà-ÿ]{3,}(?![^\W_])")
# Where a result may begin; not at the dash inside a range.
_STARTS = re.compile(r"(?<=[\s.:：])(?![-~]\s)\S")
# The name of a further result in a row; a word in small letters rather goes on with the one before.
_FRESH = re.compile(r"[\s,;|/]*(?:[a-z]?[A-ZÀ-Ý]|[\u3400-\u9fff]{2})")
_SYMBOL = re.compile(r"[\s,;|/]*[A-Z][A-Za-z]{0,3}[0-9+\-]{0,2}\s*[:=]?\s*")
_PAIR = re.compile(
    r"[\s,;|/]+(?![IVX]+\b)[A-Z][A-Za-z]{0,3}[0-9+\-]{0,2}\s*[:=]?\s*\d+(?:[.,]\d+)?(?![\w.,])"
)
_MOST_STARTS = 60
_LEADERS = re.compile(r"[\s.…_:：*]+$")
_AGE = re.compile(
    r"(?:years?|yrs?|y|months?|mths?|days?|weeks?|hours?|kg|cm|lbs?)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Result:
    """What was found in one row, by column; a row that is but a line of a name has only that."""

    row: int
    """The layout's row."""
    level: float
    strength: float
    """0…1: how sure it is that the row is a result."""
    name: tuple[Span, ...] = ()
    parts: dict[str, tuple[Span, ...]] = field(default_factory=dict)
    """value, unit, range and flag, as far as they are printed."""


def results_of(layout: Layout, labels: Labels) -> list[Result]:
    """Every result of a page from top to bottom; `labels` tells rows that are no results."""
    headers = headers_of(layout)
    ends = [*(header.first for header in headers[1:]), len(layout.rows)]
    under: list[Result] = []
    for header, end in zip(headers, ends, strict=False):
        for panel in header.panels:
            rows = layout.rows[header.last + 1 : end]
            under += _joined([result for row in rows for result in _under(panel, row, labels)])
    first = headers[0].first if headers else len(layout.rows)
    found = [row for row in under if row.parts and row.name]
    if not found:
        first = len(layout.rows)
    alone = _joined([result for row in layout.rows[:first] for result in _alike(row, labels)])
    return [*(row for row in alone if row.parts and row.name), *found]


def _under(panel: Panel, row: Sequence[Cell], labels: Labels) -> list[Result]:
    """A row under headings: a result or a line of a name; several where OCR read them as one line."""
    cells = panel.cells(row)
    if not cells or (labels.opens(cells[0]) and ":" in cells[0].text):
        return []
    several = _several(cells, _UNDER_HEADINGS) if len(cells) == 1 else []
    result = None if several else _one_under(panel, cells)
    return [result] if result else several


def _one_under(panel: Panel, cells: Sequence[Cell]) -> Result | None:
    """A row under headings; None where it is neither a result nor a line of a name."""
    by_role: dict[str, list[Span]] = {}
    for cell in cells:
        by_role.setdefault(panel.role(cell), []).append(cell.whole)
    name = by_role.pop("analyte", [])
    by_role.pop("other", None)
    passages = {role: passage_of(spans) for role, spans in by_role.items()}
    result = Result(cells[0].row, cells[0].level, _UNDER_HEADINGS, tuple(name))
    if name and not has_value(passages):
        # OCR may have read a name and its value as one line.
        split = _split(passage_of(name, "  "), need_more=not passages)
        if split:
            passages["value"] = _rest(passage_of(name, "  "), split)
            result = replace(result, name=_named(passage_of(name, "  "), split))
    parts = parts_of(passages)
    if parts:
        return replace(result, parts=parts, name=_bare_name(result.name))
    if not name:
        # The next line of a range: those of men and women may stand one below the other.
        only = set(passages) == {"range"}
        return replace(result, parts={"range": passages["range"].spans}) if only else None
    narrow = name[-1].right <= panel.next_after("analyte") + cells[0].height
    return result if narrow and not passages else None


def _alike(row: Sequence[Cell], labels: Labels) -> list[Result]:
    """A row that looks like a result by itself, or like several side by side."""
    if len(row) > _MOST_WORDS or labels.opens(row[0]):
        return []
    several = _several(row, _ALIKE)
    result = None if several else _one_alike(row)
    return [result] if result else several


def _one_alike(row: Sequence[Cell]) -> Result | None:
    """A row that looks like a result by itself: a name, a value, and its unit or range."""
    passage = passage_of((cell.whole for cell in row), "  ")
    result = Result(row[0].row, row[0].level, _ALIKE, passage.spans)
    split = _split(passage, need_more=True)
    if not split:
        return result if len(row) == 1 and not any(map(str.isdigit, passage.text)) else None
    parts = parts_of({"value": _rest(passage, split)})
    return replace(result, name=_bare_name(_named(passage, split)), parts=parts)


def _several(row: Sequence[Cell], strength: float) -> list[Result]:
    """The results of a row that has several one behind the other; [] where it has not."""
    passage = passage_of((cell.whole for cell in row), "  ")
    cuts = _cuts(passage.text)
    if len(cuts) < 2:
        return []
    results = []
    for start, value, end in cuts:
        name = _bare_name(tuple(passage.cut(start, value)))
        parts = parts_of({"value": passage_of(passage.cut(value, end), "  ")})
        results.append(Result(row[0].row, row[0].level, strength, name, parts))
    return results


def _cuts(text: str) -> list[tuple[int, int, int]]:
    """Where each result of a text begins, where its value does, and where it ends; [] for a rest."""
    cuts: list[tuple[int, int, int]] = []
    start = 0
    for match in islice(_STARTS.finditer(text), _MOST_STARTS):
        value = match.start()
        if value <= start or not _FRESH.match(text, start):
            continue
        items, whole = items_in(text, value)
        short = _SYMBOL.fullmatch(text, start, value) is not None
        if not _is_result(text, items, need_more=not short):
            continue
        end = len(text) if whole else items[-1].end
        # "CA 125" is a name; "Na 141 K 5.9" is two results.
        bare = not whole and short and not _is_result(text, items, need_more=True)
        if bare and not _PAIR.match(text, end):
            continue
        cuts.append((start, value, end))
        if whole:
            return cuts
        start = end
    return []


def _split(passage: Passage, need_more: bool) -> int | None:
    """Where a row's name ends: the first place behind which there is nothing but a result."""
    text = passage.text
    starts = [match.start() for match in _STARTS.finditer(text)][:_MOST_WORDS]
    for start in starts:
        name = _LEADERS.sub("", text[:start])
        if sum(map(str.isalpha, name)) < 2 and not re.search(r"[\u3400-\u9fff]|^[A-Z]$", name):
            continue
        items, whole = items_in(text, start)
        if whole and _is_result(text, items, need_more):
            return start
    return None


def _is_result(text: str, items: Sequence[Item], need_more: bool) -> bool:
    sorts = [item.sort for item in items if item.sort is not Sort.FLAG]
    if not sorts or sorts[0] not in VALUES:
        return False
    if not need_more:
        return True
    units = [text[item.start : item.end] for item in items if item.sort is Sort.UNIT]
    ranged = any(sort in (Sort.RANGE, Sort.BOUND) for sort in sorts[1:])
    told = sorts[:2] == [Sort.WORD, Sort.WORD]
    return ranged or told or any(not _AGE.fullmatch(unit) for unit in units)


def _named(passage: Passage, split: int) -> tuple[Span, ...]:
    return tuple(passage.cut(0, split))


def _rest(passage: Passage, split: int) -> Passage:
    return passage_of(passage.cut(split, len(passage.text)), "  ")


def _bare_name(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """The name without the dots that lead from it to its value."""
    if not spans:
        return ()
    last = spans[-1]
    kept = last.cell.part(last.start, last.start + len(_LEADERS.sub("", last.text)))
    return (*spans[:-1], kept) if kept.text else spans[:-1]


def _joined(rows: list[Result]) -> list[Result]:
    """Rows with the lines of each name put together."""
    results = [row for row in rows if row.parts]
    gaps = [b.level - a.level for a, b in pairwise(results) if b.row - a.row == 1]
    pitch = median(gaps) if gaps else 0.0
    joined: list[Result] = []
    for row in rows:
        last = joined[-1] if joined else None
        if last and _goes_on(last, row):
            usual = (*last.parts["range"], *row.parts["range"])
            joined[-1] = replace(last, row=row.row, parts={**last.parts, "range": usual})
        elif last and _continues(last, row, pitch):
            joined[-1] = Result(
                row.row,
                row.level,
                max(last.strength, row.strength),
                (*last.name, *row.name),
                {**last.parts, **row.parts},
            )
        else:
            joined.append(row)
    return joined


def _goes_on(last: Result, row: Result) -> bool:
    """Whether a row is but the next line of a range: those of men and women, one below the other."""
    return (
        not row.name and set(row.parts) == {"range"} <= set(last.parts) and row.row - last.row == 1
    )


def _continues(last: Result, row: Result, pitch: float) -> bool:
    """Whether a row is the next line of the result before it."""
    if (last.parts and row.parts) or row.row - last.row > 1:
        return False
    if not row.name or not last.name:
        return not last.parts or not row.parts
    height = row.name[0].cell.height
    if row.level - last.level > 2.5 * height or row.name[-1].text.endswith((":", "：")):
        return False
    ends, begins = last.name[-1].text, row.name[0].text
    if _OPEN_END.search(ends) or (_OPEN_START.match(begins) and not ends.isupper()):
        return True
    return 0 < row.level - last.level < _TIGHT * pitch
