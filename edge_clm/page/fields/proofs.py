"""The parts of a sale as they are guessed at, and what one of them must be if the others are right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import product

from edge_clm.page.fields.amounts import Amount
from edge_clm.page.fields.guesses import Guess
from edge_clm.values.value import Money

PARTS = (
    "subtotal",
    "discount",
    "tax",
    "shipping",
    "service",
    "rounding",
    "paid",
    "change",
    "total",
)
Guesses = dict[str, list[Guess]]
# What a subtotal or a change is worth that no label names, but the sums.
_PROVEN_ALONE = 0.7
# So many different amounts of each part are tried against each other.
MOST = 6
# Readings of a part so near to its likeliest one could be meant as well.
_CLOSE = 0.93


@dataclass(frozen=True, slots=True)
class Sums:
    """Guesses at each part."""

    parts: Guesses
    """One list for each name in PARTS."""

    def best(self, part: str) -> Decimal | None:
        """The likeliest amount of a part."""
        guess = max(self.parts[part], key=lambda it: it.strength, default=None)
        return guess.value.amount if guess and isinstance(guess.value, Money) else None

    def likely(self, part: str) -> list[Decimal | None]:
        """The likeliest amounts of a part, those about as likely as the best of them; None for none."""
        guesses = self.parts[part]
        least = _CLOSE * max((guess.strength for guess in guesses), default=0.0)
        near = [g.value for g in guesses if g.strength >= least]
        amounts = dict.fromkeys(value.amount for value in near if isinstance(value, Money))
        return list[Decimal | None](amounts)[:MOST] or [None]


def proven_totals(sums: Sums) -> Iterator[Decimal]:
    """What the total must be if the other parts were read right.

    Where two readings of a part are about as likely, as with two invoices on a page, each of them counts.
    """
    paid, change = sums.best("paid"), sums.best("change")
    if paid is not None and change is not None and abs(paid) >= abs(change):
        # Some slips print cash as what is taken off.
        yield abs(paid) - abs(change)
    if change:
        totals = [g.value.amount for g in sums.parts["total"] if isinstance(g.value, Money)]
        yield from (total - change for total in totals if total - change in totals)
    if tax := sums.best("tax"):
        # "Net total" may stand for either; with the tax between it and the largest, there is no doubt.
        totals = [g.value.amount for g in sums.parts["total"] if isinstance(g.value, Money)]
        if totals and max(totals) - tax in totals:
            yield max(totals)
    for subtotal, tax in product(sums.likely("subtotal"), sums.likely("tax")):
        if subtotal is not None:
            added = [tax, sums.best("shipping"), sums.best("service"), sums.best("rounding")]
            whole = subtotal + sum((part for part in added if part is not None), Decimal(0))
            discount = abs(sums.best("discount") or Decimal(0))
            yield whole
            if discount:
                yield whole - discount


def proven_subtotal(sums: Sums, every: list[Amount], aside: frozenset[int]) -> Iterator[Guess]:
    """What no label names and the sums do: the amount to which tax and the like add up to the total."""
    total, tax = sums.best("total"), sums.best("tax")
    if total is None or not tax:
        return
    added = [tax, *(sums.best(part) or Decimal(0) for part in ("shipping", "service", "rounding"))]
    bare = total - sum(added, Decimal(0))
    discount = abs(sums.best("discount") or Decimal(0))
    for amount in reversed(every):
        if amount.span.cell.row not in aside and amount.money.amount in (bare, bare + discount):
            yield Guess((amount.span,), amount.money, _PROVEN_ALONE)
            return


def proven_change(sums: Sums, every: list[Amount], aside: frozenset[int]) -> Iterator[Guess]:
    """What is left of the cash after the total: slips call it a balance, too."""
    total, paid = sums.best("total"), sums.best("paid")
    if total is None or paid is None or paid <= total:
        return
    for amount in reversed(every):
        if amount.span.cell.row not in aside and amount.money.amount == paid - total:
            yield Guess((amount.span,), amount.money, _PROVEN_ALONE)
            return
