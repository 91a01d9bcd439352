"""What stands near the total of a receipt and is not it: counts, sums before rounding, the same amount again."""

from __future__ import annotations

from decimal import Decimal

from edge_clm.train.pages.bills import ZERO, Bill
from edge_clm.train.pages.pairs import Pair
from edge_clm.train.pages.setting import Setting
from edge_clm.train.pages.type import Part


def near_total(setting: Setting, bill: Bill, rows: list[Pair]) -> list[Pair]:
    """The rows of the sums with others among them; only what no row tells is a field."""
    at = next(number for number, row in enumerate(rows) if _key(row) == "total")
    above, total, below = rows[:at], rows[at], rows[at + 1 :]
    above = _rounded(setting, bill, _free(setting, bill, above), total)
    above = [*_by_rate(setting, bill), *above] if setting.odds(0.12) else above
    again = _again(setting, bill, total) if setting.odds(0.3) else []
    first = setting.odds(0.4)
    found = [*above, *(again if first else []), total, *([] if first else again), *below]
    if bill.inclusive and bill.taxes and "subtotal" not in map(_key, rows) and setting.odds(0.3):
        label = setting.labels.of("slip_untaxed")
        found += [Pair(label, [setting.money("subtotal", bill.net)])] if label else []
    return _counted(setting, bill, [*found, *_saved(setting, bill)])


def _key(row: Pair) -> str:
    return row.value[0].key if isinstance(row.value, list) else ""


def _free(setting: Setting, bill: Bill, above: list[Pair]) -> list[Pair]:
    """Registers print a discount of nothing, too."""
    label = setting.labels.of("discount")
    if bill.discount or not label or setting.odds(0.88):
        return above
    return [*above, Pair(label, [setting.money("discount", ZERO)])]


def _rounded(setting: Setting, bill: Bill, above: list[Pair], total: Pair) -> list[Pair]:
    """The sum before it is rounded, and a rounding of nothing."""
    label = setting.labels.of("slip_unrounded")
    told = [row for row in above if _key(row) == "rounding"]
    rest = [row for row in above if _key(row) != "rounding"]
    if not told and setting.labels.of("rounding") and setting.odds(0.18):
        told = [Pair(setting.labels.of("rounding"), [setting.money("rounding", ZERO)])]
    if told and label not in ("", total.label) and setting.odds(0.6):
        rest.append(Pair(label, [_plain(setting, bill.total - bill.rounding)]))
    return [*rest, *told]


def _by_rate(setting: Setting, bill: Bill) -> list[Pair]:
    """What the goods of each rate come to, each row called a total."""
    label, tax = setting.labels.of("of_rate"), setting.labels.tax
    if not (bill.taxes and label):
        return []
    mark = setting.rng.choice(("{} (excl. {})", "{} excl {}", "{} before {}"))
    both = mark.replace("excl", "incl").replace("before", "with")
    rows: list[Pair] = []
    for line in bill.taxes:
        named = label.replace("@", setting.amounts.number(line.rate))
        sums = ((mark.format(named, tax), line.base), (tax, line.tax))
        rows += [Pair(said, [_plain(setting, amount)]) for said, amount in sums]
        if setting.odds(0.7):
            rows.append(Pair(both.format(named, tax), [_plain(setting, line.base + line.tax)]))
    if bill.untaxed.base:
        rows.append(Pair(label.replace("@", "0"), [_plain(setting, bill.untaxed.base)]))
    return rows


def _again(setting: Setting, bill: Bill, total: Pair) -> list[Pair]:
    """The total once more under another name."""
    label = setting.labels.of("slip_again")
    if label in ("", total.label):
        return []
    return [Pair(label, [_plain(setting, bill.total)], strong=total.strong)]


def _saved(setting: Setting, bill: Bill) -> list[Pair]:
    label = setting.labels.of("saved")
    if not (bill.discount and label) or setting.odds(0.6):
        return []
    return [Pair(label, [_plain(setting, bill.discount)])]


def _counted(setting: Setting, bill: Bill, rows: list[Pair]) -> list[Pair]:
    """How many things were sold, above the sums, among them or below."""
    label, sold = setting.labels.of("items"), [one.quantity for one in bill.items]
    if not label or setting.odds(0.6) or any(one != int(one) for one in sold):
        return rows
    count = str(int(sum(sold)))
    both = f"Item(s) : {len(sold)}  Qty(s) : {count}"
    told = Pair("", both) if label == "Items" else Pair(label, count)
    at = setting.rng.choice((0, 0, len(rows), setting.rng.randint(0, len(rows))))
    return [*rows[:at], told, *rows[at:]]


def _plain(setting: Setting, amount: Decimal) -> Part:
    """An amount that is no field of its own."""
    return Part(setting.money("", amount).text)
