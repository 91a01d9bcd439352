"""The sums of a sale: what its labels say, and which total its parts come to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import product

from edge_clm.page.fields.amounts import Amount, amounts_in, labelled
from edge_clm.page.fields.guesses import Guess
from edge_clm.page.fields.labels import Labels
from edge_clm.page.fields.layout import Layout, Span
from edge_clm.page.fields.proofs import (
    MOST,
    PARTS,
    Guesses,
    Sums,
    proven_change,
    proven_subtotal,
    proven_totals,
)
from edge_clm.page.fields.sections import Sections
from edge_clm.values.habits import Habits
from edge_clm.values.value import Money, Value

_CENT, _COIN = Decimal("0.01"), Decimal("0.05")
# How much of the doubt in a total is left when the sums come out.
_PROVEN = 0.2
# What a total is worth that no label names, but the sums.
_UNNAMED = 0.55
_LAST_RESORT = 0.25
# Sums that are hardly ever round, and so show a lost decimal point.
_POINTED = ("subtotal", "tax", "total")
_ENOUGH, _FAR_ABOVE = 3, 5


def sums_of(
    layout: Layout, labels: Labels, sections: Sections, goods: frozenset[int], habits: Habits
) -> Sums:
    """Guesses at the sums of a page; those at the total weighed by what the parts come to.

    `goods` are the rows of the page in which goods stand: words there label no sums.
    """
    aside = sections.aside | goods
    parts = {p: list(labelled(layout, labels, p, habits, aside)) for p in PARTS}
    parts["total"] = _placed(parts["total"], layout)
    every = [
        amount
        for cell in layout.cells
        if cell.row not in sections.summary
        for amount in amounts_in(cell.whole, habits)
        if amount.worth == 1
    ]
    for part in _POINTED:
        parts[part] = [each for guess in parts[part] for each in _with_point(guess, every)]
    sums = Sums(_come_out(parts))
    proofs = list(proven_totals(sums))
    parts["total"] = _weighed(parts["total"], proofs, every)
    _after_rounding(sums)
    if not parts["total"]:
        parts["total"] = list(_last_resort(layout, sums, every))
    if not parts["subtotal"]:
        parts["subtotal"] = list(proven_subtotal(sums, every, aside))
    if not parts["change"]:
        parts["change"] = list(proven_change(sums, every, aside))
    return sums


def _with_point(guess: Guess, every: list[Amount]) -> Iterator[Guess]:
    """The amount as printed, and where OCR may have lost its decimal point with one, as strong.

    So is "$524" among amounts of a few dollars. Round amounts may well be printed without cents.
    """
    yield guess
    digits = re.sub(r"[^\d]", "", guess.raw)
    with_cents = [a.money.amount for a in every if a.money.amount.as_tuple().exponent == -2]
    if not isinstance(guess.value, Money) or len(with_cents) < _ENOUGH:
        return
    whole = re.fullmatch(r"[^\d.,]*\d{3,}[^\d.,]*", guess.raw) and not digits.endswith("00")
    if whole and guess.value.amount > _FAR_ABOVE * max(with_cents):
        pointed = Money(guess.value.amount.scaleb(-2), guess.value.currency)
        yield Guess(guess.spans, pointed, guess.strength)


def _come_out(parts: Guesses) -> Guesses:
    """The parts without those of two readings of one place that no sum bears out, if one is borne out."""
    twice = {name: _twice(parts[name]) for name in _POINTED}
    if not any(twice.values()):
        return parts
    proven = [
        readings
        for readings in product(
            *(_readings(parts[n]) if twice[n] else [parts[n]] for n in _POINTED)
        )
        if _proves(Sums({**parts, **dict(zip(_POINTED, readings, strict=True))}))
    ]
    borne_out = {
        name: [g for readings in proven for g in readings[at]] for at, name in enumerate(_POINTED)
    }
    kept = {
        name: [g for g in parts[name] if g.spans not in twice[name] or g in borne_out[name]]
        for name in _POINTED
    }
    return {**parts, **kept} if proven else parts


def _readings(guesses: list[Guess]) -> list[list[Guess]]:
    """Each of the likeliest values by itself, with all its places."""
    ranked = sorted(guesses, key=lambda it: -it.strength)
    values = list(dict.fromkeys(guess.value for guess in ranked))[:MOST]
    return [[guess for guess in ranked if guess.value == value] for value in values]


def _proves(sums: Sums) -> bool:
    """Whether the likeliest total is what the other parts come to."""
    total = sums.best("total")
    return any(total is not None and abs(total - it) < _CENT for it in proven_totals(sums))


def _twice(guesses: list[Guess]) -> set[tuple[Span, ...]]:
    """The places that are read in two ways."""
    values: dict[tuple[Span, ...], set[Value | None]] = {}
    for guess in guesses:
        values.setdefault(guess.spans, set()).add(guess.value)
    return {spans for spans, found in values.items() if len(found) > 1}


def _placed(guesses: Iterable[Guess], layout: Layout) -> list[Guess]:
    """The last of several totals is likelier what is to be paid; a total in larger print, too."""
    heights = sorted(cell.height for cell in layout.cells)
    usual = heights[len(heights) // 2] if heights else 1.0
    placed = []
    for guess in guesses:
        cell = guess.spans[0].cell
        low = cell.row / max(len(layout.rows), 1)
        large = min(cell.height / usual, 1.5) - 1
        placed.append(guess.scaled(0.88 + 0.1 * low + 0.1 * max(large, 0)))
    return placed


def _weighed(totals: list[Guess], proofs: list[Decimal], every: list[Amount]) -> list[Guess]:
    weighed = [
        Guess(guess.spans, guess.value, 1 - (1 - guess.strength) * _PROVEN)
        if _among(guess, proofs)
        else guess
        for guess in totals
    ]
    named = {guess.value.amount for guess in totals if isinstance(guess.value, Money)}
    for proof in proofs:
        if proof > 0 and proof not in named:
            found = [amount for amount in every if amount.money.amount == proof]
            weighed += [Guess((amount.span,), amount.money, _UNNAMED) for amount in found[-1:]]
    return weighed


def _after_rounding(sums: Sums) -> None:
    """Of two totals that differ by what cash is rounded by, the one that coins can pay is paid."""
    totals = sums.parts["total"]
    amounts = {guess.value.amount for guess in totals if isinstance(guess.value, Money)}
    named = abs(sums.best("rounding") or Decimal(0))
    for before, after in product(amounts, repeat=2):
        apart = abs(after - before)
        by_coins = after % _COIN == 0 and before % _COIN != 0 and apart < _COIN
        if apart and (by_coins or (apart == named and after % _COIN == 0 != before % _COIN)):
            sums.parts["total"] = [_shifted(g, before, after) for g in totals]
            return


def _shifted(guess: Guess, before: Decimal, after: Decimal) -> Guess:
    amount = guess.value.amount if isinstance(guess.value, Money) else None
    if amount == before:
        return guess.scaled(0.5)
    return (
        Guess(guess.spans, guess.value, 1 - (1 - guess.strength) * 0.5)
        if amount == after
        else guess
    )


def _last_resort(layout: Layout, sums: Sums, every: list[Amount]) -> Iterator[Guess]:
    """No label names a total: what was paid, or else the largest amount."""
    if sums.best("change") is None:
        yield from (guess.scaled(0.7) for guess in sums.parts["paid"])
    if every:
        largest = max(every, key=lambda amount: (amount.money.amount, amount.span.cell.row))
        yield Guess((largest.span,), largest.money, _LAST_RESORT)


def _among(guess: Guess, proofs: list[Decimal]) -> bool:
    if not isinstance(guess.value, Money):
        return False
    amount = guess.value.amount
    return any(abs(amount - proof) < _CENT for proof in proofs)
