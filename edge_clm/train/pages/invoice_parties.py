"""Who an invoice is for, and where that stands."""

from __future__ import annotations

from edge_clm.train.pages.blocks import (
    Block,
    boxed,
    columns,
    lines,
    stack,
    titled,
)
from edge_clm.train.pages.content import Content
from edge_clm.train.pages.setting import Setting
from edge_clm.train.pages.type import Part, Style


def parties(setting: Setting, content: Content, meta: Block | None) -> Block:
    """The buyer, beside or below what else is told at the top."""
    how, style = setting.layout["buyer"], setting.style(content.size)
    buyer = buyer_block(setting, content, style)
    gap = content.size * 2
    beside: list[tuple[float, Block]] = [(1, meta)] if meta else []
    empty = lines([], style)
    if how == "right":
        return columns([*(beside or [(1, empty)]), (1, buyer)], gap)
    if how == "boxed":
        framed = boxed(
            buyer,
            content.size * 0.7,
            setting.ink,
            setting.rng.choice((None, None, (245, 245, 240))),
        )
        return columns([(1, framed), *(beside or [(0.7, empty)])], gap)
    if how == "three" and setting.labels.of("ship"):
        where = content.buyer.name if setting.odds(0.5) else setting.names.company()
        ship = lines([where, *setting.names.address()], style)
        heading = style.but(bold=True)
        return columns(
            [
                (1, buyer),
                (1, titled(setting.labels.of("ship") + setting.mark.rstrip(), ship, heading)),
                *beside,
            ],
            gap,
        )
    return columns([(1, buyer), *(beside or [(0.8, empty)])], gap)


def buyer_block(setting: Setting, content: Content, style: Style) -> Block:
    """Whom the invoice is for, mostly under a label, perhaps with somebody who works there."""
    rng, buyer, label = setting.rng, content.buyer, setting.labels.of("buyer")
    name = [setting.said("buyer", buyer.name)]
    rest: list[list[Part] | str] = []
    first: list[list[Part] | str] = []
    if buyer.owner and setting.odds(0.3):
        first.append(buyer.owner)
    elif buyer.owner and setting.odds(0.6):
        rest.append(f"Attn: {buyer.owner}" if setting.place.language == "en" else buyer.owner)
    if setting.odds(0.85):
        rest += setting.address("buyer_address", buyer.address, joined=setting.odds(0.1))
    if setting.odds(0.3):
        rest.append(buyer.phone)
    if setting.odds(0.25):
        rest.append(setting.names.email(buyer.name))
    bold = style.but(bold=setting.odds(0.4))
    how = setting.layout["buyer"]
    hidden = how == "bare" and setting.layout["order"] != "buyer_first"
    if hidden or not label:
        return stack([lines(first, style), lines([name], bold), lines(rest, style)], 0)
    if how == "inline":
        return stack([lines([[Part(label + setting.mark), *name]], style), lines(rest, style)], 0)
    mark = rng.choice(("", setting.mark.rstrip()))
    block = stack([lines(first, style), lines([name], bold), lines(rest, style)], 0)
    return titled(
        label + mark,
        block,
        style.but(bold=setting.odds(0.7), colour=rng.choice((None, setting.accent))),
    )
