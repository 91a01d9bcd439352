"""Radiology reports: the exam, the sections, the sizes."""

from __future__ import annotations

import csv
import textwrap
from datetime import date
from decimal import Decimal
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from edge_clm.page.fields.layout import layout_of
from edge_clm.page.fields.measurements import measurements_in
from edge_clm.page.fields.radiology import read_radiology
from edge_clm.page.ocr import PageReader
from edge_clm.paper import Field, PageText
from edge_clm.values.habits import Habits
from edge_clm.values.value import Day, Quantity, Text
from tests.page.fields.pages import page
from tests.page.fields.sheets import sheet

REPORT = (
    "Riverside Imaging Center",
    "RADIOLOGY REPORT",
    [(40.0, "Patient: Ada Quist"), (600.0, "MRN: 88213")],
    [(40.0, "DOB: 23/05/1978"), (600.0, "Exam Date: 12 Mar 2024")],
    [(40.0, "Exam: CT ABDOMEN AND PELVIS"), (600.0, "Accession: RAD-2291")],
    "INDICATION: Abdominal pain for 3 weeks.",
    "COMPARISON: CT of 4 January 2023.",
    "TECHNIQUE: Axial 5 mm slices after contrast.",
    "FINDINGS:",
    "There is a 1.2 x 0.8 cm nodule in the right upper lobe. The",
    "left kidney has a simple cyst measuring 23 mm. The liver",
    "measures 15.4 cm. Note: no lesion is seen.",
    "IMPRESSION:",
    "1. Right upper lobe nodule, follow-",
    "up advised.",
    "2. No acute abnormality.",
    "Electronically signed by: Jane Doe, MD on 12 Mar 2024 10:22",
    "Page 1 of 1",
)
FINDINGS = (
    "There is a 1.2 x 0.8 cm nodule in the right upper lobe. The left kidney has a simple cyst "
    "measuring 23 mm. The liver measures 15.4 cm. Note: no lesion is seen."
)


def read(text: PageText) -> tuple[dict[str, Field], list[tuple[Field, ...]]]:
    """Fields by name, and the rows of the table of measurements."""
    fields, tables = read_radiology(layout_of(text, 1), Habits())
    assert [table.name for table in tables] in ([], ["measurements"])
    return {field.name: field for field in fields}, [row for it in tables for row in it.rows]


@pytest.mark.parametrize("tilt", [0.0, 4.0, -4.0])
def test_fields_and_sections_are_read(tilt: float) -> None:
    """Labels give the fields; a section is all its lines, without signature and page number."""
    fields, _ = read(page(*REPORT, tilt=tilt))
    assert {name: field.best.raw for name, field in fields.items()} == {
        "patient": "Ada Quist",
        "patient_id": "88213",
        "birth_date": "23/05/1978",
        "accession": "RAD-2291",
        "exam": "CT ABDOMEN AND PELVIS",
        "exam_date": "12 Mar 2024",
        "radiologist": "Jane Doe, MD",
        "hospital": "Riverside Imaging Center",
        "indication": "Abdominal pain for 3 weeks.",
        "comparison": "CT of 4 January 2023.",
        "technique": "Axial 5 mm slices after contrast.",
        "findings": FINDINGS,
        "impression": "1. Right upper lobe nodule, follow-up advised. 2. No acute abnormality.",
    }
    assert fields["exam_date"].best.value == Day((date(2024, 3, 12),))
    assert fields["findings"].best.value == Text(FINDINGS)
    assert len(fields["findings"].best.evidence) == 3


def test_sizes_say_what_and_where() -> None:
    """Each dimension is a quantity; what and where come from the words around; slices do not count."""
    _, rows = read(page(*REPORT))
    told = [[(cell.name, cell.best.raw) for cell in row] for row in rows]
    assert told == [
        [
            ("what", "nodule"),
            ("value", "1.2 x 0.8 cm"),
            ("value_2", "1.2 x 0.8 cm"),
            ("where", "right upper lobe"),
        ],
        [("what", "simple cyst"), ("value", "23 mm"), ("where", "left kidney")],
        [("what", "liver"), ("value", "15.4 cm")],
    ]
    assert [cell.best.value for cell in rows[0][1:3]] == [
        Quantity(Decimal("1.2"), "cm"),
        Quantity(Decimal("0.8"), "cm"),
    ]


def test_dimensions_have_names_of_their_own() -> None:
    """Three dimensions are three cells, so that none hides another."""
    _, (row,) = read(page("FINDINGS: A cyst of 31 x 24 x 12 mm is seen."))
    assert {cell.name: cell.best.value for cell in row if cell.name != "what"} == {
        "value": Quantity(Decimal(31), "mm"),
        "value_2": Quantity(Decimal(24), "mm"),
        "value_3": Quantity(Decimal(12), "mm"),
    }


@pytest.mark.parametrize(
    ("text", "what", "sizes", "where"),
    [
        ("An 8 mm right lower lobe nodule.", "nodule", [8], "right lower lobe"),
        (
            "Stone in the lower pole of the left kidney, 4mm.",
            "Stone",
            [4],
            "lower pole of the left kidney",
        ),
        ("Mass measuring 3.1 x 2.4 x 2.0 cm in the liver", "Mass", [3.1, 2.4, 2.0], "liver"),
        (
            "Solid mass, 31 mm by 24 mm, in the pancreatic tail.",
            "Solid mass",
            [31, 24],
            "pancreatic tail",
        ),
        ("The abdominal aorta measures 2.1 cm.", "abdominal aorta", [2.1], None),
        ("右肺上叶见一结节，大小约12×8mm", "结节", [12, 8], "右肺上叶"),
        ("Zyste im rechten Leberlappen, 2,3 cm", "Zyste", [2.3], "im rechten Leberlappen"),
    ],
)
def test_sizes_in_sentences(text: str, what: str, sizes: list[float], where: str | None) -> None:
    """The words may come before or behind the size, in several languages."""
    (found,) = measurements_in(text)
    assert [float(it.number) for it in found.dimensions] == sizes
    assert found.what and text[slice(*found.what)] == what
    assert (text[slice(*found.where)] if found.where else None) == where


def test_two_sizes_of_a_sentence_keep_apart() -> None:
    """Each size has the words that are nearest to it."""
    text = "There is a 13 mm nodule in the left upper lobe and a 2 cm cyst in the liver."
    first, second = measurements_in(text)
    assert [text[slice(*it.what)] for it in (first, second) if it.what] == ["nodule", "cyst"]
    assert [text[slice(*it.where)] for it in (first, second) if it.where] == [
        "left upper lobe",
        "liver",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "No evidence of a 12 mm mass in the liver.",
        "No 5 mm nodule is seen.",
        "There is no mass greater than 10 mm.",
        "No new nodule over 6 mm.",
        "The previously seen 8 mm nodule in the left lung has resolved.",
        "The 5 mm nodule is no longer seen.",
        "Kein Rundherd über 5 mm.",
        "Pas de nodule de plus de 4 mm.",
        "Sin nódulo mayor de 6 mm.",
        "左肺未见大于5mm结节",
    ],
)
def test_sizes_of_what_is_not_there_are_left_out(text: str) -> None:
    """What is denied or has gone was not measured."""
    assert not list(measurements_in(text))


@pytest.mark.parametrize(
    ("text", "doubtful"),
    [
        ("No pleural effusion; 9 mm nodule in the left lower lobe.", False),
        ("No change in the 6 mm nodule in the right lung.", False),
        ("No significant interval growth of a 6 mm nodule.", False),
        ("No nodule, but a 4 mm cyst in the liver.", False),
        ("The 8 mm nodule has not resolved.", False),
        ("The previously seen 8 mm nodule is unchanged.", False),
        ("The nodule previously seen is now 7 mm.", False),
        ("No pleural effusion, 9 mm nodule in the left lower lobe.", True),
        ("No hydronephrosis and a 4 mm stone in the lower pole.", True),
        ("The previously seen 8 mm nodule in the left lung.", True),
    ],
)
def test_sizes_that_may_not_be_there_ask_for_a_second_look(text: str, doubtful: bool) -> None:
    """A denial counts for what it is of; where that is open, or the size of before, a person looks."""
    _, (row,) = read(page(f"FINDINGS: {text}"))
    assert {cell.look_again for cell in row} == {doubtful}


def test_size_of_now_and_size_of_before() -> None:
    """Of two sizes of one thing the earlier one asks for a second look."""
    now, before = measurements_in("Nodule now 6 mm in the right upper lobe, previously 4 mm.")
    assert (now.doubtful, before.doubtful) == (False, True)
    now, before = measurements_in("The nodule measures 6 mm compared to 4 mm.")
    assert (now.doubtful, before.doubtful) == (False, True)


@pytest.mark.parametrize(
    ("printed", "comparison"),
    [
        ("less than 3 mm", "<"),
        ("< 3 mm", "<"),
        ("up to 3 mm", "≤"),
        ("at least 3 mm", "≥"),
        ("greater than 3 mm", ">"),
        ("bis zu 3 mm", "≤"),
        ("3 mm", ""),
    ],
)
def test_bounds_of_sizes(printed: str, comparison: str) -> None:
    """A size that is but a bound says so, in the value and as printed."""
    _, ((_, value),) = read(page(f"FINDINGS: There are nodules of {printed}."))
    assert value.best.value == Quantity(Decimal(3), "mm", comparison)
    assert value.best.raw == printed


@pytest.mark.parametrize("name", ["XXXX", "xxxx xxxx", "[REDACTED]", "Anonymized", "*****"])
def test_a_name_that_was_taken_out_is_no_patient(name: str) -> None:
    """Reports are handed on without names; what stands in their place is nobody."""
    fields, _ = read(page(f"Patient: {name}", "FINDINGS: Normal chest."))
    assert "patient" not in fields


def test_headings_may_stand_alone_or_run_into_the_text() -> None:
    """Headings without colon count where nothing else stands beside them, or in capitals before a sentence."""
    fields, _ = read(
        page(
            "CHEST X-RAY, PA AND LATERAL",
            "Name: John Doe",
            "CLINICAL HISTORY",
            "Cough and fever",
            "FINDINGS",
            "Heart size is normal. No acute bony",
            "findings.",
            "IMPRESSION No acute disease.",
            "Jane Roe, M.D.",
            "Consultant Radiologist",
        )
    )
    assert {name: field.best.raw for name, field in fields.items()} == {
        "patient": "John Doe",
        "exam": "CHEST X-RAY, PA AND LATERAL",
        "radiologist": "Jane Roe, M.D.",
        "indication": "Cough and fever",
        "findings": "Heart size is normal. No acute bony findings.",
        "impression": "No acute disease.",
    }


@pytest.mark.parametrize(
    ("rows", "findings", "impression"),
    [
        (
            ("影像所见：双肺纹理清晰，未见", "结节。", "诊断意见：未见异常。", "报告医师：李雷"),
            "双肺纹理清晰，未见结节。",
            "未见异常。",
        ),
        (
            ("Befund:", "Kein Erguss.", "Beurteilung:", "Unauffällig.", "Mit freundlichen Grüßen"),
            "Kein Erguss.",
            "Unauffällig.",
        ),
        (
            ("Résultats :", "Pas d'épanchement.", "Conclusion : examen normal."),
            "Pas d'épanchement.",
            "examen normal.",
        ),
        (("Hallazgos: sin derrame.", "Impresión: normal."), "sin derrame.", "normal."),
    ],
)
def test_headings_of_other_languages_are_known(
    rows: tuple[str, ...], findings: str, impression: str
) -> None:
    """Chinese, German, French and Spanish reports have the same sections."""
    fields, _ = read(page(*rows))
    assert fields["findings"].best.raw == findings
    assert fields["impression"].best.raw == impression


def test_a_column_of_headings_stands_beside_its_texts() -> None:
    """Headings at the left, texts indented at the right."""
    fields, _ = read(
        page(
            [(40.0, "Findings"), (240.0, "The lungs are clear. The heart")],
            [(240.0, "is of normal size.")],
            [(40.0, "Impression"), (240.0, "Normal chest.")],
        )
    )
    assert fields["findings"].best.raw == "The lungs are clear. The heart is of normal size."
    assert fields["impression"].best.raw == "Normal chest."


def test_real_reports_come_back_whole(documents: Path) -> None:
    """Text of real reports, laid out in four ways, is told apart at its headings and joined again."""
    with (documents / "reports" / "iu_xray_reports.csv").open(newline="", encoding="utf-8") as file:
        reports = list(islice(csv.DictReader(file), 120))
    for number, report in enumerate(reports):
        told = {name: " ".join(report[name].split()) for name in ("findings", "impression")}
        fields, _ = read(page(*_laid_out(told, number % 4), tilt=number % 3 - 1))
        read_back = {name: fields[name].best.raw for name in told if name in fields}
        assert read_back == {name: text for name, text in told.items() if text}


def _laid_out(sections: dict[str, str], way: int) -> list[str | list[tuple[float, str]]]:
    rows: list[str | list[tuple[float, str]]] = [
        [(40.0, "Patient: Ada Quist"), (600.0, "MRN: 88213")]
    ]
    for name, text in sections.items():
        if not text:
            continue
        if way == 0:
            rows += textwrap.wrap(f"{name.title()}: {text}", 90)
        elif way == 1:
            rows += [f"{name.title()}:", *textwrap.wrap(text, 85), ""]
        elif way == 2:
            rows += [name.upper(), *textwrap.wrap(text, 60), ""]
        else:
            first, *others = textwrap.wrap(text, 70)
            rows += [[(40.0, name.title()), (240.0, first)], *([(240.0, it)] for it in others)]
    return [*rows, "Electronically signed by: Jane Doe, MD"]


@settings(deadline=None)
@given(
    st.lists(
        st.one_of(
            st.text(max_size=40),
            st.sampled_from(
                [
                    "FINDINGS:",
                    "Impression",
                    "Exam: CT",
                    "a 3 x 4 mm nodule in",
                    "the liver, 2cm",
                    "x cm",
                    "1. ",
                ]
            ),
        ),
        max_size=10,
    ),
    st.floats(-20, 20),
)
@example(rows=["FINDIN", " "], tilt=0.0)
def test_whatever_is_read_stands_on_the_page(rows: list[str], tilt: float) -> None:
    """Odd pages raise nothing, and every piece of evidence is part of a line."""
    text = page(*rows, tilt=tilt)
    fields, measured = read(text)
    for field in (*fields.values(), *(cell for row in measured for cell in row)):
        assert field.best.evidence
        for evidence in field.best.evidence:
            assert any(evidence.text in line.text for line in text.lines)
            assert evidence.text in field.best.raw


@settings(deadline=None)
@given(st.text(alphabet="0123456789.,x× mc-(nodule)liver肺", max_size=60))
def test_any_text_has_sizes_or_none(text: str) -> None:
    """Odd numbers raise nothing; a size is a piece of the text with at least one dimension."""
    for found in measurements_in(text):
        assert found.dimensions
        assert text[slice(*found.size)].strip()


@pytest.mark.parametrize(("font", "turn"), [("DejaVuSans.ttf", 0.0), ("DejaVuSerif.ttf", -3.0)])
def test_a_drawn_report_is_read(reader: PageReader, font: str, turn: float) -> None:
    """The real OCR's lines of a drawn page make the sections that were drawn."""
    fields, rows = read(reader.read(sheet(*DRAWN, font=font, turn=turn)))
    assert fields["exam"].best.raw == "CT ABDOMEN AND PELVIS"
    assert fields["findings"].best.raw == " ".join(DRAWN[4:6])
    assert fields["impression"].best.raw == "No acute abnormality."
    assert [cell.best.raw for cell in rows[0]] == ["simple cyst", "23 mm", "left kidney"]


DRAWN = (
    [(50.0, "Patient: Ada Quist"), (750.0, "MRN: 88213")],
    [(50.0, "Exam: CT ABDOMEN AND PELVIS"), (750.0, "Exam Date: 12 Mar 2024")],
    "INDICATION: Abdominal pain for 3 weeks.",
    "FINDINGS:",
    "The heart is not enlarged and the lungs are clear. The left kidney",
    "has a simple cyst measuring 23 mm.",
    "IMPRESSION: No acute abnormality.",
)
