"""The summary of taxes at the foot of a receipt: what was taxed, at which rate, and how much that came to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random

from edge_clm.train.pages.bills import ZERO, Bill, TaxLine
from edge_clm.train.pages.blocks import Block, Text, lines, stack
from edge_clm.train.pages.setting import Setting
from edge_clm.train.pages.table import Column, Ruling, table
from edge_clm.train.pages.type import Part, Style

_LETTERS = (
    *(("SR", "DS", "ZR"), ("S", "T", "Z"), ("SR", "SV", "ZRL"), ("T", "R", "Z"), ("A", "B", "C")),
    *(("s", "t", "z"), ("V", "W", "Z"), ("*", "#", ""), ("", "", "")),
)
"""For the first rate, the second, and what is not taxed."""
_BESIDE = (" {}", " {}", "{}", " *{}", " ({})", "", "")
"""How a code stands behind an amount; not every register prints it there."""
_NAMED = (
    *("{code} {rate}%", "{code} (@ {rate}%)", "{code} @ {rate}%", "{code} = {rate}%"),
    *("{code}={tax} @{rate}%", "{tax} {code}@{rate}%", "{tax} {rate}%", "{code} ({rate}%)"),
    *("{rate}% {code}", "{tax} @ {rate}%", "{rate}%", "{code} - {rate}%:"),
)
_WORDS = (
    *("Incl. {tax} {rate}%: ", "{tax} @{rate}% included in total ", "Total includes {tax} of "),
    *("{tax} ({rate}%) included: ", "Inclusive of {rate}% {tax} ", "{tax} Incl. "),
)
_COLUMNS = (
    *(("taxable", "taxed"),) * 4,
    ("taxable", "taxed", "with_tax"),
    ("taxed", "taxable"),
)

_FIGURE = 8
"""Characters of a usual amount."""


@dataclass(frozen=True, slots=True)
class Codes:
    """The letters by which a receipt tells the rates of its goods apart."""

    letters: tuple[str, str, str]
    beside: str

    def of(self, bill: Bill, rate: Decimal) -> str:
        """The letters of a rate."""
        first, second, free = self.letters
        if not rate:
            return free
        return first if rate == bill.taxes[0].rate else second

    def behind(self, bill: Bill, rate: Decimal) -> str:
        """What stands behind the amount of goods taxed so."""
        code = self.of(bill, rate)
        return self.beside.format(code) if code else ""


def codes_of(rng: Random) -> Codes:
    """One receipt's way of telling rates apart."""
    return Codes(rng.choice(_LETTERS), rng.choice(_BESIDE))


def tax_summary(
    setting: Setting, bill: Bill, codes: Codes, style: Style, told: bool
) -> list[Block]:
    """A table or a sentence, as the layout's `tax` says; the field `tax` itself where no row has `told` it."""
    how = setting.layout["tax"]
    key = "" if told or len(bill.taxes) != 1 else "tax"
    if how == "words":
        return _worded(setting, bill, style, key)
    return _table(setting, bill, codes, style, key) if how == "summary" else []


def _worded(setting: Setting, bill: Bill, style: Style, key: str) -> list[Block]:
    if not (bill.taxes and bill.inclusive) or setting.place.language != "en":
        return []
    rate = setting.amounts.number(bill.taxes[0].rate)
    said = setting.rng.choice(_WORDS).format(tax=setting.labels.tax, rate=rate)
    sign = setting.rng.choice(("", setting.amounts.before))
    return [lines([[Part(said + sign), _bare(setting, key, bill.tax)]], style.but(0.9))]


def _table(setting: Setting, bill: Bill, codes: Codes, style: Style, key: str) -> list[Block]:
    """Now and then with a row for what is not taxed, even where there is none of it, and a sum."""
    heading, labels = setting.labels.of("tax_summary"), setting.labels
    shown = list(bill.taxes)
    if bill.untaxed.base or (shown and setting.odds(0.2)):
        shown.append(bill.untaxed)
    if not heading or not (bill.taxes or setting.odds(0.3)):
        return []
    names = setting.rng.choice(_COLUMNS)
    apart = setting.odds(0.25)
    form = setting.rng.choice(_NAMED)
    rows = [
        _row(setting, names, _named(setting, form, codes.of(bill, line.rate), line), line, key)
        for line in shown
    ]
    if setting.odds(0.65 if len(rows) > 1 else 0.45):
        rows.append(_row(setting, names, labels.of("tax_total"), _sum(shown), ""))
    own = style.but(setting.rng.choice((0.9, 1.0)))
    head = _head("" if apart else heading, [labels.of(name) for name in names], rows)
    below = table(head, rows, own, Ruling("bare", setting.ink, None, setting.ink, 0))
    return [stack([lines([heading], style), below], 0) if apart else below]


def _head(heading: str, names: Sequence[str], rows: Sequence[Sequence[Text]]) -> list[Column]:
    """Columns as wide as what stands in them, so that little is wrapped."""
    first = max(len(heading), *(len(str(row[0])) for row in rows))
    return [
        Column(heading, first + 1),
        *(Column(name, max(len(name), _FIGURE) + 1, "right") for name in names),
    ]


def _named(setting: Setting, form: str, code: str, line: TaxLine) -> str:
    rate = setting.amounts.number(line.rate)
    return form.format(code=code, tax=setting.labels.tax, rate=rate).strip(" -=")


def _row(setting: Setting, names: Sequence[str], said: str, line: TaxLine, key: str) -> list[Text]:
    whole = setting.amounts.bare(line.base + line.tax)
    worth: dict[str, Text] = {
        "taxable": setting.amounts.bare(line.base),
        "taxed": [_bare(setting, key if line.rate else "", line.tax)],
        "with_tax": whole,
    }
    return [said, *(worth[name] for name in names)]


def _sum(shown: Sequence[TaxLine]) -> TaxLine:
    base = sum((line.base for line in shown), ZERO)
    return TaxLine(ZERO, base, sum((line.tax for line in shown), ZERO))


def _bare(setting: Setting, key: str, amount: Decimal) -> Part:
    return Part(setting.amounts.bare(amount), key, setting.amounts.money(amount))
