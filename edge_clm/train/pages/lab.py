"""Laboratory reports: a patient, the times, and tables of analytes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from edge_clm.train.pages.analytes import panels
from edge_clm.train.pages.blocks import Block, Frame, apart, columns, lines, one_line, stack
from edge_clm.train.pages.canvas import Canvas
from edge_clm.train.pages.logo import banner, logo
from edge_clm.train.pages.pairs import Pair, pairs
from edge_clm.train.pages.patients import (
    Patient,
    dated,
    doctor,
    patient_block,
    patient_of,
    patient_pairs,
)
from edge_clm.train.pages.results import LabPage, results
from edge_clm.train.pages.setting import Grammar, Setting
from edge_clm.train.pages.type import Align, Style

LAB: Grammar = {
    "head": ("centre", "left", "logo", "band", "split", "title_first"),
    "patient": ("boxed", "two", "cells", "ruled", "one", "inline", "row"),
    "columns": (
        "usual",
        "unit_last",
        "flag_first",
        "flag_glued",
        "range_unit",
        "unit_glued",
        "out",
    ),
    "lattice": ("bare", "header", "rows", "grid", "zebra", "box"),
    "section": ("row", "heading", "tables", "none", "capitals"),
    "flags": ("letters", "words", "signs", "arrows", "star", "none", "letters", "short"),
    "foot": ("notes", "signed", "none", "both"),
}
_USUAL = {"letters": "N", "words": "Normal"}


def draw_lab(setting: Setting, canvas: Canvas) -> None:
    """Draws one laboratory report."""
    rng = setting.rng
    style = setting.style(canvas.width / rng.uniform(46, 60))
    patient = patient_of(setting)
    page = LabPage(
        style,
        panels(rng, setting.split, rng.randint(5, 26)),
        rng.choice((" - ", "-", " – ", " to ", "–")),
        rng.choice(("<", "< ", "<", "≤ ", "Up to ")),
        _USUAL.get(setting.layout["flags"], "") if setting.odds(0.2) else "",
        rng.randrange(2),
        rng.choice((0, 0, 0, 0, 2, 4)),
    )
    margin = canvas.width * rng.uniform(0.045, 0.09)
    frame = Frame(margin, canvas.width * rng.uniform(0.03, 0.08), canvas.width - 2 * margin)
    blocks = [
        _head(setting, page),
        _patient(setting, page, patient),
        results(setting, page),
        *_foot(setting, page),
    ]
    stack(blocks, style.size * rng.uniform(0.9, 2.0))(canvas, frame)


def house(setting: Setting, style: Style, key: str, sort: str, align: Align) -> Block:
    """Who issues the report, with its address."""
    rng = setting.rng
    name = one_line(
        [setting.said(key, setting.names.house(sort))],
        setting.title(style.size * rng.uniform(1.2, 1.8)),
        align,
    )
    rows: list[str] = (
        [", ".join(one.rstrip(",") for one in setting.names.address())] if setting.odds(0.8) else []
    )
    if setting.odds(0.6):
        rows.append(f"{setting.labels.of('tel')}{setting.mark}{setting.names.phone()}")
    return stack([name, lines(rows, style.but(0.9), align)], style.size * 0.2)


def head_of(setting: Setting, style: Style, word: str, named: Callable[[Align], Block]) -> Block:
    """The letterhead and the title of a medical report, as the layout's `head` says."""
    big = setting.title(style.size * setting.rng.uniform(1.3, 1.9))
    how = setting.layout["head"]
    title = one_line(word, big, "centre" if how == "centre" else "left")
    picture = logo(setting, style.size * 4)
    arranged: dict[str, Callable[[], Block]] = {
        "centre": lambda: stack([named("centre"), title], style.size),
        "left": lambda: stack([named("left"), title], style.size * 0.8),
        "logo": lambda: stack(
            [columns([(1, picture), (6, named("left"))], style.size), title], style.size * 0.5
        ),
        "band": lambda: stack([named("left"), banner(setting, word, big.size)], style.size * 0.6),
        "split": lambda: columns(
            [(1, named("left")), (1, one_line(word, big, "right"))], style.size * 2
        ),
        "title_first": lambda: stack([title, named("left")], style.size * 0.6),
    }
    return arranged[how]()


def _head(setting: Setting, page: LabPage) -> Block:
    word = setting.labels.of("title_lab")
    return head_of(
        setting,
        page.style,
        word,
        lambda align: house(setting, page.style, "laboratory", "labs", align),
    )


def _patient(setting: Setting, page: LabPage, patient: Patient) -> Block:
    labels, rng = setting.labels, setting.rng
    items = patient_pairs(setting, patient)
    if setting.odds(0.6):
        items.append(Pair(labels.of("accession"), [setting.said("accession", setting.code())]))
    if setting.odds(0.6):
        items.append(
            Pair(labels.of("physician"), [setting.said("ordering_physician", patient.physician)])
        )
    taken = patient.seen
    got = taken + timedelta(days=rng.choice((0, 0, 1)))
    for concept, day, share in (
        ("collected", taken, 0.75),
        ("received", got, 0.4),
        ("reported", got + timedelta(days=rng.choice((0, 1, 2))), 0.55),
    ):
        if setting.odds(share):
            items.append(dated(setting, concept, concept, day))
    if setting.odds(0.25):
        items.append(
            Pair(
                labels.of("specimen"),
                rng.choice(("Serum", "Whole Blood", "Plasma", "Blood, Venous")),
            )
        )
    return patient_block(setting, items, page.style)


def _foot(setting: Setting, page: LabPage) -> list[Block]:
    how, small = setting.layout["foot"], page.style.but(0.9)
    notes = list(dict.fromkeys(setting.phrase("lab") for _ in range(setting.rng.randint(1, 3))))
    signed = [Pair(setting.labels.of("verified"), doctor(setting))]
    blocks: list[Block] = []
    if how in ("notes", "both"):
        blocks.append(apart(lines(notes, small), small.size * 0.5))
    if how in ("signed", "both"):
        blocks.append(apart(pairs(signed, small, "inline", setting.mark, heavy=False), small.size))
    return blocks
