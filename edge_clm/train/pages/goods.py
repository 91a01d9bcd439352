"""The table of goods on an invoice."""

from __future__ import annotations

from collections.abc import Callable

from edge_clm.train.pages.bills import Bill, Item
from edge_clm.train.pages.blocks import Block, Text
from edge_clm.train.pages.setting import Setting
from edge_clm.train.pages.table import Column, Lattice, Ruling, table
from edge_clm.train.pages.type import Align, Colour, Style

_COLUMNS = {
    "full": ("position", "code", "description", "quantity", "unit", "unit_price", "amount"),
    "plain": ("description", "quantity", "unit_price", "amount"),
    "qty_first": ("quantity", "description", "unit_price", "amount"),
    "codes": ("code", "description", "quantity", "unit_price", "amount"),
    "amount_only": ("description", "amount"),
    "rates": ("position", "description", "quantity", "unit_price", "rate", "amount"),
    "swapped": ("description", "unit_price", "quantity", "amount"),
}
_SHARES = {
    **{"position": 0.6, "code": 1.7, "description": 4.0, "quantity": 1.0, "unit": 0.9},
    **{"unit_price": 1.5, "rate": 1.0, "amount": 1.7, "line_discount": 1.0},
}
_NUMERIC = {"quantity", "unit_price", "amount", "rate", "line_discount"}
_LIGHT = 150
Cell = Callable[[Setting, int, Item], Text]


def goods_table(setting: Setting, bill: Bill, style: Style) -> Block:
    """The lines of a bill under their headings."""
    names = list(_COLUMNS[setting.layout["columns"]])
    if any(item.discount for item in bill.items) and "quantity" in names:
        names.insert(-1, "line_discount")
    numbers: Align = "centre" if setting.odds(0.25) else "right"
    head = [
        Column(_heading(setting, name), _SHARES[name], numbers if name in _NUMERIC else "left")
        for name in names
    ]
    if setting.odds(0.05):
        head = [Column("", column.share, column.align) for column in head]
    rows = [
        [_CELLS[name](setting, at, item) for name in names] for at, item in enumerate(bill.items)
    ]
    return table(head, rows, style, ruling_of(setting))


def ruling_of(setting: Setting) -> Ruling:
    """How the layout's table is ruled, in the page's colours."""
    lattice: Lattice = setting.layout["lattice"]  # type: ignore[assignment]
    rng = setting.rng
    fill: Colour | None = rng.choice((None, None, setting.accent, (225, 228, 232), (240, 235, 220)))
    dark = fill is not None and sum(fill) / 3 < _LIGHT
    line: Colour = rng.choice(((0, 0, 0), (120, 120, 120), (190, 190, 190), setting.accent))
    ink: Colour = (255, 255, 255) if dark else setting.ink
    return Ruling(lattice, line, fill, ink, rng.uniform(0.1, 0.9), setting.odds(0.3))


def _heading(setting: Setting, name: str) -> str:
    if name == "rate":
        return f"{setting.place.taxes[0]} %"
    text = setting.labels.of(name)
    if name in ("amount", "unit_price") and setting.odds(0.15):
        return f"{text} ({setting.place.currency})"
    return text


def _amount(setting: Setting, at: int, item: Item) -> Text:
    return [setting.money(f"lines.{at}.amount", item.amount, "lines")]


def _unit_price(setting: Setting, at: int, item: Item) -> Text:
    return [setting.money(f"lines.{at}.unit_price", item.price, "lines")]


def _quantity(setting: Setting, at: int, item: Item) -> Text:
    return [setting.quantity(f"lines.{at}.quantity", item.quantity)]


def _description(setting: Setting, at: int, item: Item) -> Text:
    return [setting.said(f"lines.{at}.description", item.description)]


_CELLS: dict[str, Cell] = {
    "position": lambda _, at, __: str(at + 1),
    "code": lambda _, __, item: item.code,
    "description": _description,
    "quantity": _quantity,
    "unit": lambda _, __, item: item.unit,
    "unit_price": _unit_price,
    "rate": lambda setting, _, item: f"{setting.amounts.number(item.rate)}%",
    "line_discount": lambda _, __, item: f"{item.discount}%" if item.discount else "",
    "amount": _amount,
}
