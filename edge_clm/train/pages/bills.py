"""Goods, prices, taxes and sums that add up."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from random import Random

from edge_clm.train.pages.amounts import Amounts
from edge_clm.train.pages.lexicon import entries, word_lists
from edge_clm.train.pages.page import Split
from edge_clm.train.pages.places import Place

ZERO = Decimal(0)
_RATE_OF_EXCHANGE = {"JPY": 100, "INR": 30, "MXN": 12, "ZAR": 12, "CNY": 6, "AED": 4, "MYR": 2}
_UNITS = ("pcs", "ea", "kg", "box", "set", "hrs", "unit", "pkt", "m", "btl")
_SIZES = (
    "",
    "",
    "",
    "",
    " (L)",
    " Red",
    " Blue",
    " XL",
    " Set",
    " - Standard",
    " Premium",
    " 2-Pack",
    " #",
    " Mini",
)


@dataclass(frozen=True, slots=True)
class Item:
    """One line of goods; `amount` is what the quantity costs after the discount of its own."""

    code: str
    description: str
    quantity: Decimal
    unit: str
    price: Decimal
    discount: Decimal
    """Per cent."""
    rate: Decimal
    """Of tax, per cent."""
    amount: Decimal


@dataclass(frozen=True, slots=True)
class TaxLine:
    """The tax of one rate."""

    rate: Decimal
    base: Decimal
    tax: Decimal


@dataclass(frozen=True, slots=True)
class Bill:
    """Goods and what they come to: base + tax + rounding = total."""

    items: tuple[Item, ...]
    goods: Decimal
    """Sum of the lines."""
    discount: Decimal
    shipping: Decimal
    service: Decimal
    taxes: tuple[TaxLine, ...]
    inclusive: bool
    """Whether prices have the tax in them."""
    rounding: Decimal
    total: Decimal

    @property
    def tax(self) -> Decimal:
        """Of all rates."""
        return sum((line.tax for line in self.taxes), ZERO)

    @property
    def net(self) -> Decimal:
        """Everything before the tax."""
        return self.total - self.rounding - self.tax

    @property
    def untaxed(self) -> TaxLine:
        """The goods without tax."""
        return TaxLine(ZERO, sum((one.amount for one in self.items if not one.rate), ZERO), ZERO)


class Bills:
    """Makes bills for one page."""

    def __init__(self, rng: Random, place: Place, amounts: Amounts, split: Split) -> None:
        self._rng, self._place, self._amounts, self._split = rng, place, amounts, split

    def bill(self, sorts: tuple[str, ...], most: int, rounds: bool) -> Bill:
        """A bill over goods of one sort of shop; with `rounds`, as in shops, the total may be rounded to five cents."""
        rng = self._rng
        rates = self._rates(rounds)
        known = word_lists("goods")[self._place.language]
        sort = rng.choice([one for one in sorts if one in known])
        count = min(rng.choice((1, 1, 2, 3, 3, 4, 5, 6, 8, 11, 15, 22)), most)
        described = self._goods(sort, count)
        items = tuple(self._item(one, sort, rng.choice(rates)) for one in described)
        # The prices of shops have the tax in them more often than those of invoices.
        inclusive = bool(rates[0]) and rng.random() < (0.6 if rounds else 0.4)
        return self._summed(items, inclusive, rounds)

    def _rates(self, mixed: bool) -> list[Decimal]:
        """What goods are taxed at; with `mixed` some of them may be free of it."""
        chance = self._rng.random()
        if chance < 0.22:
            return [ZERO]
        first = self._place.rate(self._rng)
        if mixed and 0.8 < chance < 0.92:
            return [first, ZERO]
        return [first, self._place.rate(self._rng)] if chance > 0.92 else [first]

    def _goods(self, sort: str, count: int) -> list[str]:
        known = entries("goods", self._place.language, sort, self._split)
        rng = self._rng
        chosen = rng.sample(known, min(count, len(known)))
        size = self._place.language == "en" and rng.random() < 0.4
        return [
            one + (rng.choice(_SIZES) if size else "").replace("#", f"#{rng.randint(2, 99)}")
            for one in chosen
        ]

    def _item(self, description: str, sort: str, rate: Decimal) -> Item:
        rng, amounts = self._rng, self._amounts
        price = self._price(sort)
        quantity = Decimal(rng.choice((1, 1, 1, 1, 2, 2, 3, 4, 5, 6, 10, 12)))
        unit = rng.choice(_UNITS)
        if rng.random() < 0.06:
            quantity, unit = Decimal(rng.randint(200, 3999)) / 1000, "kg"
        off = Decimal(rng.choice((5, 10, 15, 20))) if rng.random() < 0.06 else ZERO
        amount = amounts.cut(quantity * price * (100 - off) / 100)
        return Item(self._code(), description, quantity, unit, price, off, rate, amount)

    def _price(self, sort: str) -> Decimal:
        rng = self._rng
        low, high = {"services": (30, 2500), "products": (8, 900), "office": (2, 250)}.get(
            sort, (1, 45)
        )
        whole = Decimal(round(low * (high / low) ** rng.random()))
        cents = (
            Decimal(rng.choice((0, 0, 5, 9, 10, 20, 25, 30, 40, 50, 60, 75, 80, 90, 95, 99))) / 100
        )
        price = (whole + cents) * _RATE_OF_EXCHANGE.get(self._place.currency, 1)
        return max(self._amounts.cut(price), Decimal(1))

    def _code(self) -> str:
        rng = self._rng
        digits = "".join(rng.choice("0123456789") for _ in range(13))
        return rng.choice(
            (
                digits,
                digits[:8],
                digits[:5],
                f"{rng.choice('ABDKPSTX')}{digits[:4]}",
                f"SKU-{digits[:6]}",
            )
        )

    def _summed(self, items: tuple[Item, ...], inclusive: bool, rounds: bool) -> Bill:
        rng, cut = self._rng, self._amounts.cut
        goods = sum((item.amount for item in items), ZERO)
        # A discount or a charge on the whole bill would have to be shared between rates.
        one_rate = len({item.rate for item in items}) == 1
        discount = (
            cut(goods * rng.choice((5, 10, 15, 20)) / 100)
            if one_rate and rng.random() < 0.15
            else ZERO
        )
        shipping = (
            cut(Decimal(rng.choice((5, 8, 12, 15, 25, 40))))
            if one_rate and not rounds and rng.random() < 0.25
            else ZERO
        )
        service = (
            cut((goods - discount) / 10) if one_rate and rounds and rng.random() < 0.12 else ZERO
        )
        taxes = self._taxes(items, shipping + service - discount, inclusive)
        whole = goods - discount + shipping + service
        whole += ZERO if inclusive else sum((line.tax for line in taxes), ZERO)
        total = self._rounded(whole) if rounds else whole
        return Bill(
            items, goods, discount, shipping, service, taxes, inclusive, total - whole, total
        )

    def _taxes(
        self, items: tuple[Item, ...], extra: Decimal, inclusive: bool
    ) -> tuple[TaxLine, ...]:
        cut = self._amounts.cut
        found: list[TaxLine] = []
        for rate in sorted({item.rate for item in items}):
            whole = sum((item.amount for item in items if item.rate == rate), ZERO) + extra
            tax = cut(whole * rate / (100 + rate)) if inclusive else cut(whole * rate / 100)
            if rate:
                found.append(TaxLine(rate, whole - tax if inclusive else whole, tax))
        return tuple(found)

    def _rounded(self, amount: Decimal) -> Decimal:
        """To five cents, as cash is where there is no smaller coin."""
        if self._place.currency not in ("MYR", "AUD", "CHF", "SGD") or self._rng.random() < 0.3:
            return amount
        return (amount * 20).quantize(Decimal(1)) / 20
