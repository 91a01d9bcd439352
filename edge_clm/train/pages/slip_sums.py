"""Totals of a receipt: sums, payment, change, and a summary of taxes."""

from __future__ import annotations

from edge_clm.train.pages.bills import Bill
from edge_clm.train.pages.blocks import Block, Frame, stack
from edge_clm.train.pages.canvas import Canvas
from edge_clm.train.pages.near_total import near_total
from edge_clm.train.pages.pairs import Pair, Pairing, pairs
from edge_clm.train.pages.setting import Setting
from edge_clm.train.pages.slip_meta import Slip
from edge_clm.train.pages.sums import sum_rows, tendered
from edge_clm.train.pages.tax_summary import tax_summary


def slip_sums(setting: Setting, slip: Slip) -> Block:
    """The rows below the goods; the total is often larger than the rest."""
    bill, style = slip.bill, slip.style
    how = setting.layout["sums"]
    pairing: Pairing = "spread" if how == "indent" else how  # type: ignore[assignment]
    mark = setting.rng.choice(("", "", setting.mark.rstrip()))
    rows = near_total(setting, bill, sum_rows(setting, bill, "slip_total", "slip_subtotal"))
    large = setting.rng.choice((1.0, 1.0, 1.0, 1.3, 1.6))
    blocks: list[Block] = []
    for row in rows:
        own = style.but(large) if row.strong else style
        blocks.append(pairs([row], own, pairing, mark, heavy=False))
    told = any(row.value[0].key == "tax" for row in rows if isinstance(row.value, list))
    taxes = tax_summary(setting, bill, slip.codes, style, told)
    paid = pairs(_payment(setting, bill), style, pairing, mark, heavy=False)
    # Most registers sum up the taxes last.
    first = setting.odds(0.2)
    blocks += [*taxes, paid] if first else [paid]
    block = stack(blocks, style.size * 0.1)
    inner = _indented(block) if how == "indent" else block
    return stack([inner, *([] if first else taxes)], style.size * 0.5)


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
        return [*rows, *_card(setting, digits)]
    if not labels.of("cash"):
        return []
    cash, change = tendered(bill, setting)
    rows = [Pair(labels.of("cash"), [setting.money("paid", cash)])]
    if change or setting.odds(0.6):
        rows.append(Pair(labels.of("change") or "Change", [setting.money("change", change)]))
    return rows


def _card(setting: Setting, digits: str) -> list[Pair]:
    """What else a terminal prints about a card."""
    found: list[Pair] = []
    if setting.odds(0.3):
        hidden = setting.rng.choice(("XXXX-XXXX-XXXX-", "************", "XXXXXXXXXXXX", "**** "))
        found.append(Pair("", f"{hidden}{digits}"))
    if setting.odds(0.2):
        named = setting.rng.choice(("Appr Code", "APPROVAL", "Auth Code", "TRACE NO", "BATCH"))
        found.append(Pair(named, str(setting.rng.randint(1000, 999999)).zfill(6)))
    return found
