"""Questions about a page's fields, rows and sizes, each with its answer as it can be read there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from edge_clm.model.prompt import NOT_ON_PAGE
from edge_clm.paper import PageKind
from edge_clm.train.nano.shown import Sheet
from edge_clm.train.nano.summary import summary
from edge_clm.train.nano.wording import question
from edge_clm.train.pages.draw import some
from edge_clm.train.pages.lexicon import word_lists
from edge_clm.train.pages.make import FIELDS
from edge_clm.train.pages.page import GeneratedTable, Split, Truth
from edge_clm.values.quantity import read_range
from edge_clm.values.value import Quantity

ABSENT = 1 / 6
"""Share of questions about what is not on the page."""
_OFTEN: Mapping[PageKind, Mapping[str, int]] = {
    PageKind.INVOICE: {
        **{"number": 2, "date": 1, "total": 2, "subtotal": 1, "seller": 2, "due_date": 1},
        **{"buyer": 1, "describe": 1},
    },
    PageKind.RECEIPT: {
        **{"date": 2, "total": 3, "seller": 2, "number": 1, "seller_address": 1, "describe": 1},
    },
    PageKind.LAB_REPORT: {
        **{"analyte": 4, "side": 2, "outside": 1, "patient": 1, "collected": 1, "describe": 1},
    },
    PageKind.RADIOLOGY_REPORT: {
        **{"impression": 2, "size": 2, "patient": 1, "exam_date": 1, "describe": 1},
    },
}
"""What people ask for most, and how often: it is asked of every page, each time in words of its own."""
_UNSURE = frozenset({"tax", "balance", "paid", "number", "accession", "comparison", "age", "sex"})
"""Never asked for where the truth has none: something of the sort may be printed under another name."""
_SELDOM = ("unit", "range", "flag", "site")
"""What of a row is asked less often than its value."""
_SELDOM_ASKED = 0.4
_SIDES = {-1: "Low", 0: "Normal", 1: "High"}
_TABLES = {"lines": "description", "analytes": "analyte", "measurements": "what"}
"""What names the rows of a table."""
_THINGS = ("nodule", "mass", "cyst", "fracture", "lymph node", "effusion", "aneurysm", "opacity")
"""What may be measured on an image."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A question with its answer."""

    concept: str
    question: str
    answer: str
    present: bool
    """False where what is asked for is not on the page."""
    rows: tuple[str, ...] = ()
    """Of the page, shown once more beside the question."""


def turns(sheet: Sheet, rng: Random, split: Split, most: int) -> list[Turn]:
    """At most `most` turns about a sheet: what is asked most, some of the rest, some that is not there.

    The answers quote what the sheet's lines show; what they do not show is not asked.
    """
    present = list(dict.fromkeys(turn for turn in _present(sheet, rng, split) if turn))
    first = list(_first(present, _OFTEN[sheet.page.kind], rng))
    rest = [turn for turn in present if turn not in first]
    absent = list(_absent(sheet, rng, split))
    # Rounded by chance, so that the share holds for any `most`.
    missing = max(1, int(most * ABSENT + rng.random()))
    room = max(0, most - min(missing, len(absent)) - len(first))
    chosen = [*first[:most], *some(rng, rest, room, room), *some(rng, absent, missing, missing)]
    rng.shuffle(chosen)
    return chosen[:most]


def _first(present: Sequence[Turn], often: Mapping[str, int], rng: Random) -> Iterator[Turn]:
    for concept, count in often.items():
        yield from some(rng, [one for one in present if one.concept == concept], count, count)


def _present(sheet: Sheet, rng: Random, split: Split) -> Iterator[Turn | None]:
    page = sheet.page

    def turn(concept: str, answer: str | None, name: str = "") -> Turn | None:
        if not answer:
            return None
        return Turn(concept, question(rng, concept, page.kind, split, name), answer, True)

    shown = {name: sheet.shown(truth) for name, truth in page.fields.items()}
    for concept, answer in shown.items():
        for _ in range(_OFTEN[page.kind].get(concept, 1)):
            yield turn(concept, answer)
    for table in page.tables:
        for row in _named_once(table):
            name = _spoken(rng, row[_TABLES[table.name]].text, page.kind)
            for concept, answer in _row_answers(sheet, row, table.name):
                if concept not in _SELDOM or rng.random() < _SELDOM_ASKED:
                    yield turn(concept, answer, name)
    yield turn("describe", summary(sheet, shown))


def _row_answers(
    sheet: Sheet, row: Mapping[str, Truth], table: str
) -> Iterator[tuple[str, str | None]]:
    if table == "lines":
        for concept in ("quantity", "unit_price", "amount"):
            if concept in row:
                yield concept, sheet.shown(row[concept])
    elif table == "measurements":
        yield "size", sheet.shown(row["value"])
        yield "site", sheet.shown(row["where"])
    else:
        yield from _analyte_answers(sheet, row)


def _analyte_answers(sheet: Sheet, row: Mapping[str, Truth]) -> Iterator[tuple[str, str | None]]:
    value, unit, usual, flag = (
        sheet.shown(row[name]) if name in row else None
        for name in ("value", "unit", "range", "flag")
    )
    yield "analyte", f"{value} {unit}" if value and unit else value
    yield "unit", unit
    yield "range", usual
    yield "flag", flag
    side = _side(row, sheet.page.decimal)
    if side is not None and value == row["value"].text and usual == row["range"].text:
        yield "side", f"{_SIDES[side]}."
        yield "outside", f"Yes, {_SIDES[side].lower()}." if side else "No."


def _side(row: Mapping[str, Truth], decimal: str) -> int | None:
    """-1 below the printed range, 0 within, 1 above; None where there is no telling."""
    value = row["value"].value
    usual = read_range(row["range"].text, decimal) if "range" in row else None
    if not isinstance(value, Quantity) or usual is None:
        return None
    if usual.holds(value.number):
        return 0
    return -1 if usual.low is not None and value.number <= usual.low else 1


def _absent(sheet: Sheet, rng: Random, split: Split) -> Iterator[Turn]:
    page = sheet.page

    def turn(concept: str, name: str = "") -> Turn:
        asked = question(rng, concept, page.kind, split, name)
        return Turn(concept, asked, NOT_ON_PAGE, False)

    others = [field for kind, fields in FIELDS.items() if kind is not page.kind for field in fields]
    own = [field for field in FIELDS[page.kind] if field not in page.fields]
    lacking = [field for field in own if field not in _UNSURE and not _tabled(sheet, field)]
    foreign = [field for field in set(others) - set(FIELDS[page.kind]) if field not in _UNSURE]
    yield from (turn(field) for field in lacking)
    yield from (turn(field) for field in some(rng, sorted(foreign), 2, 2))
    yield from (turn(concept, name) for concept, name in _absent_rows(sheet, rng))


def _tabled(sheet: Sheet, field: str) -> bool:
    """Whether a table tells what no field does: the taxes of several rates."""
    return any(table.name.startswith(field[:3]) for table in sheet.page.tables)


def _absent_rows(sheet: Sheet, rng: Random) -> Iterator[tuple[str, str]]:
    """Rows that such a page might have, and this one has not."""
    printed = " ".join(word.text for word in sheet.page.words).casefold()
    if sheet.page.kind is PageKind.LAB_REPORT:
        known = [str(row[0]) for panel in word_lists("analytes").values() for row in panel["rows"]]
        for name in some(rng, [name for name in known if name.casefold() not in printed], 2, 2):
            yield rng.choice(("analyte", "analyte", "side", "range")), name
    elif sheet.page.kind is PageKind.RADIOLOGY_REPORT:
        # One, lest most questions for a size be about none.
        for name in some(rng, [name for name in _THINGS if name not in printed], 1, 1):
            yield "size", name
    else:
        shops = word_lists("goods").get(sheet.page.language, {})
        goods = [str(name) for shop in shops.values() for name in shop]
        for name in some(rng, [name for name in goods if name.casefold() not in printed], 2, 2):
            yield rng.choice(("quantity", "unit_price", "amount")), name


def _named_once(table: GeneratedTable) -> list[Mapping[str, Truth]]:
    """The rows whose name stands for no other row as well."""
    by = _TABLES.get(table.name)
    names = [row[by].text.casefold() if by and by in row else "" for row in table.rows]
    return [
        row
        for name, row in zip(names, table.rows, strict=True)
        if name and sum(name in other for other in names) == 1
    ]


def _spoken(rng: Random, name: str, kind: PageKind) -> str:
    """A printed name as people say it."""
    if kind is PageKind.LAB_REPORT:
        return name.lower() if name.istitle() and rng.random() < 0.5 else name
    return name.lower() if rng.random() < 0.4 else name
