"""What only pixels tell: stamps, strikes, corrections, signatures, ticks and coloured boxes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random

from PIL import Image, ImageDraw

from edge_clm.paper import PageKind, Quad
from edge_clm.train.pages.canvas import Canvas
from edge_clm.train.pages.fonts import families
from edge_clm.train.pages.inks import INKS
from edge_clm.train.pages.page import Mark, Truth, box
from edge_clm.train.pages.setting import Setting
from edge_clm.train.pages.ticks import ticks
from edge_clm.train.pages.type import Colour, Style

MARKED = 0.35
"""The share of pages with marks."""
TINTS: dict[str, Colour] = {
    "yellow": (255, 244, 140),
    "green": (200, 240, 200),
    "blue": (200, 222, 250),
    "red": (250, 205, 205),
    "grey": (222, 222, 222),
}
STAMPS: dict[PageKind, tuple[str, ...]] = {
    PageKind.INVOICE: ("PAID", "VOID", "COPY", "RECEIVED", "OVERDUE", "APPROVED", "CANCELLED"),
    PageKind.RECEIPT: ("PAID", "VOID", "COPY", "RECEIVED", "REFUNDED"),
    PageKind.LAB_REPORT: ("COPY", "RECEIVED", "URGENT", "FINAL", "REVIEWED"),
    PageKind.RADIOLOGY_REPORT: ("COPY", "RECEIVED", "URGENT", "FINAL", "REVIEWED"),
}
_STRUCK = (
    "total",
    "date",
    "number",
    "due_date",
    "subtotal",
    "tax",
    "collected",
    "exam_date",
    "patient_id",
)
_Maker = Callable[[Setting, Canvas, int], Sequence[Mark]]


def draw_marks(setting: Setting, canvas: Canvas, height: int) -> tuple[Mark, ...]:
    """One or two marks on a page of this height; what they say is not among its words."""
    makers: list[_Maker] = setting.rng.sample(_MAKERS, setting.rng.choice((1, 1, 2)))
    return tuple(mark for make in makers for mark in make(setting, canvas, height))


def _stamp(setting: Setting, canvas: Canvas, height: int) -> list[Mark]:
    """A word in a frame, turned, in the colour of an ink pad."""
    rng = setting.rng
    word, name = rng.choice(STAMPS[setting.kind]), rng.choice(list(INKS))
    family = rng.choice(families(setting.split, "sans", "display"))
    style = Style(family, round(canvas.width * rng.uniform(0.06, 0.11)), True, INKS[name])
    tile = _tile(word, style, rng).rotate(
        rng.uniform(-35, 35), Image.Resampling.BILINEAR, expand=True
    )
    x = rng.uniform(0.02, 0.98) * max(canvas.width - tile.width, 1)
    y = rng.uniform(0.1, 0.9) * max(height - tile.height, 1)
    canvas.over(lambda pen: _paste(pen, tile, (round(x), round(y)), INKS[name]))
    return [Mark("stamp", word, name, box(x, y, x + tile.width, y + tile.height))]


def _tile(word: str, style: Style, rng: Random) -> Image.Image:
    """The stamp's mask, with the unevenness of ink."""
    font = style.font(word)
    left, top, right, bottom = font.getbbox(word)
    pad = style.size * 0.35
    tile = Image.new("L", (round(right - left + 2 * pad), round(bottom - top + 2 * pad)), 0)
    pen = ImageDraw.Draw(tile)
    ink = rng.randint(150, 235)
    frame = (2, 2, tile.width - 3, tile.height - 3)
    if rng.random() < 0.8:
        pen.rounded_rectangle(
            frame, radius=rng.choice((0, pad)), outline=ink, width=max(style.size // 12, 2)
        )
    pen.text((pad - left, pad - top), word, fill=ink, font=font)
    return tile


def _paste(
    pen: ImageDraw.ImageDraw, mask: Image.Image, at: tuple[int, int], colour: Colour
) -> None:
    """Ink over what is there."""
    pen.bitmap(at, mask, fill=colour)


def _strike(setting: Setting, canvas: Canvas, height: int) -> list[Mark]:
    """A line of the pen through a value."""
    found = _one_of(setting, canvas)
    if found is None:
        return []
    name, truth = found
    colour = setting.rng.choice(("red", "blue", "black"))
    _line_through(canvas, truth.boxes[0], INKS[colour], setting.rng)
    return [Mark("strike", truth.text, colour, truth.boxes[0], name)]


def _correction(setting: Setting, canvas: Canvas, height: int) -> list[Mark]:
    """A value struck out, and another written beside it by hand."""
    found = _one_of(setting, canvas)
    if found is None:
        return []
    name, truth = found
    rng, colour = setting.rng, setting.rng.choice(("red", "blue", "black"))
    _line_through(canvas, truth.boxes[0], INKS[colour], rng)
    (left, top), _, (right, bottom), _ = truth.boxes[0]
    style = Style(
        rng.choice(families(setting.split, "hand")),
        round((bottom - top) * rng.uniform(1.5, 2.1)),
        False,
        INKS[colour],
    )
    text = _changed(truth.text, rng)
    wide = style.width(text)
    x = min(max(left + rng.uniform(-0.2, 0.2) * (right - left), 2), max(canvas.width - wide - 4, 2))
    y = top - style.size * 1.05 if top > style.size * 1.2 else bottom
    canvas.over(lambda pen: pen.text((x, y), text, fill=style.colour, font=style.font(text)))
    written = box(x, y, x + wide, y + style.size * 1.2)
    return [
        Mark("strike", truth.text, colour, truth.boxes[0], name),
        Mark("correction", text, colour, written, name),
    ]


def _changed(text: str, rng: Random) -> str:
    """The same with one digit changed."""
    places = [at for at, char in enumerate(text) if char.isdigit()]
    if not places:
        return text
    at = rng.choice(places)
    other = rng.choice([digit for digit in "123456789" if digit != text[at]])
    return text[:at] + other + text[at + 1 :]


def _line_through(canvas: Canvas, quad: Quad, colour: Colour, rng: Random) -> None:
    (left, top), _, (right, bottom), _ = quad
    high = bottom - top
    tilt = rng.uniform(-0.25, 0.25) * high
    middle = (top + bottom) / 2
    thick = max(round(high / 9), 2)
    ends = (left - high * 0.3, middle - tilt, right + high * 0.3, middle + tilt)
    canvas.over(lambda pen: pen.line(ends, fill=colour, width=thick))


def _one_of(setting: Setting, canvas: Canvas) -> tuple[str, Truth] | None:
    said = canvas.said()
    names = [name for name in _STRUCK if name in said and len(said[name].boxes) == 1]
    name = setting.rng.choice(names) if names else None
    return (name, said[name]) if name else None


def _signature(setting: Setting, canvas: Canvas, height: int) -> list[Mark]:
    """A scribble over a line at the foot."""
    rng, colour = setting.rng, setting.rng.choice(("blue", "black"))
    wide = canvas.width * rng.uniform(0.2, 0.34)
    x, y = (
        rng.uniform(0.08, 0.6) * canvas.width,
        min(canvas.bottom() + canvas.width * 0.02, height * 0.9),
    )
    high = max(min(wide * 0.32, height - y - 4), 10)
    points = _scribble(rng, (x, y, wide, high))
    canvas.over(lambda pen: pen.line(points, fill=INKS[colour], width=rng_width, joint="curve"))
    rng_width = rng.choice((2, 2, 3))
    return [Mark("signature", "", colour, box(x, y, x + wide, y + high))]


def _scribble(rng: Random, place: tuple[float, float, float, float]) -> list[tuple[float, float]]:
    x, y, wide, high = place
    loops = [(rng.uniform(0.3, 1), rng.uniform(3, 11), rng.uniform(0, 6.3)) for _ in range(4)]
    whole = sum(size for size, _, _ in loops)
    points = []
    for step in range(140):
        at = step / 139
        up = sum(size * math.sin(speed * at * 5 + shift) for size, speed, shift in loops) / whole
        along = min(max(at + 0.045 * math.sin(at * 46), 0), 1)
        points.append((x + wide * along, y + high * (0.5 + 0.48 * up * (1 - 0.5 * at))))
    return points


def _colour(setting: Setting, canvas: Canvas, height: int) -> list[Mark]:
    """A coloured box behind the total, or behind another value."""
    found = _one_of(setting, canvas)
    if found is None:
        return []
    name, truth = found
    tint = setting.rng.choice(list(TINTS))
    (left, top), _, (right, bottom), _ = truth.boxes[0]
    pad = (bottom - top) * 0.45
    corners = (left - pad, top - pad, right + pad, bottom + pad)
    canvas.frame(corners, fill=TINTS[tint])
    return [Mark("colour", tint, tint, box(*corners), name)]


_MAKERS: tuple[_Maker, ...] = (
    _stamp,
    _stamp,
    _stamp,
    _strike,
    _correction,
    _signature,
    ticks,
    _colour,
)
