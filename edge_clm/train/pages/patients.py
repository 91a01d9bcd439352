"""Made-up patients and the block of a medical report that tells of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from edge_clm.train.pages.blocks import Block, Frame, boxed, columns, ruled, stack
from edge_clm.train.pages.canvas import Canvas
from edge_clm.train.pages.days import day_of
from edge_clm.train.pages.pairs import Pair, Pairing, pairs
from edge_clm.train.pages.setting import Setting
from edge_clm.train.pages.type import Part, Style
from edge_clm.values.value import Quantity

_SEXES = {"male": ("Male", "M", "MALE"), "female": ("Female", "F", "FEMALE")}


@dataclass(frozen=True, slots=True)
class Patient:
    """Who a report is about, and when."""

    name: str
    number: str
    born: date
    sex: str
    """male or female."""
    seen: date
    physician: str

    @property
    def age(self) -> int:
        """In years, on the day of the report."""
        had = (self.seen.month, self.seen.day) >= (self.born.month, self.born.day)
        return self.seen.year - self.born.year - (not had)


def patient_of(setting: Setting) -> Patient:
    """Anybody of age."""
    rng, names = setting.rng, setting.names
    seen = day_of(rng)
    born = seen - timedelta(days=rng.randint(18 * 366, 92 * 365))
    name = names.person()
    shape = rng.random()
    first, _, last = name.rpartition(" ")
    plain = bool(first) and " " not in first
    if shape < 0.2 and plain:
        name = f"{last}, {first}"
    elif shape < 0.3 and plain:
        name = f"{last.upper()}, {first}"
    elif shape < 0.4:
        name = name.upper()
    elif shape < 0.5:
        name = f"{rng.choice(('Mr.', 'Mrs.', 'Ms.'))} {name}"
    return Patient(
        name, _number(setting), born, rng.choice(("male", "female")), seen, doctor(setting)
    )


def doctor(setting: Setting) -> str:
    """A physician's name with a title in front or behind."""
    name = setting.names.person()
    return setting.rng.choice((f"Dr. {name}", f"{name}, MD", f"Dr {name}", f"{name}, M.D."))


def _number(setting: Setting) -> str:
    rng = setting.rng
    digits = "".join(rng.choice("0123456789") for _ in range(9))
    return rng.choice(
        (digits[:7], digits, f"P{digits[:6]}", f"MR-{digits[:6]}", f"{digits[:3]}-{digits[3:7]}")
    )


def patient_pairs(setting: Setting, patient: Patient) -> list[Pair]:
    """Name, number, birth date, sex and age; some are missing."""
    labels, rng = setting.labels, setting.rng
    found = [Pair(labels.of("patient"), [setting.said("patient", patient.name)])]
    if setting.odds(0.75):
        found.append(Pair(labels.of("patient_id"), [setting.said("patient_id", patient.number)]))
    if setting.odds(0.7):
        found.append(Pair(labels.of("birth_date"), [setting.day("birth_date", patient.born)]))
    sex = setting.said("sex", rng.choice(_SEXES[patient.sex]))
    years = rng.choice(("", "", " Years", "Y", " yrs"))
    # Years are said beside the number and are part of what is printed.
    age = Part(f"{patient.age}{years}", "age", Quantity(Decimal(patient.age)))
    chosen = rng.random()
    if chosen < 0.2:
        found.append(Pair(labels.of("sex_age"), [sex, Part(" / "), age]))
        return found
    if chosen < 0.8:
        found.append(Pair(labels.of("sex"), [sex]))
    if chosen > 0.5:
        found.append(Pair(labels.of("age"), [age]))
    return found


def dated(setting: Setting, concept: str, key: str, day: date) -> Pair:
    """A date with its label, perhaps with a time."""
    value = setting.moment(key, day) if setting.odds(0.4) else [setting.day(key, day)]
    return Pair(setting.labels.of(concept), value)


def patient_block(setting: Setting, items: Sequence[Pair], style: Style) -> Block:
    """The pairs as the layout's `patient` says."""
    how = setting.layout["patient"]
    heavy = setting.odds(0.45)
    half = -(-len(items) // 2)
    if how in ("cells", "row"):
        pairing: Pairing = "cells" if how == "cells" else "above"
        return _in_cells(items, style, pairing, heavy)
    if how == "one":
        return pairs(items, style, "aligned", setting.mark, heavy)
    if how == "inline":
        return _two(items, half, style, ("inline", setting.mark, heavy))
    block = _two(items, half, style, ("aligned", setting.mark, heavy))
    if how == "boxed":
        return boxed(
            block, style.size * 0.7, setting.ink, setting.rng.choice((None, (243, 245, 248)))
        )
    if how == "ruled":
        return stack([ruled(setting.accent, 2), block, ruled(setting.accent, 2)], style.size * 0.3)
    return block


def _two(items: Sequence[Pair], half: int, style: Style, how: tuple[Pairing, str, bool]) -> Block:
    pairing, mark, heavy = how
    left = pairs(items[:half], style, pairing, mark, heavy)
    return columns(
        [(1, left), (1, pairs(items[half:], style, pairing, mark, heavy))], style.size * 2
    )


def _in_cells(items: Sequence[Pair], style: Style, pairing: Pairing, heavy: bool) -> Block:
    """Four to a row, labels over values."""

    def draw(canvas: Canvas, frame: Frame) -> float:
        y = frame.y
        for at in range(0, len(items), 4):
            row = items[at : at + 4]
            block = (
                pairs(row, style, "cells", "", heavy)
                if pairing == "cells"
                else columns(
                    [(1, pairs([one], style, "above", "", heavy)) for one in row], style.size
                )
            )
            y = block(canvas, frame.below(y)) + style.size * 0.3
        return y

    return draw
