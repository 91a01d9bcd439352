"""Totals of a receipt: sums, payment, change, and a summary of taxes."""

from __future__ import annotations

from edge_clm.train.pages.bills import Bill
from edge_clm.train.pages.blocks import (
    Block,
    Column,
    Frame,
    Pair,
    Pairing,
    Ruling,
    lines,
    pairs,
    stack,
    table,
)
from edge_clm.train.pages.canvas import Canvas, Style
from edge_clm.train.pages.setting import Setting
from edge_clm.train.pages.sums import sum_rows, tendered


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
    return stack([inner, *_tax(setting, bill, style)], style.size * 0.5)


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


def _tax(setting: Setting, bill: Bill, style: Style) -> list[Block]:
    """What the taxes were paid on, as a table or in words."""
    how = setting.layout["tax"]
    if not bill.taxes or how == "none":
        return []
    name = setting.place.taxes[0]
    if how == "words" and bill.inclusive and setting.place.language == "en":
        line = bill.taxes[0]
        text = (
            f"Incl. {name} {setting.amounts.number(line.rate)}%: {setting.amounts.bare(bill.tax)}"
        )
        return [lines([text], style.but(0.9))]
    heading = setting.labels.of("tax_summary")
    if how != "summary" or not heading:
        return []
    head = [
        Column(name, 1.2),
        Column(setting.labels.of("slip_subtotal") and "Amount", 1.2, "right"),
        Column("Tax", 1, "right"),
    ]
    rows = [
        [
            f"SR {setting.amounts.number(line.rate)}%",
            setting.amounts.bare(line.base),
            setting.amounts.bare(line.tax),
        ]
        for line in bill.taxes
    ]
    ruling = Ruling("bare", setting.ink, None, setting.ink, 0)
    return [stack([lines([heading], style), table(head, rows, style.but(0.9), ruling)], 0)]
