"""Laboratory reports: a patient, the times, and tables of analytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from edge_clm.train.pages.analytes import Result, panels
from edge_clm.train.pages.blocks import (
    Block,
    Column,
    Frame,
    Pair,
    Text,
    apart,
    columns,
    lines,
    one_line,
    pairs,
    stack,
    table,
)
from edge_clm.train.pages.canvas import Align, Canvas, Part, Style
from edge_clm.train.pages.goods import ruling_of
from edge_clm.train.pages.logo import banner, logo
from edge_clm.train.pages.patients import (
    Patient,
    dated,
    doctor,
    patient_block,
    patient_of,
    patient_pairs,
)
from edge_clm.train.pages.setting import Grammar, Setting
from edge_clm.values import value as values

LAB: Grammar = {
    "head": ("centre", "left", "logo", "band", "split", "title_first"),
    "patient": ("boxed", "two", "cells", "ruled", "one", "inline", "row"),
    "columns": (
        "usual",
        "unit_last",
        "flag_first",
        "flag_glued",
        "range_unit",
        "unit_glued",
        "out",
    ),
    "lattice": ("bare", "header", "rows", "grid", "zebra", "box"),
    "section": ("row", "heading", "tables", "none", "capitals"),
    "flags": ("letters", "words", "signs", "arrows", "star", "none", "letters"),
    "foot": ("notes", "signed", "none", "both"),
}
_FLAGS: dict[str, dict[str, tuple[str, ...]]] = {
    "letters": {"low": ("L",), "high": ("H",), "abnormal": ("A", "ABN")},
    "words": {"low": ("Low", "LOW"), "high": ("High", "HIGH"), "abnormal": ("Abnormal",)},
    "signs": {"low": ("-",), "high": ("+",), "abnormal": ("*",)},
    "arrows": {"low": ("↓",), "high": ("↑",), "abnormal": ("*",)},
    "star": {"low": ("*", "L*"), "high": ("*", "H*"), "abnormal": ("*",)},
}
_USUAL = {"letters": "N", "words": "Normal"}
_COLUMNS = {
    "usual": ("analyte", "value", "unit", "range", "flag"),
    "unit_last": ("analyte", "value", "flag", "range", "unit"),
    "flag_first": ("analyte", "flag", "value", "unit", "range"),
    "flag_glued": ("analyte", "value+flag", "unit", "range"),
    "range_unit": ("analyte", "value", "flag", "range+unit"),
    "unit_glued": ("analyte", "value+unit", "range", "flag"),
    "out": ("analyte", "value", "range", "unit", "flag"),
}
_SHARES = {"analyte": 3.2, "value": 1.4, "unit": 1.5, "range": 2.0, "flag": 0.9}


@dataclass(frozen=True, slots=True)
class _Page:
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


def draw_lab(setting: Setting, canvas: Canvas) -> None:
    """Draws one laboratory report."""
    rng = setting.rng
    style = setting.style(canvas.width / rng.uniform(46, 60))
    patient = patient_of(setting)
    page = _Page(
        style,
        panels(rng, setting.split, rng.randint(5, 26)),
        rng.choice((" - ", "-", " – ", " to ", "–")),
        rng.choice(("<", "< ", "<", "≤ ", "Up to ")),
        _USUAL.get(setting.layout["flags"], "") if setting.odds(0.2) else "",
        rng.randrange(2),
    )
    margin = canvas.width * rng.uniform(0.045, 0.09)
    frame = Frame(margin, canvas.width * rng.uniform(0.03, 0.08), canvas.width - 2 * margin)
    blocks = [
        _head(setting, page),
        _patient(setting, page, patient),
        _results(setting, page),
        *_foot(setting, page),
    ]
    stack(blocks, style.size * rng.uniform(0.9, 2.0))(canvas, frame)


def house(setting: Setting, style: Style, key: str, sort: str, align: Align) -> Block:
    """Who issues the report, with its address."""
    rng = setting.rng
    name = one_line(
        [setting.said(key, setting.names.house(sort))],
        setting.title(style.size * rng.uniform(1.2, 1.8)),
        align,
    )
    rows: list[str] = (
        [", ".join(one.rstrip(",") for one in setting.names.address())] if setting.odds(0.8) else []
    )
    if setting.odds(0.6):
        rows.append(f"{setting.labels.of('tel')}{setting.mark}{setting.names.phone()}")
    return stack([name, lines(rows, style.but(0.9), align)], style.size * 0.2)


def head_of(setting: Setting, style: Style, word: str, named: Callable[[Align], Block]) -> Block:
    """The letterhead and the title of a medical report, as the layout's `head` says."""
    big = setting.title(style.size * setting.rng.uniform(1.3, 1.9))
    how = setting.layout["head"]
    title = one_line(word, big, "centre" if how == "centre" else "left")
    picture = logo(setting, style.size * 4)
    arranged: dict[str, Callable[[], Block]] = {
        "centre": lambda: stack([named("centre"), title], style.size),
        "left": lambda: stack([named("left"), title], style.size * 0.8),
        "logo": lambda: stack(
            [columns([(1, picture), (6, named("left"))], style.size), title], style.size * 0.5
        ),
        "band": lambda: stack([named("left"), banner(setting, word, big.size)], style.size * 0.6),
        "split": lambda: columns(
            [(1, named("left")), (1, one_line(word, big, "right"))], style.size * 2
        ),
        "title_first": lambda: stack([title, named("left")], style.size * 0.6),
    }
    return arranged[how]()


def _head(setting: Setting, page: _Page) -> Block:
    word = setting.labels.of("title_lab")
    return head_of(
        setting,
        page.style,
        word,
        lambda align: house(setting, page.style, "laboratory", "labs", align),
    )


def _patient(setting: Setting, page: _Page, patient: Patient) -> Block:
    labels, rng = setting.labels, setting.rng
    items = patient_pairs(setting, patient)
    if setting.odds(0.6):
        items.append(Pair(labels.of("accession"), [setting.said("accession", setting.code())]))
    if setting.odds(0.6):
        items.append(
            Pair(labels.of("physician"), [setting.said("ordering_physician", patient.physician)])
        )
    taken = patient.seen
    got = taken + timedelta(days=rng.choice((0, 0, 1)))
    for concept, day, share in (
        ("collected", taken, 0.75),
        ("received", got, 0.4),
        ("reported", got + timedelta(days=rng.choice((0, 1, 2))), 0.55),
    ):
        if setting.odds(share):
            items.append(dated(setting, concept, concept, day))
    if setting.odds(0.25):
        items.append(
            Pair(
                labels.of("specimen"),
                rng.choice(("Serum", "Whole Blood", "Plasma", "Blood, Venous")),
            )
        )
    return patient_block(setting, items, page.style)


def _results(setting: Setting, page: _Page) -> Block:
    names = _COLUMNS[setting.layout["columns"]]
    if setting.layout["flags"] == "none":
        names = tuple(name for name in names if name != "flag")
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
    setting: Setting, page: _Page, at: int, result: Result, names: tuple[str, ...]
) -> list[Text]:
    made = {
        "analyte": [setting.said(f"analytes.{at}.analyte", result.name)],
        "value": [_value(setting, at, result)],
        "unit": _keyed(setting, f"analytes.{at}.unit", result.unit),
        "range": _keyed(setting, f"analytes.{at}.range", _range(setting, page, result)),
        "flag": _keyed(setting, f"analytes.{at}.flag", _flag(setting, page, result)),
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


def _range(setting: Setting, page: _Page, result: Result) -> str:
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


def _flag(setting: Setting, page: _Page, result: Result) -> str:
    sorts = _FLAGS.get(setting.layout["flags"])
    if sorts is None:
        return ""
    if result.state == "normal":
        return page.normal
    ways = sorts[result.state]
    return ways[page.variant % len(ways)]


def _foot(setting: Setting, page: _Page) -> list[Block]:
    how, small = setting.layout["foot"], page.style.but(0.9)
    notes = list(dict.fromkeys(setting.phrase("lab") for _ in range(setting.rng.randint(1, 3))))
    signed = [Pair(setting.labels.of("verified"), doctor(setting))]
    blocks: list[Block] = []
    if how in ("notes", "both"):
        blocks.append(apart(lines(notes, small), small.size * 0.5))
    if how in ("signed", "both"):
        blocks.append(apart(pairs(signed, small, "inline", setting.mark, heavy=False), small.size))
    return blocks
