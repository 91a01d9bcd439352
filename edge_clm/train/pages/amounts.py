"""How a page writes its amounts and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from random import Random

from edge_clm.train.pages.places import Place
from edge_clm.values.value import Money


@dataclass(frozen=True, slots=True)
class Amounts:
    """One page's way of writing money."""

    currency: str
    before: str
    after: str
    decimal: str
    thousands: str
    cents: int
    minus: str
    """`-`, `()` or `behind`."""

    def bare(self, amount: Decimal) -> str:
        """Digits and separators alone."""
        digits = f"{abs(amount):.{self.cents}f}"
        whole, _, cents = digits.partition(".")
        text = self._grouped(whole) + (self.decimal + cents if cents else "")
        if amount >= 0:
            return text
        return {"-": f"-{text}", "()": f"({text})", "behind": f"{text}-"}[self.minus]

    def signed(self, amount: Decimal) -> str:
        """With the currency."""
        bare = self.bare(abs(amount))
        text = f"{self.before}{bare}{self.after}"
        if amount >= 0:
            return text
        return f"({text})" if self.minus == "()" else f"-{text}"

    def money(self, amount: Decimal) -> Money:
        """The typed value of what is printed."""
        return Money(amount.quantize(Decimal(1).scaleb(-self.cents)), self.currency)

    def number(self, value: Decimal) -> str:
        """A plain number, without ends of zeros beyond what it has."""
        return f"{value:f}".replace(".", self.decimal)

    def cut(self, amount: Decimal) -> Decimal:
        """Rounded to what can be paid."""
        return amount.quantize(Decimal(1).scaleb(-self.cents), ROUND_HALF_UP)

    def _grouped(self, whole: str) -> str:
        if not self.thousands or len(whole) < 4:
            return whole
        head, tail = whole[: len(whole) % 3], whole[len(whole) % 3 :]
        groups = [head] * bool(head) + [tail[at : at + 3] for at in range(0, len(tail), 3)]
        return self.thousands.join(groups)


def amounts_of(rng: Random, place: Place) -> Amounts:
    """A way of writing money that is usual in a country."""
    sign = rng.choice(place.signs)
    style = rng.random()
    before, after = ("", sign) if sign.startswith(" ") else (sign, "")
    if style < 0.2:
        before, after = (
            (f"{place.currency} ", "") if place.decimal == "." else ("", f" {place.currency}")
        )
    elif style < 0.28 and place.decimal == ".":
        before, after = "", f" {place.currency}"
    return Amounts(
        place.currency,
        before,
        after,
        place.decimal,
        rng.choice((*place.thousands, *place.thousands, "")),
        place.cents,
        # Without cents a sign behind a number is more often a dash.
        rng.choice(("-", "-", "-", "()", "behind" if place.cents else "-")),
    )
