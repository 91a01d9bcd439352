"""The text of a page as the model reads it: visual rows, in reading order."""

from __future__ import annotations

from collections.abc import Sequence

from edge_clm.paper import Line, Point

GAP = "  "
"""Between lines that stand beside each other."""


def visual_rows(lines: Sequence[Line]) -> list[list[Line]]:
    """Groups lines, given in reading order, that stand side by side on one row of the page."""
    rows: list[list[Line]] = []
    for line in lines:
        if rows and _beside(rows[-1][-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def page_text(lines: Sequence[Line]) -> str:
    """One text line per visual row."""
    return "\n".join(map(row_text, visual_rows(lines)))


def row_text(row: Sequence[Line]) -> str:
    """The text of one visual row."""
    return GAP.join(" ".join(line.text.split()) for line in row)


def _beside(left: Line, right: Line) -> bool:
    """True when `right` goes on where `left` ends, along the slope of the print."""
    start, end = _middle(left, 0, 3), _middle(left, 1, 2)
    other, far = _middle(right, 0, 3), _middle(right, 1, 2)
    if other[0] <= (start[0] + end[0]) / 2:
        return False
    # A photographed row is seldom level; the longer of the two lines tells its slope best.
    longer = max((start, end), (other, far), key=lambda pair: abs(pair[1][0] - pair[0][0]))
    run = longer[1][0] - longer[0][0]
    slope = (longer[1][1] - longer[0][1]) / run if run else 0.0
    drift = abs(other[1] - (end[1] + slope * (other[0] - end[0])))
    return drift < min(_height(left), _height(right)) / 2


def _middle(line: Line, top: int, bottom: int) -> Point:
    (x0, y0), (x1, y1) = line.quad[top], line.quad[bottom]
    return (x0 + x1) / 2, (y0 + y1) / 2


def _height(line: Line) -> float:
    (x0, y0), (x1, y1) = line.quad[0], line.quad[3]
    return float(((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5)
