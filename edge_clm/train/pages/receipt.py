"""Receipts: slips of shops and restaurants, narrow and often long."""

from __future__ import annotations

from collections.abc import Callable

from edge_clm.train.pages.bills import Bills
from edge_clm.train.pages.blocks import (
    Block,
    Frame,
    apart,
    lines,
    one_line,
    ruled,
    stack,
    wrapped_line,
)
from edge_clm.train.pages.canvas import Canvas
from edge_clm.train.pages.days import day_of, time_of
from edge_clm.train.pages.identities import Party
from edge_clm.train.pages.logo import bars, logo
from edge_clm.train.pages.setting import Grammar, Setting
from edge_clm.train.pages.slip_goods import slip_goods
from edge_clm.train.pages.slip_meta import Slip, slip_meta, written
from edge_clm.train.pages.slip_sums import slip_sums
from edge_clm.train.pages.tax_summary import codes_of
from edge_clm.train.pages.type import Align, Part, Style

RECEIPT: Grammar = {
    "head": ("centre", "centre", "left", "logo", "owner", "split"),
    "title": ("below", "above", "none", "boxed", "meta"),
    "meta_at": ("above", "above", "above", "foot", "parted"),
    "meta": ("inline", "inline", "glued", "spread", "row", "bare", "aligned"),
    "lines": ("one", "two", "qty_first", "coded", "three", "x_price", "plain", "columns"),
    "rule": ("dash", "equals", "star", "line", "dots", "none"),
    "sums": ("spread", "right", "spread", "leader", "indent"),
    "tax": ("summary", "summary", "words", "none", "summary"),
    "foot": ("centre", "left", "bars", "long", "none"),
}
SHOPS = ("groceries", "meals", "hardware", "office", "products", "meals", "groceries")


def draw_receipt(setting: Setting, canvas: Canvas) -> None:
    """Draws one receipt."""
    rng = setting.rng
    style = setting.style(canvas.width / rng.uniform(19, 29))
    bills = Bills(rng, setting.place, setting.amounts, setting.split)
    slip = Slip(
        setting.names.party(),
        day_of(rng),
        bills.bill(SHOPS, 22, rounds=True),
        codes_of(rng),
        style,
        _rule(setting, style),
    )
    margin = canvas.width * rng.uniform(0.03, 0.1)
    frame = Frame(margin, canvas.width * rng.uniform(0.02, 0.08), canvas.width - 2 * margin)
    stack(_blocks(setting, slip), style.size * rng.uniform(0.2, 0.8))(canvas, frame)


def _blocks(setting: Setting, slip: Slip) -> list[Block]:
    layout = setting.layout
    meta = slip_meta(setting, slip)
    half = len(meta) // 2
    at = layout["meta_at"]
    above = meta if at == "above" else meta[:half] if at == "parted" else []
    foot = meta if at == "foot" else meta[half:] if at == "parted" else []
    title = _title(setting, slip)
    return [
        *([title] if layout["title"] == "above" else []),
        _head(setting, slip),
        *([title] if layout["title"] in ("below", "boxed") else []),
        written(setting, slip, above),
        slip.rule,
        slip_goods(setting, slip),
        slip.rule,
        slip_sums(setting, slip),
        slip.rule,
        written(setting, slip, foot),
        *_foot(setting, slip),
    ]


def _rule(setting: Setting, style: Style) -> Block:
    how = setting.layout["rule"]
    if how == "none":
        return lines([], style)
    if how == "line":
        return ruled(setting.ink, setting.rng.randint(1, 2), style.size * 0.3)
    sign = {"dash": "-", "equals": "=", "star": "*", "dots": "."}[how]

    def draw(canvas: Canvas, frame: Frame) -> float:
        # A rule of signs is drawn, not printed: an OCR returns it as noise or not at all.
        text = sign * int(frame.width / style.width(sign))
        canvas.over(
            lambda pen: pen.text(
                (frame.x, frame.y), text, fill=style.colour, font=style.font(text), anchor="la"
            )
        )
        return frame.y + style.leading * 0.9

    return draw


def _title(setting: Setting, slip: Slip) -> Block:
    word = setting.labels.of("title_receipt")
    align: Align = "left" if setting.layout["head"] == "left" else "centre"
    style = slip.style.but(setting.rng.uniform(1, 1.5), bold=setting.odds(0.6))
    if setting.layout["title"] == "boxed" and word:
        return stack([ruled(setting.ink), one_line(word, style, align), ruled(setting.ink)], 2)
    return one_line(word, style, align)


def _head(setting: Setting, slip: Slip) -> Block:
    """The shop's name with its owner, number, address and telephone."""
    rng, seller, style = setting.rng, slip.seller, slip.style
    how = setting.layout["head"]
    align: Align = "left" if how in ("left", "split") else "centre"
    # Long names stay long: they are wrapped over two lines.
    big = setting.title(style.size * rng.uniform(1.0, 1.7))
    name: list[Part] = [setting.said("seller", seller.name)]
    rows: list[list[Part] | str] = []
    company_no = rng.choice((f"({seller.company_no})", seller.company_no, f"({seller.company_no})"))
    if setting.odds(0.35):
        said = setting.labels.of("company_no")
        label = f"{said}{setting.mark}" if said and setting.odds(0.5) else ""
        if label or setting.odds(0.4):
            rows.append(label + company_no)
        else:
            # Glued to the name, as many registers print it.
            name.append(Part(rng.choice((" ", "")) + f"({seller.company_no})"))
    rows += _address(setting, seller)
    owner = how == "owner" or seller.owner
    first = [lines([seller.owner or setting.names.person().upper()], style, align)] if owner else []
    picture = [logo(setting, style.size * 4)] if how == "logo" else []
    above = _trade(setting, slip)
    own = style if above else big
    return stack(
        [
            lines([_of_till(setting)] if setting.odds(0.06) else [], style),
            *picture,
            *first,
            one_line(above, big, align),
            (one_line if setting.odds(0.7) else wrapped_line)(name, own, align),
            lines(rows, style, align),
        ],
        style.size * 0.2,
    )


def _trade(setting: Setting, slip: Slip) -> str:
    """The name over the door, now and then, where the company's own has a legal form to know it by."""
    known = slip.seller.name.casefold().endswith(tuple(map(str.casefold, setting.place.legal)))
    if not known or setting.place.language == "zh" or setting.odds(0.75):
        return ""
    end = setting.rng.choice(("", "", " - {}", " ({})")).format(setting.names.branch())
    return setting.names.trade() + end


def _of_till(setting: Setting) -> str:
    """A number that registers print over everything else."""
    return setting.rng.choice(("{}", "A{}", "#{}")).format(setting.rng.randint(10000, 99999999))


def _address(setting: Setting, seller: Party) -> list[list[Part] | str]:
    labels, mark = setting.labels, setting.mark
    rows: list[list[Part] | str] = []
    if setting.odds(0.88):
        rows += setting.address("seller_address", seller.address, joined=setting.odds(0.15))
    if setting.odds(0.12):
        forms = ("({})", "- {} -", f"{setting.rng.randint(1000, 1999)}-{{}}", "{}")
        rows.append(setting.rng.choice(forms).format(setting.names.branch()))
    if setting.odds(0.65) and labels.of("tel"):
        rows.append(f"{labels.of('tel')}{mark}{seller.phone}")
    if setting.odds(0.2) and labels.of("fax"):
        rows.append(f"{labels.of('fax')}{mark}{setting.names.phone()}")
    if setting.odds(0.45) and labels.of("tax_no"):
        rows.append(
            [Part(labels.of("tax_no") + mark), setting.said("seller_tax_id", seller.tax_no)]
        )
    if setting.odds(0.12):
        rows.append(setting.phrase("hours"))
    return [row for row in rows if row]


def _foot(setting: Setting, slip: Slip) -> list[Block]:
    how, rng = setting.layout["foot"], setting.rng
    align: Align = "left" if how == "left" else "centre"
    said: list[Callable[[], str]] = [
        lambda: setting.phrase("thanks"),
        lambda: setting.phrase("policy"),
        lambda: setting.phrase("extras"),
        lambda: f"{time_of(rng)}  {rng.randint(1000, 9999)}",
    ]
    count = {"none": 0, "long": 4}.get(how, rng.randint(1, 2))
    texts = [text for text in (make() for make in said[:count]) if text]
    blocks: list[Block] = [lines(texts, slip.style, align)]
    if how == "bars":
        blocks.append(bars(rng, setting.ink))
    return [apart(block, slip.style.size * 0.5) for block in blocks]
