"""The goods of a receipt, one to three lines each."""

from __future__ import annotations

from collections.abc import Callable

from edge_clm.train.pages.bills import Item
from edge_clm.train.pages.blocks import Block, Frame, lines, stack
from edge_clm.train.pages.canvas import Canvas
from edge_clm.train.pages.setting import Setting
from edge_clm.train.pages.slip_meta import Slip
from edge_clm.train.pages.type import Align, Part, Style

Place = tuple[float, Align, list[Part] | str]
"""Where in the width (0…1), how aligned, and what."""
Row = list[Place]


def slip_goods(setting: Setting, slip: Slip) -> Block:
    """The goods as the layout has them, under their headings where it has any."""
    bill, style, rule = slip.bill, slip.style, slip.rule
    how = setting.layout["lines"]
    rows = [row for at, item in enumerate(bill.items) for row in _rows(setting, slip, at, item)]
    blocks: list[Block] = []
    if setting.odds({"columns": 1.0, "qty_first": 0.6, "one": 0.5}.get(how, 0.25)):
        blocks += [_headed(_headings(setting, how), style), rule]
    blocks.append(_drawn_all(rows, style))
    if setting.odds(0.2) and setting.labels.of("items"):
        count = sum(
            (item.quantity for item in bill.items if item.quantity == int(item.quantity)), 0
        )
        blocks += [rule, lines([f"{setting.labels.of('items')}{setting.mark}{count}"], style)]
    return stack(blocks, style.size * 0.15)


def _rows(setting: Setting, slip: Slip, at: int, item: Item) -> list[Row]:
    code = slip.codes.behind(slip.bill, item.rate) if slip.bill.taxes else ""
    return _LINES[setting.layout["lines"]](setting, at, item, code)


def _headings(setting: Setting, how: str) -> Row:
    of = setting.labels.of
    if how == "qty_first":
        return [
            (0, "left", of("quantity")),
            (0.14, "left", of("description")),
            (1, "right", of("amount")),
        ]
    if how in ("columns", "x_price", "two"):
        return [
            (0, "left", of("description")),
            (0.55, "right", of("quantity")),
            (0.77, "right", of("unit_price")),
            (1, "right", of("amount")),
        ]
    return [(0, "left", of("description")), (1, "right", of("amount"))]


def _headed(row: Row, style: Style) -> Block:
    """Headings; one that would run into the next one is left out, as the narrow paper demands."""

    def draw(canvas: Canvas, frame: Frame) -> float:
        reach = frame.x
        kept: Row = []
        small = style.but(0.9)
        for place, align, what in row:
            wide = _width(what, small)
            left = frame.x + frame.width * place - (wide if align == "right" else 0)
            if not kept or left >= reach + small.size * 0.5:
                kept.append((place, align, what))
                reach = left + wide
        return _row(canvas, frame, kept, small)

    return draw


def _drawn_all(rows: list[Row], style: Style) -> Block:
    def draw(canvas: Canvas, frame: Frame) -> float:
        y = frame.y
        for row in rows:
            y = _row(canvas, frame.below(y), row, style)
        return y

    return draw


def _row(canvas: Canvas, frame: Frame, row: Row, style: Style) -> float:
    """What stands left is wrapped before what stands right of it."""
    numbers, style = _apart(frame, [place for place in row if place[1] == "right"], style)
    edge = frame.right
    for x, what in numbers:
        canvas.write(x, frame.y, what, style, "right")
        edge = x - _width(what, style) - style.size * 0.8
    bottom = frame.y + style.leading
    for place, _, what in (place for place in row if place[1] != "right"):
        x = frame.x + frame.width * place
        inner = Frame(x, frame.y, max(edge - x, frame.width * 0.25))
        bottom = max(bottom, lines([what], style)(canvas, inner))
    return bottom


def _apart(
    frame: Frame, numbers: Row, style: Style
) -> tuple[list[tuple[float, list[Part] | str]], Style]:
    """Right edges of numbers, from the last to the first, so that none runs into the next.

    They are set smaller where the paper is too narrow for all of them.
    """
    wide = sum(_width(what, style) + style.size for _, _, what in numbers)
    if wide > frame.width:
        style = style.but(max(frame.width / wide, 0.6))
    placed: list[tuple[float, list[Part] | str]] = []
    edge = frame.right
    for place, _, what in reversed(numbers):
        x = min(frame.x + frame.width * place, edge)
        placed.append((x, what))
        edge = x - _width(what, style) - style.size * 0.6
    return placed, style


def _width(what: list[Part] | str, style: Style) -> float:
    return style.width(what if isinstance(what, str) else "".join(part.text for part in what))


def _description(setting: Setting, at: int, item: Item) -> list[Part]:
    text = item.description.upper() if setting.labels.of("total").isupper() else item.description
    return [setting.said(f"lines.{at}.description", text)]


def _amount(setting: Setting, at: int, item: Item, code: str) -> list[Part]:
    return [setting.money(f"lines.{at}.amount", item.amount, "lines"), Part(code)]


def _price(setting: Setting, at: int, item: Item) -> Part:
    return setting.money(f"lines.{at}.unit_price", item.price, "lines")


def _quantity(setting: Setting, at: int, item: Item) -> Part:
    return setting.quantity(f"lines.{at}.quantity", item.quantity)


def _one(setting: Setting, at: int, item: Item, code: str) -> list[Row]:
    """All in one line; a quantity only where there is more than one."""
    amount: Place = (1, "right", _amount(setting, at, item, code))
    said = _description(setting, at, item)
    if item.quantity == 1:
        return [[(0, "left", said), amount]]
    return [[(0, "left", [_quantity(setting, at, item), Part(" x "), *said]), amount]]


def _two(setting: Setting, at: int, item: Item, code: str) -> list[Row]:
    """The name, and below it how many at what price."""
    times = setting.rng.choice((" x ", " X ", " @ ", "x", " * "))
    below = [_quantity(setting, at, item), Part(times), _price(setting, at, item)]
    return [
        [(0, "left", _description(setting, at, item))],
        [(0.08, "left", below), (1, "right", _amount(setting, at, item, code))],
    ]


def _qty_first(setting: Setting, at: int, item: Item, code: str) -> list[Row]:
    amount = _amount(setting, at, item, code)
    return [
        [
            (0, "left", [_quantity(setting, at, item)]),
            (0.14, "left", _description(setting, at, item)),
            (1, "right", amount),
        ]
    ]


def _coded(setting: Setting, at: int, item: Item, code: str) -> list[Row]:
    """A bar code in front or below."""
    amount: Place = (1, "right", _amount(setting, at, item, code))
    middle: list[Part] = [
        Part(f"{item.code}  "),
        _quantity(setting, at, item),
        Part(" x "),
        _price(setting, at, item),
    ]
    return [[(0, "left", _description(setting, at, item))], [(0, "left", middle), amount]]


def _three(setting: Setting, at: int, item: Item, code: str) -> list[Row]:
    return [[(0, "left", item.code)], *_two(setting, at, item, code)]


def _x_price(setting: Setting, at: int, item: Item, code: str) -> list[Row]:
    return [
        [(0, "left", _description(setting, at, item))],
        [
            (0.55, "right", [_quantity(setting, at, item)]),
            (0.77, "right", [_price(setting, at, item)]),
            (1, "right", _amount(setting, at, item, code)),
        ],
    ]


def _plain(setting: Setting, at: int, item: Item, code: str) -> list[Row]:
    """Name and amount alone."""
    amount = _amount(setting, at, item, code)
    return [[(0, "left", _description(setting, at, item)), (1, "right", amount)]]


def _columns(setting: Setting, at: int, item: Item, code: str) -> list[Row]:
    short = len(item.description) <= 14
    numbers: Row = [
        (0.55, "right", [_quantity(setting, at, item)]),
        (0.77, "right", [_price(setting, at, item)]),
        (1, "right", _amount(setting, at, item, "")),
    ]
    said: Place = (0, "left", _description(setting, at, item))
    return [[said, *numbers]] if short and not code else [[said], numbers]


_LINES: dict[str, Callable[[Setting, int, Item, str], list[Row]]] = {
    "one": _one,
    "two": _two,
    "qty_first": _qty_first,
    "coded": _coded,
    "three": _three,
    "x_price": _x_price,
    "plain": _plain,
    "columns": _columns,
}
