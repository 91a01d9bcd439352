"""Radiology reports: real texts of findings on made-up pages of made-up patients."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from random import Random

from edge_clm.train.pages.blocks import Block, Frame, apart, boxed, columns, lines, ruled, stack
from edge_clm.train.pages.canvas import Canvas
from edge_clm.train.pages.lab import head_of, house
from edge_clm.train.pages.pairs import Pair
from edge_clm.train.pages.patients import (
    Patient,
    dated,
    doctor,
    patient_block,
    patient_of,
    patient_pairs,
)
from edge_clm.train.pages.reports import Report, reports_in
from edge_clm.train.pages.setting import Grammar, Setting
from edge_clm.train.pages.type import Part, Style
from edge_clm.values.value import Quantity, Text, Value

RADIOLOGY: Grammar = {
    "head": ("centre", "left", "logo", "band", "split", "title_first"),
    "patient": ("boxed", "two", "cells", "ruled", "one", "inline", "row"),
    "sections": ("above", "inline", "colon", "boxed", "beside", "underlined"),
    "exam": ("pair", "title", "section"),
    "order": ("usual", "impression_first", "usual"),
    "signed": ("below", "pair", "line", "none"),
    "foot": ("notes", "none"),
}
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9])")
_AGED = re.compile(r"X{3,}-year-old")
_GONE = re.compile(r"X{3,}")
_EXAMS = (
    "XR CHEST 2 VIEWS",
    "Chest X-Ray PA and Lateral",
    "CHEST RADIOGRAPH, 2 VIEWS",
    "X-ray Chest, frontal and lateral",
    "XRAY CHEST PA AND LATERAL",
    "Radiograph of the chest, two views",
)
_TECHNIQUES = (
    "PA and lateral views of the chest were obtained.",
    "Frontal and lateral radiographs of the chest.",
    "Two views of the chest.",
)
_COMPARISONS = (
    "None.",
    "None available.",
    "No prior studies.",
    "Chest radiograph dated {}.",
    "{}",
    "Prior study from {}.",
)
_THINGS = (
    *("nodule", "calcified nodule", "granuloma", "opacity", "mass", "rounded density", "cyst"),
    *("lesion", "lymph node", "cavity", "bulla", "nodular density", "calcification", "scar"),
)
_SITES = (
    *("right upper lobe", "left lower lobe", "right middle lobe", "lingula", "left upper lobe"),
    *("right lower lobe", "left lung base", "right apex", "left hilum", "right lung base"),
    *("right hilum", "left apex", "left costophrenic angle", "superior mediastinum"),
)
_TOLD = (
    "There is a {size} {what} in the {where}.",
    "A {size} {what} is seen in the {where}.",
    "{size} {what} in the {where}, unchanged.",
    "Stable {what} in the {where} measuring {size}.",
    "Again noted is a {what} in the {where}, which measures {size}.",
    "The {what} in the {where} measures approximately {size}.",
    "There is a {what} measuring {size} in the {where}.",
    "Small {what} measuring up to {size} is present in the {where}.",
    "Within the {where} there is a {what}, {size} in greatest dimension.",
    "In the {where}, a {what} of about {size} is identified.",
    "The {what} in the {where} measures {size}, previously {past}.",
    "The {what} in the {where}, {past} on the prior study, now measures {size}.",
    "Interval growth of the {what} in the {where} from {past} to {size}.",
    "A {what} is noted in the {where}. It measures {size}.",
)
"""What the size was before is no field: it is there to be told apart."""
_SINGLE, _TIMES = ("{} {}", "{} {}", "{}{}"), (" x ", " x ", " X ", " × ", "x", " by ")


@dataclass(frozen=True, slots=True)
class _Section:
    concept: str
    text: list[Part]


def draw_radiology(setting: Setting, canvas: Canvas, reports: Path | None) -> None:
    """Draws one radiology report from a text of the page's split."""
    rng = setting.rng
    report = rng.choice(reports_in(reports, setting.split))
    style = setting.style(canvas.width / rng.uniform(46, 60))
    patient = patient_of(setting)
    margin = canvas.width * rng.uniform(0.05, 0.1)
    frame = Frame(margin, canvas.width * rng.uniform(0.03, 0.09), canvas.width - 2 * margin)
    exam = setting.said("exam", rng.choice(_EXAMS))
    word = setting.labels.of("title_radiology")
    head = head_of(
        setting, style, word, lambda align: house(setting, style, "hospital", "hospitals", align)
    )
    sections = [_drawn(setting, one, style) for one in _sections(setting, report, patient, exam)]
    title = (
        [lines([[exam]], style.but(1.25, bold=True))] if setting.layout["exam"] == "title" else []
    )
    gap = style.size * rng.uniform(0.9, 1.8)
    top = stack([head, _patient(setting, patient, style, exam)], gap)
    stack([top, *title, *sections, *_end(setting, patient, style)], gap)(canvas, frame)


def _patient(setting: Setting, patient: Patient, style: Style, exam: Part) -> Block:
    labels = setting.labels
    items = patient_pairs(setting, patient)
    if setting.odds(0.55):
        items.append(Pair(labels.of("accession"), [setting.said("accession", setting.code())]))
    if setting.odds(0.6):
        items.append(
            Pair(labels.of("physician"), [setting.said("ordering_physician", patient.physician)])
        )
    if setting.odds(0.92):
        items.append(dated(setting, "exam_date", "exam_date", patient.seen))
    if setting.odds(0.3):
        items.append(dated(setting, "reported", "reported", patient.seen))
    if setting.layout["exam"] == "pair":
        items.insert(setting.rng.randint(1, len(items)), Pair(labels.of("exam"), [exam]))
    return patient_block(setting, items, style)


def _sections(setting: Setting, report: Report, patient: Patient, exam: Part) -> list[_Section]:
    rng = setting.rng
    found = [_Section("exam", [exam])] if setting.layout["exam"] == "section" else []
    indication = _filled(report.indication, patient)
    if indication and setting.odds(0.85):
        found.append(_passage("indication", [Part(indication)]))
    if setting.odds(0.45):
        before = setting.form(
            patient.born.replace(year=max(patient.seen.year - 1, patient.born.year), day=1)
        )
        found.append(_passage("comparison", [Part(rng.choice(_COMPARISONS).format(before))]))
    if setting.odds(0.35):
        found.append(_passage("technique", [Part(rng.choice(_TECHNIQUES))]))
    findings = _measured(setting, _SENTENCE.split(_filled(report.findings, patient)))
    told = [
        _passage("findings", findings),
        _passage("impression", [Part(_filled(report.impression, patient))]),
    ]
    told = [one for one in told if any(part.text.strip() for part in one.text)]
    if setting.layout["order"] == "impression_first":
        told.reverse()
    return [*found, *told]


def _passage(concept: str, parts: list[Part]) -> _Section:
    """Parts made one passage, which the field says as a whole."""
    whole = Text(" ".join("".join(part.text for part in parts).split()))
    return _Section(concept, [Part(one.text, one.key, one.value, concept, whole) for one in parts])


def _filled(text: str, patient: Patient) -> str:
    """The text without what was removed from it: ages are made up, sentences with other gaps go."""
    aged = _AGED.sub(f"{patient.age}-year-old", text)
    kept = [one for one in _SENTENCE.split(aged) if not _GONE.search(one)]
    return " ".join(kept) if kept else _GONE.sub("", aged).strip(" ,.;/") + "."


def _measured(setting: Setting, sentences: Sequence[str]) -> list[Part]:
    """The sentences with up to three among them that tell sizes, each of another thing."""
    rng = setting.rng
    things = rng.sample(_THINGS, rng.choice((0, 1, 1, 2, 2, 3)))
    told = [_size(setting, at, thing) for at, thing in enumerate(things)]
    places = sorted(rng.choice((len(sentences), rng.randint(0, len(sentences)))) for _ in told)
    parts: list[Part] = []
    for at in range(len(sentences) + 1):
        parts += [
            one for place, size in zip(places, told, strict=True) if place == at for one in size
        ]
        parts += [Part(f"{sentences[at]} ")] if at < len(sentences) else []
    return parts


def _size(setting: Setting, at: int, thing: str) -> list[Part]:
    rng = setting.rng
    unit = rng.choice(("mm", "mm", "cm"))
    size, said = _extent(rng, unit)
    worth = {
        "size": Part(size, f"measurements.{at}.value", said),
        "what": setting.said(f"measurements.{at}.what", thing),
        "where": setting.said(f"measurements.{at}.where", rng.choice(_SITES)),
        "past": Part(_extent(rng, unit)[0]),
    }
    pieces = re.split(r"\{(\w+)\}", rng.choice(_TOLD))
    told = [
        worth[piece] if number % 2 else Part(piece) for number, piece in enumerate(pieces) if piece
    ]
    return [*told, Part(" ")]


def _extent(rng: Random, unit: str) -> tuple[str, Value]:
    """A length, or two or three of them, as printed and as a value."""
    places = 1 if unit == "cm" else 0
    sides = [
        Decimal(rng.randint(3, 48)).scaleb(-places) for _ in range(rng.choice((1, 1, 1, 2, 2, 3)))
    ]
    if len(sides) == 1:
        return rng.choice(_SINGLE).format(sides[0], unit), Quantity(sides[0], unit)
    each = rng.random() < 0.2
    size = rng.choice(_TIMES).join(f"{side} {unit}" if each else f"{side}" for side in sides)
    size = size if each else f"{size} {unit}"
    return size, Text(size)


def _drawn(setting: Setting, section: _Section, style: Style) -> Block:
    how = setting.layout["sections"]
    label = setting.labels.of(section.concept)
    bold = style.but(bold=setting.odds(0.8))
    body = lines([section.text], style)
    if how in ("inline", "colon"):
        said = label.upper() if how == "colon" else label
        return lines([[Part(f"{said}: "), *section.text]], style)
    if how == "beside":
        return columns([(1, lines([f"{label}:"], bold)), (4, body)], style.size)
    heading = lines([label + setting.rng.choice((":", ""))], bold)
    if how == "underlined":
        return stack([heading, ruled(setting.accent), body], 2)
    block = stack([heading, body], style.size * 0.2)
    return boxed(block, style.size * 0.5, (150, 150, 150)) if how == "boxed" else block


def _end(setting: Setting, patient: Patient, style: Style) -> list[Block]:
    """Who has read the images."""
    label, how = setting.labels.of("radiologist"), setting.layout["signed"]
    name = setting.said("radiologist", doctor(setting))
    blocks: list[Block] = []
    if how == "below":
        blocks.append(apart(lines([[name], "Radiologist"], style), style.size))
    elif how in ("pair", "line"):
        tail = [Part(" "), setting.day("signed", patient.seen)] if how == "line" else []
        blocks.append(apart(lines([[Part(f"{label}: "), name, *tail]], style), style.size))
    if setting.layout["foot"] == "notes":
        blocks.append(lines([setting.phrase("radiology")], style.but(0.85)))
    return blocks
