"""The tables of a laboratory report."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from edge_clm.train.pages.analytes import Result
from edge_clm.train.pages.blocks import Block, Text, lines, stack
from edge_clm.train.pages.goods import ruling_of
from edge_clm.train.pages.setting import Setting
from edge_clm.train.pages.table import Column, table
from edge_clm.train.pages.type import Align, Part, Style
from edge_clm.values import value as values

_FLAGS: dict[str, dict[str, tuple[str, ...]]] = {
    "letters": {"low": ("L",), "high": ("H",), "abnormal": ("A", "ABN")},
    "short": {"low": ("LO", "(L)"), "high": ("HI", "(H)"), "abnormal": ("ABN", "(A)")},
    "words": {"low": ("Low", "LOW"), "high": ("High", "HIGH"), "abnormal": ("Abnormal",)},
    "signs": {"low": ("-",), "high": ("+",), "abnormal": ("*",)},
    "arrows": {"low": ("↓",), "high": ("↑",), "abnormal": ("*",)},
    "star": {"low": ("*", "L*"), "high": ("*", "H*"), "abnormal": ("*",)},
}


_COLUMNS = {
    "usual": ("analyte", "value", "unit", "range", "flag"),
    "unit_last": ("analyte", "value", "flag", "range", "unit"),
    "flag_first": ("analyte", "flag", "value", "unit", "range"),
    "flag_glued": ("analyte", "value+flag", "unit", "range"),
    "range_unit": ("analyte", "value", "flag", "range+unit"),
    "unit_glued": ("analyte", "value+unit", "range", "flag"),
    "out": ("analyte", "value", "range", "unit", "flag"),
}


_SHARES = {
    **{"analyte": 3.2, "value": 1.4, "unit": 1.5, "range": 2.0, "flag": 0.9, "previous": 1.4},
}


@dataclass(frozen=True, slots=True)
class LabPage:
    """What a laboratory report shows, and in which ways."""

    style: Style
    sections: list[tuple[str, list[Result]]]
    bounds: str
    """Between the ends of a range."""
    below: str
    """Before an upper bound."""
    normal: str
    """What stands as the flag of a usual value."""
    variant: int
    """Which of several ways to write a flag."""
    before: int
    """In which column the last time's values stand; 0 for nowhere."""


def results(setting: Setting, page: LabPage) -> Block:
    """One table for all analytes, or one for each section."""
    names = _COLUMNS[setting.layout["columns"]]
    if setting.layout["flags"] == "none":
        names = tuple(name for name in names if name != "flag")
    if page.before and setting.labels.of("previous"):
        names = (*names[: page.before], "previous", *names[page.before :])
    head = [_column(setting, name) for name in names]
    ruling = ruling_of(setting)
    how, style = setting.layout["section"], page.style
    at = 0
    blocks: list[Block] = []
    rows: list[list[Text]] = []
    for title, results in page.sections:
        own = [
            _row(setting, page, at + number, result, names) for number, result in enumerate(results)
        ]
        at += len(results)
        named = title.upper() if how == "capitals" else title
        if how in ("heading", "tables"):
            heading = lines(
                [named],
                style.but(1.15, bold=True, colour=setting.rng.choice((None, setting.accent))),
            )
            bare = (
                head
                if how == "tables" or not blocks
                else [Column("", c.share, c.align) for c in head]
            )
            blocks.append(stack([heading, table(bare, own, style, ruling)], style.size * 0.3))
            continue
        rows += [[named, *[""] * (len(names) - 1)]] if how in ("row", "capitals") else []
        rows += own
    return stack(blocks, style.size * 0.6) if blocks else table(head, rows, style, ruling)


def _column(setting: Setting, name: str) -> Column:
    first, _, second = name.partition("+")
    concept = "lab_unit" if first == "unit" else first
    heading = setting.labels.of(concept)
    share = 2.8 if first == "range" and second else _SHARES[first] + (0.7 if second else 0)
    align: Align = "centre" if first in ("flag",) else "left"
    return Column(heading, share, align)


def _row(
    setting: Setting, page: LabPage, at: int, result: Result, names: tuple[str, ...]
) -> list[Text]:
    made = {
        "analyte": [setting.said(f"analytes.{at}.analyte", result.name)],
        "value": [_value(setting, at, result)],
        "unit": _keyed(setting, f"analytes.{at}.unit", result.unit),
        "range": _keyed(setting, f"analytes.{at}.range", _range(setting, page, result)),
        "flag": _keyed(setting, f"analytes.{at}.flag", _flag(setting, page, result)),
        # Not every test was made the last time.
        "previous": [Part(result.before.replace(".", setting.amounts.decimal))] if at % 7 else [],
    }
    return [_glued(made, name) for name in names]


def _glued(made: dict[str, list[Part]], name: str) -> list[Part]:
    first, _, second = name.partition("+")
    if not second or not made[second] or not made[first]:
        return made[first]
    return [*made[first], Part(" "), *made[second]]


def _keyed(setting: Setting, key: str, text: str) -> list[Part]:
    return [setting.said(key, text)] if text else []


def _value(setting: Setting, at: int, result: Result) -> Part:
    key = f"analytes.{at}.value"
    try:
        number = Decimal(result.value)
    except ArithmeticError:
        return Part(result.value, key, values.Text(result.value))
    text = setting.amounts.number(number)
    return Part(text, key, values.Quantity(number, result.unit))


def _range(setting: Setting, page: LabPage, result: Result) -> str:
    number = setting.amounts.decimal
    low, high = (
        text.replace(".", number) if text[:1].isdigit() else text
        for text in (result.low, result.high)
    )
    if low == high:
        return low
    if not low:
        return f"{page.below}{high}"
    if not high:
        return f">{low}"
    return f"{low}{page.bounds}{high}"


def _flag(setting: Setting, page: LabPage, result: Result) -> str:
    sorts = _FLAGS.get(setting.layout["flags"])
    if sorts is None:
        return ""
    if result.state == "normal":
        return page.normal
    ways = sorts[result.state]
    return ways[page.variant % len(ways)]
