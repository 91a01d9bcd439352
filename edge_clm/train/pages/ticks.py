"""Boxes that are ticked by hand."""

from __future__ import annotations

from edge_clm.train.pages.canvas import Canvas
from edge_clm.train.pages.inks import INKS
from edge_clm.train.pages.page import Mark, box
from edge_clm.train.pages.setting import Setting
from edge_clm.train.pages.type import Colour


def ticks(setting: Setting, canvas: Canvas, height: int) -> list[Mark]:
    """Boxes to tick with printed labels, of which one is ticked."""
    rng = setting.rng
    options = rng.choice(_CHOICES)
    size = max(round(canvas.width / 48), 14)
    y = min(canvas.bottom() + size, height - size * 2.5)
    chosen, colour = rng.randrange(len(options)), rng.choice(("blue", "black"))
    style, x = setting.style(size), canvas.width * 0.07
    marks: list[Mark] = []
    for at, option in enumerate(options):
        square = (x, y, x + size, y + size)
        canvas.frame(square, outline=setting.ink, thick=2)
        if at == chosen:
            _tick(canvas, square, INKS[colour], rng.choice(("cross", "tick")))
        marks.append(
            Mark(
                "tick" if at == chosen else "blank",
                option,
                colour if at == chosen else "",
                box(*square),
            )
        )
        x += size * 1.5
        x += canvas.write(x, y, option, style) + size * 1.6
    return marks


_CHOICES = (
    ("Yes", "No"),
    ("Cash", "Cheque", "Card"),
    ("Urgent", "Routine"),
    ("Original", "Copy"),
    ("Delivered", "Collected"),
    ("Approved", "Rejected"),
)


def _tick(
    canvas: Canvas, square: tuple[float, float, float, float], colour: Colour, how: str
) -> None:
    left, top, right, bottom = square
    side = right - left
    if how == "cross":
        canvas.over(lambda pen: pen.line((left, top, right, bottom), fill=colour, width=3))
        canvas.over(lambda pen: pen.line((right, top, left, bottom), fill=colour, width=3))
        return
    path = [
        (left + side * 0.1, top + side * 0.5),
        (left + side * 0.45, bottom - 2),
        (right + side * 0.25, top - side * 0.25),
    ]
    canvas.over(lambda pen: pen.line(path, fill=colour, width=4, joint="curve"))
