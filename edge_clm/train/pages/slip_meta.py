"""Date, number, cashier and till of a receipt."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from edge_clm.train.pages.bills import Bill
from edge_clm.train.pages.blocks import (
    Block,
    Frame,
    lines,
)
from edge_clm.train.pages.canvas import Canvas
from edge_clm.train.pages.days import time_of
from edge_clm.train.pages.identities import Party
from edge_clm.train.pages.pairs import Pair, Pairing, pairs
from edge_clm.train.pages.setting import Setting
from edge_clm.train.pages.tax_summary import Codes
from edge_clm.train.pages.type import Align, Part, Style


@dataclass(frozen=True, slots=True)
class Slip:
    """What a receipt says."""

    seller: Party
    sold: date
    bill: Bill
    codes: Codes
    style: Style
    rule: Block


def slip_meta(setting: Setting, slip: Slip) -> list[Pair]:
    """Date, number, cashier and till, in any order."""
    rng, labels = setting.rng, setting.labels
    found: list[Pair | None] = [_when(setting, slip)]
    if setting.odds(0.8):
        found.append(Pair(labels.of("slip"), [setting.said("number", setting.code())]))
    if setting.odds(0.08) and labels.of("buyer"):
        name = setting.said("buyer", setting.names.buyer().name)
        found.append(Pair(labels.of("buyer"), [name]))
    if setting.odds(0.06):
        found.append(Pair(labels.of("closed"), f"{setting.form(slip.sold)} {time_of(rng)}"))
    if setting.odds(0.45):
        who = rng.choice(
            (setting.names.person().split()[0], setting.names.person(), f"{rng.randint(1, 99):02}")
        )
        found.append(Pair(labels.of("cashier"), who))
    if setting.odds(0.3):
        found.append(Pair(labels.of("till"), str(rng.randint(1, 20))))
    if setting.odds(0.2):
        found.append(Pair(labels.of("table"), str(rng.randint(1, 60))))
    kept = [pair for pair in found if pair and (pair.label or _says_when(pair))]
    rng.shuffle(kept)
    return kept


def _says_when(pair: Pair) -> bool:
    return isinstance(pair.value, list) and pair.value[0].key == "date"


def _when(setting: Setting, slip: Slip) -> Pair | None:
    """The date, often with a time, often without a label; seldom missing."""
    if setting.odds(0.03):
        return None
    label = "" if setting.odds(0.35) else setting.labels.of("slip_date")
    chosen = setting.rng.random()
    if chosen < 0.45:
        return Pair(label, setting.moment("date", slip.sold))
    if chosen < 0.65:
        return Pair(label, _among_codes(setting, slip))
    return Pair(label, [setting.day("date", slip.sold)])


def _among_codes(setting: Setting, slip: Slip) -> list[Part]:
    """The date with a time and what the till is known by, before it or behind."""
    rng, day, time = setting.rng, setting.day("date", slip.sold), time_of(setting.rng)
    digits = "".join(rng.choice("0123456789") for _ in range(9))
    forms = (digits[:6], f"T{digits[0]} R{digits}", f"#{digits[:2]}", f"{digits[:4]} {digits[4:7]}")
    till = rng.choice((*forms, f"SH{digits[:2]} T{digits[2]}", f"R{digits[:5]}", ""))
    before = f"{time} {till}".strip()
    return rng.choice(([Part(f"{before} "), day], [day, Part(f" {time} {till}".rstrip())]))


def written(setting: Setting, slip: Slip, items: list[Pair]) -> Block:
    """Items in the layout's way."""
    if not items:
        return lines([], slip.style)
    how = setting.layout["meta"]
    align: Align = "centre" if how == "bare" or setting.odds(0.1) else "left"
    mark = ":" if how == "glued" else setting.mark
    if how in ("inline", "glued", "bare") or len(items) < 2:
        rows = [_said(pair, mark) for pair in items]
        return lines(rows, slip.style, align)
    if how == "row":
        return _in_rows(items, slip.style, mark)
    pairing: Pairing = "spread" if how == "spread" else "aligned"
    return pairs(items, slip.style, pairing, setting.mark, heavy=False)


def _said(pair: Pair, mark: str) -> list[Part]:
    value = [Part(pair.value)] if isinstance(pair.value, str) else pair.value
    return [Part(pair.label + mark), *value] if pair.label else value


def _in_rows(items: list[Pair], style: Style, mark: str) -> Block:
    """Two to a row, at the edges; one to a row where they would touch."""

    def draw(canvas: Canvas, frame: Frame) -> float:
        y, at = frame.y, 0
        while at < len(items):
            left = _said(items[at], mark)
            right = _said(items[at + 1], mark) if at + 1 < len(items) else []
            both = sum(style.width(part.text) for part in (*left, *right))
            if right and both + style.size < frame.width:
                canvas.write(frame.x, y, left, style)
                canvas.write(frame.right, y, right, style, "right")
                y, at = y + style.leading, at + 2
                continue
            y, at = lines([left], style)(canvas, frame.below(y)), at + 1
        return y

    return draw
