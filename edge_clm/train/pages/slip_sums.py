"""Totals of a receipt: sums, payment, change, and a summary of taxes."""

from __future__ import annotations

from decimal import Decimal

from edge_clm.train.pages.bills import Bill
from edge_clm.train.pages.blocks import Block, Frame, Text, lines, stack
from edge_clm.train.pages.canvas import Canvas
from edge_clm.train.pages.pairs import Pair, Pairing, pairs
from edge_clm.train.pages.setting import Setting
from edge_clm.train.pages.sums import sum_rows, tendered
from edge_clm.train.pages.table import Column, Ruling, table
from edge_clm.train.pages.type import Part, Style


def slip_sums(setting: Setting, bill: Bill, style: Style) -> Block:
    """The rows below the goods; the total is often larger than the rest."""
    how = setting.layout["sums"]
    pairing: Pairing = "spread" if how == "indent" else how  # type: ignore[assignment]
    mark = setting.rng.choice(("", "", setting.mark.rstrip()))
    rows = sum_rows(setting, bill, "slip_total", "slip_subtotal")
    large = setting.rng.choice((1.0, 1.0, 1.0, 1.3, 1.6))
    blocks: list[Block] = []
    for row in rows:
        own = style.but(large) if row.strong else style
        blocks.append(pairs([row], own, pairing, mark, heavy=False))
    blocks.append(pairs(_payment(setting, bill), style, pairing, mark, heavy=False))
    block = stack(blocks, style.size * 0.1)
    inner = _indented(block) if how == "indent" else block
    told = any(row.value[0].key == "tax" for row in rows if isinstance(row.value, list))
    return stack([inner, *_tax(setting, bill, style, told)], style.size * 0.5)


def _indented(block: Block) -> Block:
    def draw(canvas: Canvas, frame: Frame) -> float:
        left = frame.x + frame.width * 0.2
        return block(canvas, Frame(left, frame.y, frame.right - left))

    return draw


def _payment(setting: Setting, bill: Bill) -> list[Pair]:
    """How it was paid; not every slip tells."""
    labels, chosen = setting.labels, setting.rng.random()
    if chosen < 0.2:
        return []
    if chosen < 0.45 and labels.of("card"):
        rows = [Pair(labels.of("card"), [setting.money("paid", bill.total)])]
        digits = f"{setting.rng.randint(1000, 9999)}"
        return [*rows, Pair("", f"XXXX-XXXX-XXXX-{digits}")] if setting.odds(0.3) else rows
    if not labels.of("cash"):
        return []
    cash, change = tendered(bill, setting)
    rows = [Pair(labels.of("cash"), [setting.money("paid", cash)])]
    if change or setting.odds(0.6):
        rows.append(Pair(labels.of("change") or "Change", [setting.money("change", change)]))
    return rows


def _tax(setting: Setting, bill: Bill, style: Style, told: bool) -> list[Block]:
    """What the taxes were paid on, as a table or in words; the field itself where no row has told it."""
    how = setting.layout["tax"]
    name, heading = setting.place.taxes[0].removesuffix(" @"), setting.labels.of("tax_summary")
    if not bill.taxes or how == "none":
        return []
    key = "" if told or len(bill.taxes) > 1 else "tax"
    if how == "words":
        if not bill.inclusive or setting.place.language != "en":
            return []
        rate = setting.amounts.number(bill.taxes[0].rate)
        said = [Part(f"Incl. {name} {rate}%: "), _bare(setting, key, bill.tax)]
        return [lines([said], style.but(0.9))]
    if not heading:
        return []
    head = [Column(name, 1.2), Column("Amount", 1.2, "right"), Column("Tax", 1, "right")]
    rows: list[list[Text]] = [
        [
            f"SR {setting.amounts.number(line.rate)}%",
            setting.amounts.bare(line.base),
            [_bare(setting, key, line.tax)],
        ]
        for line in bill.taxes
    ]
    ruling = Ruling("bare", setting.ink, None, setting.ink, 0)
    return [stack([lines([heading], style), table(head, rows, style.but(0.9), ruling)], 0)]


def _bare(setting: Setting, key: str, amount: Decimal) -> Part:
    return Part(setting.amounts.bare(amount), key, setting.amounts.money(amount))
