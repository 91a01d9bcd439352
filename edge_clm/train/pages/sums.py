"""Subtotals, taxes and totals as rows of label and amount."""

from __future__ import annotations

from decimal import Decimal

from edge_clm.train.pages.bills import ZERO, Bill, TaxLine
from edge_clm.train.pages.blocks import Block, boxed, columns, lines
from edge_clm.train.pages.pairs import Pair, Pairing, pairs
from edge_clm.train.pages.setting import Setting
from edge_clm.train.pages.type import Part, Style

_SHARES = {"right": 0.45, "left": 0.5, "wide": 1.0, "boxed": 0.5, "half": 0.62}
_GROSS = ("gross", "goods", "items", "total sales")
_OWED = ("due", "pay", "balance")


def sum_rows(setting: Setting, bill: Bill, total: str, subtotal: str) -> list[Pair]:
    """Everything below the goods, the parts before the total; what does not exist has no row.

    `total` and `subtotal` are the concepts whose labels are used.
    """
    extras = _extras(setting, bill)
    rows = _with_subtotal(setting, bill, extras, subtotal)
    taxes = _tax_rows(setting, bill) if not (bill.inclusive and setting.odds(0.35)) else []
    label = setting.labels.of(total)
    if bill.inclusive and setting.odds(0.6):
        # A tax that is in the prices is often told below what it is in.
        return [*rows, *_rounding(setting, bill), _total(setting, bill, label), *taxes]
    return [*rows, *taxes, *_rounding(setting, bill), _total(setting, bill, label)]


def _total(setting: Setting, bill: Bill, label: str) -> Pair:
    return Pair(label, [setting.money("total", bill.total, "total")], strong=setting.odds(0.75))


def _with_subtotal(setting: Setting, bill: Bill, extras: list[Pair], concept: str) -> list[Pair]:
    """The subtotal where there is one: of the goods before the extras, or of all behind them."""
    label = setting.labels.of(concept)
    needless = not (bill.taxes or extras or bill.rounding)
    if not label or setting.odds(0.6 if needless or bill.inclusive else 0.1):
        return extras
    before = "sub" in label.casefold()
    if bill.inclusive and not before and _is_gross(label):
        # What is called so has the tax in it and would be no sum of its own.
        return extras
    if before or not (extras or bill.inclusive):
        return [Pair(label, [setting.money("subtotal", bill.goods)]), *extras]
    return [*extras, Pair(label, [setting.money("subtotal", bill.net)])]


def _is_gross(label: str) -> bool:
    folded = label.casefold()
    return "excl" not in folded and any(word in folded for word in _GROSS)


def _extras(setting: Setting, bill: Bill) -> list[Pair]:
    found = (
        ("discount", -bill.discount),
        ("shipping", bill.shipping),
        ("service_charge", bill.service),
    )
    return [
        Pair(
            setting.labels.of(name.removesuffix("_charge")) or name.replace("_", " ").title(),
            [_extra(setting, name, amount)],
        )
        for name, amount in found
        if amount
    ]


def _extra(setting: Setting, name: str, amount: Decimal) -> Part:
    shown = abs(amount) if name == "discount" and setting.odds(0.35) else amount
    return setting.money(name, shown)


def _rounding(setting: Setting, bill: Bill) -> list[Pair]:
    label = setting.labels.of("rounding") or "Rounding"
    return [Pair(label, [setting.money("rounding", bill.rounding)])] if bill.rounding else []


def _tax_rows(setting: Setting, bill: Bill) -> list[Pair]:
    name = setting.labels.tax
    several = len(bill.taxes) > 1
    if len(bill.taxes) == 1 and setting.place.language == "en" and setting.odds(0.12):
        rate = f"{setting.amounts.number(bill.taxes[0].rate)}%"
        return [Pair(f"{name} Rate", rate), Pair(name, [setting.money("tax", bill.tax)])]
    return [
        Pair(
            _tax_label(setting, name, line, several),
            [setting.money(f"taxes.{at}.tax" if several else "tax", line.tax)],
        )
        for at, line in enumerate(bill.taxes)
    ]


def _tax_label(setting: Setting, name: str, line: TaxLine, several: bool) -> str:
    rate = setting.amounts.number(line.rate)
    forms = (
        f"{name} {rate}%",
        f"{name} ({rate}%)",
        f"{name} @ {rate}%",
        f"{rate}% {name}",
        f"{name} {rate} %",
    )
    if several or setting.odds(0.7):
        return setting.rng.choice(forms)
    return name


def owed_rows(setting: Setting, bill: Bill) -> list[Pair]:
    """What has been paid and what is left, where the total's label does not claim to be that."""
    label = setting.labels.of("total")
    paid, left = setting.labels.of("paid"), setting.labels.of("balance")
    if not (paid and left) or setting.odds(0.8) or any(word in label.casefold() for word in _OWED):
        return []
    amount = setting.amounts.cut(bill.total / setting.rng.choice((2, 4, 1)))
    rest = bill.total - amount
    return [
        Pair(paid, [setting.money("paid", amount)]),
        Pair(left, [setting.money("balance", rest, "total")], strong=True),
    ]


def sums_block(setting: Setting, rows: list[Pair], style: Style) -> Block:
    """The rows as the layout has them, with the total in a coloured box now and then."""
    how = setting.layout["sums"]
    pairing: Pairing = setting.layout["pairing"]  # type: ignore[assignment]
    block = pairs(
        rows, style, pairing, setting.rng.choice(("", setting.mark)), setting.odds(0.3), 1.25
    )
    share = _SHARES[how]
    if how == "boxed":
        block = boxed(
            block, style.size * 0.7, setting.ink, setting.rng.choice((None, (240, 243, 246)))
        )
    empty = lines([], style)
    if how in ("right", "boxed"):
        return columns([(1 - share, empty), (share, block)], 0)
    return columns([(share, block), (1 - share, empty)], 0) if share < 1 else block


def tendered(bill: Bill, setting: Setting) -> tuple[Decimal, Decimal]:
    """What is handed over in cash, and the change."""
    rng = setting.rng
    notes = (1, 5, 10, 20, 50, 100, 500, 1000)
    over = [Decimal(-(-int(bill.total * 100) // (note * 100)) * note) for note in notes]
    cash = max(rng.choice([bill.total, *over]), bill.total)
    return cash, max(cash - bill.total, ZERO)
