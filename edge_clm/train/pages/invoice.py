"""Invoices: who bills whom for what, in any order and form that invoices have."""

from __future__ import annotations

from edge_clm.train.pages.bills import Bills
from edge_clm.train.pages.blocks import (
    Block,
    Frame,
    apart,
    columns,
    lines,
    one_line,
    ruled,
    stack,
    wrapped_line,
)
from edge_clm.train.pages.canvas import Canvas
from edge_clm.train.pages.content import Content
from edge_clm.train.pages.days import day_of
from edge_clm.train.pages.goods import goods_table
from edge_clm.train.pages.identities import Party
from edge_clm.train.pages.invoice_parties import buyer_block, parties
from edge_clm.train.pages.lexicon import entries
from edge_clm.train.pages.logo import banner, logo
from edge_clm.train.pages.pairs import Pair, pairs
from edge_clm.train.pages.references import number_in_title, references
from edge_clm.train.pages.setting import Grammar, Setting
from edge_clm.train.pages.sums import owed_rows, sum_rows, sums_block
from edge_clm.train.pages.type import Align, Part

INVOICE: Grammar = {
    "head": ("logo_left", "logo_right", "centre", "band", "title_first", "plain_right", "beside"),
    "meta": ("inline", "aligned", "spread", "above", "cells", "right", "boxed", "across"),
    "meta_at": ("buyer", "buyer", "title", "row", "seller", "foot"),
    "buyer": ("left", "right", "boxed", "three", "inline", "bare"),
    "order": ("usual", "usual", "buyer_first", "meta_first", "facing"),
    "number": ("listed", "listed", "listed", "titled", "bare"),
    "lattice": ("bare", "header", "rows", "grid", "zebra", "box"),
    "columns": ("full", "plain", "qty_first", "codes", "amount_only", "rates", "swapped"),
    "sums": ("right", "right", "left", "wide", "boxed", "half"),
    "pairing": ("spread", "spread", "right", "leader", "aligned"),
    "foot": ("notes", "bank", "columns", "none", "centre"),
}
SHOPS = ("services", "products", "office", "hardware", "products", "services", "groceries")


def draw_invoice(setting: Setting, canvas: Canvas) -> None:
    """Draws one invoice."""
    rng = setting.rng
    issued = day_of(rng)
    bills = Bills(rng, setting.place, setting.amounts, setting.split)
    content = Content(
        setting.names.party(),
        setting.names.buyer(),
        issued,
        setting.code(),
        bills.bill(SHOPS, 22, rounds=False),
        canvas.width / rng.uniform(38, 62),
    )
    margin = canvas.width * rng.uniform(0.045, 0.1)
    frame = Frame(margin, canvas.width * rng.uniform(0.03, 0.09), canvas.width - 2 * margin)
    gap = content.size * rng.uniform(1.0, 2.4)
    stack(_blocks(setting, content), gap)(canvas, frame)


def _blocks(setting: Setting, content: Content) -> list[Block]:
    layout, style = setting.layout, setting.style(content.size)
    meta = references(setting, content)
    beside = meta if layout["meta_at"] == "buyer" else None
    who = parties(setting, content, beside)
    head = _head(setting, content, meta if layout["meta_at"] in ("seller", "title") else None)
    rest = [meta] if layout["meta_at"] == "row" else []
    top = {
        "facing": _facing(setting, content, meta),
        "usual": [head, who, *rest],
        "buyer_first": [who, head, *rest],
        "meta_first": [head, *rest, who],
    }[layout["order"]]
    if setting.odds(0.25):
        top.insert(1, ruled(setting.accent, setting.rng.randint(1, 4)))
    rows = [
        *sum_rows(setting, content.bill, "total", "subtotal"),
        *owed_rows(setting, content.bill),
    ]
    sums = sums_block(setting, rows, style)
    goods = goods_table(setting, content.bill, style)
    foot = _foot(setting, content)
    if layout["meta_at"] == "foot" and layout["order"] != "facing":
        foot = [meta, *foot]
    return [*top, goods, sums, *foot]


def _facing(setting: Setting, content: Content, meta: Block) -> list[Block]:
    """Seller and buyer at eye level, and below them what is told of the invoice."""
    who = columns(
        [
            (1, _seller(setting, content, "left")),
            (1, buyer_block(setting, content, setting.style(content.size))),
        ],
        content.size * 2,
    )
    word = one_line(_title(setting, content), setting.title(content.size * 1.6))
    return [word, who, meta] if setting.odds(0.5) else [who, word, meta]


def _title(setting: Setting, content: Content) -> list[Part]:
    """What the page is called, with its number where the layout has it there."""
    word = setting.labels.of("title_invoice")
    if not number_in_title(setting):
        return [Part(word)]
    sign = setting.rng.choice(("#", "# ", "No. ", "", "No ", "- "))
    return [Part(f"{word} {sign}"), setting.said("number", content.number)]


def _head(setting: Setting, content: Content, meta: Block | None) -> Block:
    layout, big = setting.layout["head"], content.size * setting.rng.uniform(1.6, 3.2)
    word = setting.labels.of("title_invoice")
    said = _title(setting, content)
    title = one_line(said if len(said) > 1 or setting.odds(0.93) else "", setting.title(big))
    right = one_line(said, setting.title(big), "right")
    seller = _seller(setting, content, "left")
    picture = logo(setting, content.size * 4)
    below = [meta] if meta else []
    titled_meta = stack([title, *below], content.size)
    arranged: dict[str, Block] = {
        "logo_left": columns(
            [(1, picture), (3, seller), (3, stack([right, *below], content.size))], content.size
        ),
        "logo_right": columns(
            [
                (3, stack([seller, *below], content.size)),
                (2, titled_meta if not meta else title),
                (1, picture),
            ],
            content.size,
        ),
        "centre": stack(
            [
                _seller(setting, content, "centre"),
                one_line(said, setting.title(big), "centre"),
                *below,
            ],
            content.size,
        ),
        "band": stack(
            [
                banner(setting, word, big),
                columns([(3, seller), (3, stack(below, 0))], content.size),
            ],
            content.size,
        ),
        "title_first": stack(
            [title, columns([(3, seller), (3, stack(below, 0))], content.size)], content.size
        ),
        "plain_right": columns(
            [(1, titled_meta), (1, _seller(setting, content, "right"))], content.size * 2
        ),
        "beside": columns(
            [(1, seller), (1, stack([right, *below], content.size * 0.5))], content.size * 2
        ),
    }
    return arranged[layout]


def _seller(setting: Setting, content: Content, align: Align) -> Block:
    """The letterhead; now and then without an address or under a label."""
    style, seller, labels = setting.style(content.size), content.seller, setting.labels
    name = setting.title(content.size * setting.rng.uniform(1.0, 1.9))
    said = setting.said("seller", seller.name)
    blocks: list[Block] = []
    label = labels.of("seller")
    if label and setting.layout["head"] in ("title_first", "band") and setting.odds(0.45):
        blocks.append(
            lines([label + setting.mark.rstrip()], style.but(bold=setting.odds(0.6)), align)
        )
    blocks.append((one_line if setting.odds(0.75) else wrapped_line)([said], name, align))
    if setting.odds(0.12):
        blocks.append(lines([setting.phrase("slogans")], style.but(0.9), align))
    blocks.append(lines(_contact(setting, seller), style, align))
    return stack(blocks, content.size * 0.2)


def _contact(setting: Setting, seller: Party) -> list[list[Part] | str]:
    """Address, telephone and tax number."""
    labels, mark = setting.labels, setting.mark
    rows: list[list[Part] | str] = []
    if setting.odds(0.1):
        rows.append(setting.names.person())
    if setting.odds(0.85):
        rows += setting.address("seller_address", seller.address, joined=setting.odds(0.15))
    if setting.odds(0.6) and labels.of("tel"):
        rows.append(f"{labels.of('tel')}{mark}{seller.phone}")
    if setting.odds(0.25):
        rows.append(setting.names.email(seller.name))
    if setting.odds(0.2):
        rows.append(f"www.{''.join(filter(str.isalnum, seller.name.lower()))[:14]}.com")
    if setting.odds(0.4) and labels.of("tax_no"):
        rows.append(
            [Part(labels.of("tax_no") + mark), setting.said("seller_tax_id", seller.tax_no)]
        )
    return rows


def _foot(setting: Setting, content: Content) -> list[Block]:
    small = setting.style(content.size * setting.rng.uniform(0.75, 0.95))
    notes = [
        note for note in (setting.phrase("notes") for _ in range(setting.rng.randint(1, 3))) if note
    ]
    notes = list(dict.fromkeys(notes))
    bank = pairs(_bank(setting, content.seller), small, "aligned", setting.mark, heavy=False)
    thanks = setting.phrase("thanks")
    how = setting.layout["foot"]
    seller = content.seller
    once_more = [", ".join((seller.name, *(line.rstrip(",") for line in seller.address)))]
    last = [lines(once_more, small, "centre")] if setting.odds(0.12) else []
    blocks: dict[str, list[Block]] = {
        "notes": [apart(lines(notes, small), content.size)],
        "bank": [apart(bank, content.size), lines([thanks], small)],
        "columns": [
            apart(columns([(1, lines(notes, small)), (1, bank)], content.size * 2), content.size)
        ],
        "none": [],
        "centre": [apart(lines([*notes[:1], thanks], small, "centre"), content.size * 2)],
    }
    return [*blocks[how], *last]


def _bank(setting: Setting, seller: Party) -> list[Pair]:
    rng, labels = setting.rng, setting.labels
    bank = rng.choice(entries("names", "companies", "banks", setting.split))
    digits = " ".join("".join(rng.choice("0123456789") for _ in range(4)) for _ in range(3))
    found = [Pair(labels.of("bank"), bank), Pair(labels.of("account"), digits)]
    if setting.odds(0.3):
        found.insert(1, Pair(labels.of("account_name"), seller.name))
    return [pair for pair in found if pair.label]
