"""Where on a known page the values stand that an answer rests on, as the daemon has read the page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bench.documents import KINDS
from bench.ocr_score import is_read
from bench.twins.labels import Asked, Printed
from edge_clm.page.geometry import turned_quad
from edge_clm.paper import Line, PageText, Point, Quad

_SHORT = 3
"""Letters of a value below which the same print elsewhere is no print of it."""
_NEAR = 0.5
"""Heights of a line by which a place may lie off it."""


def held(asked: Asked, text: PageText, place: dict[Printed, Quad]) -> tuple[Quad, ...] | None:
    """The evidence for an answer on a page's text, in its upright coordinates.

    None where the page was misread, so that the answer was never right. `place`: where parts are known to
    stand, in the same coordinates.
    """
    found: list[Quad] = []
    for part in asked.parts:
        quads = list(_quads(asked.field, part, text))
        known = place.get(part)
        if known is not None:
            here = [quad for quad in quads if _lies(_middle(known), quad)]
            quads = quads if here and len(_bare(part.text)) >= _SHORT else here
        if not quads:
            return None
        found += quads
    return tuple(dict.fromkeys(found))


def upright(quad: Quad, text: PageText) -> Quad:
    """A place of a capture as it lies, in the upright coordinates of its text."""
    wide, high = (text.height, text.width) if text.turn in (90, 270) else (text.width, text.height)
    return turned_quad(quad, text.turn, wide, high)


def _quads(field: str, part: Printed, text: PageText) -> Iterator[Quad]:
    """Each print of a value: as it is printed, else a line that holds one equal to it."""
    spelt = r"\s*".join(re.escape(char) for char in _bare(part.text))
    pattern = re.compile(rf"(?<!\w)(?<!\d[.,]){spelt}(?!\w)(?![.,]\d)", re.IGNORECASE)
    for line in text.lines:
        if match := pattern.search(line.text):
            yield line.part(*match.span())
        elif field in KINDS and field != "address" and _equal(field, part.text, line):
            yield line.quad


def _equal(field: str, label: str, line: Line) -> bool:
    return is_read(field, label, [line.text])


def _lies(point: Point, quad: Quad) -> bool:
    """Whether a point lies in a line's place, or little off it."""
    xs, ys = [corner[0] for corner in quad], [corner[1] for corner in quad]
    off = _NEAR * min(max(ys) - min(ys), max(xs) - min(xs))
    x, y = point
    return min(xs) - off <= x <= max(xs) + off and min(ys) - off <= y <= max(ys) + off


def _middle(quad: Quad) -> Point:
    return sum(x for x, _ in quad) / 4, sum(y for _, y in quad) / 4


def _bare(text: str) -> str:
    return "".join(text.split())
