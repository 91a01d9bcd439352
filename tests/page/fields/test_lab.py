"""Laboratory reports: fields, rows of results, ranges and flags."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_clm.page.fields.lab import read_lab
from edge_clm.page.fields.lab_check import side_of
from edge_clm.page.fields.layout import layout_of
from edge_clm.page.ocr import PageReader
from edge_clm.paper import Field, PageText
from edge_clm.values.habits import Habits
from edge_clm.values.value import Day, Quantity, Text
from tests.page.fields.pages import page
from tests.page.fields.sheets import sheet

COLUMNS = (40.0, 330.0, 480.0, 600.0, 800.0)
SEVEN = (40.0, 100.0, 300.0, 430.0, 560.0, 660.0, 800.0)
Row = dict[str, str]


def out_of_range(row: Sequence[Field], sex: str = "") -> bool | None:
    """Whether a row's value lies outside its range; None where that cannot be told."""
    side = side_of(row, sex)
    return None if side is None else side != 0


def at(*texts: str, columns: tuple[float, ...] = COLUMNS) -> list[tuple[float, str]]:
    """Texts in columns; an empty one leaves its column free."""
    return [(left, text) for left, text in zip(columns, texts, strict=False) if text]


def read(text: PageText) -> tuple[dict[str, Field], list[tuple[Field, ...]]]:
    """Fields by name, and the rows of the table of analytes."""
    fields, tables = read_lab(layout_of(text, 1), Habits())
    rows = [row for table in tables for row in table.rows]
    assert [table.name for table in tables] in ([], ["analytes"])
    return {field.name: field for field in fields}, rows


def raw(row: tuple[Field, ...]) -> Row:
    return {cell.name: cell.best.raw for cell in row}


def cells(text: PageText) -> list[Row]:
    return [raw(row) for row in read(text)[1]]


HEAD = (
    "Northside Pathology Laboratory",
    "LABORATORY REPORT",
    [(40.0, "Patient: Ada Quist"), (600.0, "Patient ID: NP-88213")],
    [(40.0, "DOB: 23/05/1978"), (600.0, "Age/Sex: 45 Y / F")],
    [(40.0, "Accession No: A24-00177"), (600.0, "Collected: 12 Mar 2024 08:15")],
    [(40.0, "Ordering Physician: Dr. Maria Ulloa"), (600.0, "Received: 12 Mar 2024 09:40")],
    [(600.0, "Reported: 12 Mar 2024 14:02")],
)
RULED = (
    *HEAD,
    at("Test", "Result", "Flag", "Units", "Reference Range"),
    "BIOCHEMISTRY",
    at("Sodium", "141", "", "mmol/L", "136 - 145"),
    at("Potassium", "5.9", "H", "mmol/L", "3.5 - 5.1"),
    at("Glomerular filtration rate", "58", "L", "mL/min/1.73m2", "> 60"),
    "(estimated, CKD-EPI)",
    "SEROLOGY",
    at("Hepatitis B surface Ag", "Negative", "", "", "Negative"),
    at("CA 19-9", "<2.0", "", "U/mL", "0 - 37"),
    "Comment: glucose above 7.0 mmol/L suggests diabetes.",
)


@pytest.mark.parametrize("tilt", [0.0, 5.0, -5.0])
def test_labelled_fields_are_read(tilt: float) -> None:
    """Patient, identifiers, times and people come from their labels, on a tilted page as well."""
    fields, _ = read(page(*HEAD, tilt=tilt))
    assert {name: field.best.raw for name, field in fields.items()} == {
        "patient": "Ada Quist",
        "patient_id": "NP-88213",
        "birth_date": "23/05/1978",
        "age": "45 Y",
        "sex": "F",
        "accession": "A24-00177",
        "collected": "12 Mar 2024 08:15",
        "received": "12 Mar 2024 09:40",
        "reported": "12 Mar 2024 14:02",
        "ordering_physician": "Dr. Maria Ulloa",
        "laboratory": "Northside Pathology Laboratory",
    }
    assert fields["collected"].best.value == Day((date(2024, 3, 12),))
    assert fields["age"].best.value == Quantity(Decimal(45), "Y")


@pytest.mark.parametrize("tilt", [0.0, 5.0, -5.0])
def test_rows_under_headings_are_read(tilt: float) -> None:
    """Cells go to their columns; section headings and comments are no results."""
    assert cells(page(*RULED, tilt=tilt)) == [
        {"analyte": "Sodium", "value": "141", "unit": "mmol/L", "range": "136 - 145"},
        {
            "analyte": "Potassium",
            "value": "5.9",
            "unit": "mmol/L",
            "range": "3.5 - 5.1",
            "flag": "H",
        },
        {
            "analyte": "Glomerular filtration rate (estimated, CKD-EPI)",
            "value": "58",
            "unit": "mL/min/1.73m2",
            "range": "> 60",
            "flag": "L",
        },
        {"analyte": "Hepatitis B surface Ag", "value": "Negative", "range": "Negative"},
        {"analyte": "CA 19-9", "value": "<2.0", "unit": "U/mL", "range": "0 - 37"},
    ]


def test_values_are_typed_and_stand_in_their_boxes() -> None:
    """A number has its row's unit and bound, a word is text; evidence is the cell's own box."""
    _, rows = read(page(*RULED))
    values = [row[1].best.value for row in rows]
    assert values[0] == Quantity(Decimal(141), "mmol/L")
    assert values[3] == Text("Negative")
    assert values[4] == Quantity(Decimal("2.0"), "U/mL", "<")
    (evidence,) = rows[1][1].best.evidence
    assert evidence.text == "5.9"
    assert evidence.quad[0][0] == pytest.approx(330, abs=2)


def test_columns_may_stand_in_any_order() -> None:
    """Headings say what a column is, not its place; previous results and running numbers are left out."""
    shuffled = page(
        at("No", "Test", "Reference", "Units", "Flag", "Result", "Previous", columns=SEVEN),
        at("1", "Sodium", "136 - 145", "mmol/L", "", "141", "139", columns=SEVEN),
        at("2", "Potassium", "3.5-5.1", "mmol/L", "High", "5.9", "", columns=SEVEN),
    )
    assert cells(shuffled) == [
        {"analyte": "Sodium", "value": "141", "unit": "mmol/L", "range": "136 - 145"},
        {
            "analyte": "Potassium",
            "value": "5.9",
            "unit": "mmol/L",
            "range": "3.5-5.1",
            "flag": "High",
        },
    ]


def test_values_stand_right_of_or_below_their_labels() -> None:
    """Labels without colon have their values in the next cell, or under them like headings."""
    fields, _ = read(
        page(
            "METRO LABS INC",
            [(40.0, "Patient Name"), (250.0, "QUIST, ADA"), (560.0, "MRN"), (700.0, "88213")],
            [(40.0, "Collected"), (300.0, "Received"), (600.0, "Gender")],
            [(40.0, "13 Mar 2024 08:15"), (300.0, "13 Mar 2024"), (600.0, "Female")],
        )
    )
    assert {name: field.best.raw for name, field in fields.items()} == {
        "patient": "QUIST, ADA",
        "patient_id": "88213",
        "collected": "13 Mar 2024 08:15",
        "received": "13 Mar 2024",
        "sex": "Female",
        "laboratory": "METRO LABS INC",
    }


def test_age_and_sex_may_stand_behind_the_name() -> None:
    """A bracket behind the patient's name is not part of it."""
    fields, _ = read(page("Patient: Mr. JOHN DOE (45 Y / M)     Ref. By: SELF"))
    told = {name: field.best.raw for name, field in fields.items()}
    assert told == {
        "patient": "Mr. JOHN DOE",
        "age": "45 Y",
        "sex": "M",
        "ordering_physician": "SELF",
    }


def test_labels_of_one_line_keep_their_values_apart() -> None:
    """OCR may leave but one space between a value and the next label."""
    fields, _ = read(page("Name: JOHN M DOE Sex: M Age: 61"))
    told = {name: field.best.raw for name, field in fields.items()}
    assert told == {"patient": "JOHN M DOE", "sex": "M", "age": "61"}


def test_two_readings_of_a_date_are_kept_unless_the_language_settles_them() -> None:
    """German dates have the day first; an English page keeps both readings."""
    german, _ = read(page("Patient: Anna Kern", "Entnahmedatum: 03.05.2024", "Einsender und Arzt"))
    english, _ = read(page("Patient: Anna Kern", "Collected: 03/05/2024"))
    assert german["collected"].best.value == Day((date(2024, 5, 3),))
    assert isinstance(english["collected"].best.value, Day)
    assert len(english["collected"].best.value.readings) == 2


def analyte(row: tuple[Field, ...]) -> tuple[list[str], bool, bool]:
    """The readings of a row's value, whether it is ambiguous, and whether to look again."""
    cell = next(cell for cell in row if cell.name == "value")
    readings = (cell.best, *cell.alternatives)
    numbers = [str(it.value.number) for it in readings if isinstance(it.value, Quantity)]
    return numbers, cell.ambiguous, cell.look_again


GERMAN = at("Untersuchung", "Ergebnis", "", "Einheit", "Referenzbereich")
ENGLISH = at("Test", "Result", "Flag", "Units", "Reference Range")
TSH = at("TSH", "1,234", "", "mU/L", "0,270 - 4,200")


@pytest.mark.parametrize(
    ("rows", "habits"),
    [
        ((GERMAN, TSH), Habits()),
        ((ENGLISH, TSH), Habits(decimal=".")),
        ((ENGLISH, at("TSH", "1,234", "", "", ""), at("CRP", "0,5", "", "mg/L", "< 5")), Habits()),
        ((ENGLISH, at("TSH", "1,234", "", "mU/L", "")), Habits(decimal=",")),
        (
            (GERMAN, at("TSH", "1,234", "", "mU/L", ""), "Der Wert ist mit dem Arzt zu besprechen"),
            Habits(),
        ),
    ],
)
def test_decimal_commas_of_results(
    rows: tuple[str | list[tuple[float, str]], ...], habits: Habits
) -> None:
    """The table's own clear numbers tell the decimal mark, or the document, or its language."""
    _, tables = read_lab(layout_of(page(*rows), 1), habits)
    assert analyte(tables[0].rows[0]) == (["1.234"], False, False)


def test_thousands_of_results() -> None:
    """Where the table's numbers have decimal points a comma sets thousands apart."""
    _, (platelets, _) = read(
        page(
            ENGLISH,
            at("Platelets", "250,000", "", "/uL", "150,000 - 400,000"),
            at("Potassium", "5.9", "H", "mmol/L", "3.5 - 5.1"),
        )
    )
    assert analyte(platelets) == (["250000"], False, False)
    assert out_of_range(platelets) is False


def test_a_number_of_two_meanings_keeps_both() -> None:
    """Where nothing tells the decimal mark both readings stand, and a look is asked for."""
    _, (row,) = read(page(at("TSH", "1,234", "", "mU/L", "1,000 - 4,200")))
    assert analyte(row) == (["1234", "1.234"], True, True)
    assert out_of_range(row) is False
    _, (row,) = read(page(at("TSH", "1,234", "", "mU/L", "0.5 - 4")))
    assert analyte(row) == (["1234"], False, False)


def test_a_decimal_comma_is_no_contradiction() -> None:
    """A German result within its range is no result over a thousand, and its flag is held against it."""
    flagged = at("fT4", "2,100", "H", "ng/dL", "0,930 - 1,700")
    _, (tsh, ft4) = read(page(GERMAN, TSH, flagged))
    assert (out_of_range(tsh), out_of_range(ft4)) == (False, True)
    assert not any(cell.look_again for cell in (*tsh, *ft4))


def test_ranges_may_take_several_rows() -> None:
    """The range of each sex on a row of its own belongs to one result."""
    _, rows = read(
        page(
            at("Test", "Result", "", "Unit", "Range"),
            at("Glucose", "6.05", "", "mmol/L", "Male: 3.9 - 6.1"),
            at("", "", "", "", "Female: 3.8 - 6.0"),
            at("Sodium", "141", "", "mmol/L", "136 - 145"),
        )
    )
    assert [raw(row)["range"] for row in rows] == ["Male: 3.9 - 6.1 Female: 3.8 - 6.0", "136 - 145"]
    assert [out_of_range(rows[0], sex) for sex in ("male", "female", "")] == [False, True, None]


def test_sentences_between_results_are_not_part_of_them() -> None:
    """Notes with numbers in them make neither a result nor a name longer."""
    six = (40.0, 400.0, 520.0, 620.0, 760.0)
    rows = cells(
        page(
            at("TESTS", "RESULT", "FLAG", "UNITS", "REFERENCE INTERVAL", columns=six),
            at("Hemoglobin A1c", "6.1", "High", "%", "4.8 - 5.6", columns=six),
            "Please Note:",
            "Prediabetes: 5.7 - 6.4",
            "Diabetes: >6.4",
            at("TSH", "2.010", "", "uIU/mL", "0.450 - 4.500", columns=six),
        )
    )
    assert [row["analyte"] for row in rows] == ["Hemoglobin A1c", "TSH"]


def test_values_outside_may_have_a_column_of_their_own() -> None:
    """Some reports print usual values in one column and the others, with their flags, in the next."""
    rows = cells(
        page(
            at("Test Name", "In Range", "Out Of Range", "Reference Range", "Lab"),
            at("GLUCOSE", "", "112 H", "65-99 mg/dL", "EN"),
            at("UREA", "14", "", "7-25 mg/dL", "EN"),
        )
    )
    assert rows == [
        {"analyte": "GLUCOSE", "value": "112", "unit": "mg/dL", "range": "65-99", "flag": "H"},
        {"analyte": "UREA", "value": "14", "unit": "mg/dL", "range": "7-25"},
    ]


def test_rows_without_headings_are_read() -> None:
    """A name, a value and its unit or range make a result, whatever the order and the glue."""
    rows = cells(
        page(
            "Name: JOHN M DOE   Sex: M   Age: 61",
            [(40.0, "Hemoglobin"), (400.0, "13.1 L g/dL"), (700.0, "13.5 - 17.5")],
            "WBC ........ 7.2 x10^3/uL 4.0-11.0",
            [(40.0, "Vitamin B12"), (400.0, "H 1250"), (520.0, "pg/mL"), (700.0, "200 - 900")],
            [(40.0, "25-OH Vitamin D"), (400.0, "32ng/mL"), (700.0, "30-100")],
            "Creatinine 1.4* mg/dL (0.7 - 1.3)",
            "Ketones Trace Negative",
            "Weight: 70 kg",
            "Sample collected at 08:15 on 12/03/2024",
            "Total due 45.00",
        )
    )
    assert rows == [
        {
            "analyte": "Hemoglobin",
            "value": "13.1",
            "unit": "g/dL",
            "range": "13.5 - 17.5",
            "flag": "L",
        },
        {"analyte": "WBC", "value": "7.2", "unit": "x10^3/uL", "range": "4.0-11.0"},
        {
            "analyte": "Vitamin B12",
            "value": "1250",
            "unit": "pg/mL",
            "range": "200 - 900",
            "flag": "H",
        },
        {"analyte": "25-OH Vitamin D", "value": "32", "unit": "ng/mL", "range": "30-100"},
        {
            "analyte": "Creatinine",
            "value": "1.4",
            "unit": "mg/dL",
            "range": "(0.7 - 1.3)",
            "flag": "*",
        },
        {"analyte": "Ketones", "value": "Trace", "range": "Negative"},
    ]


def test_two_tables_stand_side_by_side() -> None:
    """A header row that names the same columns twice is two tables; Chinese is read as well."""
    eight = (40.0, 200.0, 280.0, 370.0, 540.0, 700.0, 780.0, 870.0)
    fields, rows = read(
        page(
            "市第一人民医院检验报告单",
            [(40.0, "姓名：王小明"), (300.0, "性别：男"), (500.0, "年龄：45岁")],
            at(*("项目", "结果", "单位", "参考范围") * 2, columns=eight),
            at(
                "白细胞",
                "11.2↑",
                "10^9/L",
                "3.5-9.5",
                "血红蛋白",
                "132",
                "g/L",
                "130-175",
                columns=eight,
            ),
            at(
                "血小板",
                "210",
                "10^9/L",
                "125-350",
                "乙肝表面抗原",
                "阴性",
                "",
                "阴性",
                columns=eight,
            ),
        )
    )
    assert [fields[name].best.raw for name in ("patient", "sex", "age")] == ["王小明", "男", "45岁"]
    assert [(raw(row)["analyte"], raw(row)["value"], out_of_range(row)) for row in rows] == [
        ("白细胞", "11.2", True),
        ("血小板", "210", False),
        ("血红蛋白", "132", False),
        ("乙肝表面抗原", "阴性", False),
    ]
    assert raw(rows[0])["flag"] == "↑"


@pytest.mark.parametrize(
    ("headings", "row"),
    [
        (
            ("Analyse", "Ergebnis", "", "Einheit", "Referenzbereich"),
            ("Kalium", "5,9", "+", "mmol/l", "3,5 - 5,1"),
        ),
        (
            ("Analyses", "Résultats", "", "Unités", "Valeurs de référence"),
            ("Hémoglobine", "10,8", "", "g/dL", "12,0 à 16,0"),
        ),
        (
            ("Prueba", "Resultado", "", "Unidades", "Valores de referencia"),
            ("Colesterol", "240", "*", "mg/dL", "hasta 200"),
        ),
    ],
)
def test_headings_of_other_languages_are_known(
    headings: tuple[str, ...], row: tuple[str, ...]
) -> None:
    """German, French and Spanish tables are read, decimal commas and bounds in words included."""
    _, (found,) = read(page(at(*headings), at(*row)))
    assert [raw(found)[name] for name in ("analyte", "value", "unit", "range")] == [
        row[0],
        row[1],
        row[3],
        row[4],
    ]
    assert out_of_range(found) is True


@pytest.mark.parametrize(
    ("value", "usual", "sex", "outside"),
    [
        ("5.9", "3.5 - 5.1", "", True),
        ("3.5", "3.5 - 5.1", "", False),
        ("3.4", "3.5 - 5.1", "", True),
        ("5.0", "<5.0", "", True),
        ("4.9", "<5.0", "", False),
        ("61", "> 60", "", False),
        ("<0.01", "0.40 - 4.00", "", True),
        ("<2.0", "0 - 37", "", False),
        ("<5", "3 - 10", "", None),
        (">100", "0 - 40", "", True),
        (">20", "> 60", "", None),
        ("14.1", "M: 13.0 - 17.0 F: 12.0 - 14.0", "male", False),
        ("14.1", "M: 13.0 - 17.0 F: 12.0 - 14.0", "female", True),
        ("14.1", "M: 13.0 - 17.0 F: 12.0 - 14.0", "", None),
        ("13.5", "M: 13.0 - 17.0 F: 12.0 - 14.0", "", False),
        ("Positive", "Negative", "", True),
        ("Not detected", "Negative", "", False),
        ("Yellow", "Yellow", "", False),
        ("Amber", "Yellow", "", None),
        ("5.9", "see note", "", None),
    ],
)
def test_values_are_held_against_their_range(
    value: str, usual: str, sex: str, outside: bool | None
) -> None:
    """Arithmetic says what lies outside, and nothing where that cannot be told."""
    _, (row,) = read(
        page(at("Test", "Result", "Flag", "Units", "Range"), at("X", value, "", "", usual))
    )
    assert out_of_range(row, sex) is outside


def test_a_row_without_range_is_not_judged() -> None:
    """No range, no answer."""
    _, (row,) = read(page(at("Test", "Result", "Units"), at("Lactate", "2.5", "mmol/L")))
    assert out_of_range(row) is None


@pytest.mark.parametrize(
    ("value", "flag", "doubted"),
    [
        ("5.9", "H", False),
        ("59", "", True),
        ("4.9", "H", True),
        ("3.1", "H", True),
        ("3.1", "*", False),
        ("4.0", "*", True),
        ("4.0", "N", False),
    ],
)
def test_a_flag_that_contradicts_its_row_asks_for_a_second_look(
    value: str, flag: str, doubted: bool
) -> None:
    """A lost decimal point shows as a value far outside without a flag."""
    header = at("Test", "Result", "Flag", "Units", "Range")
    other = at("Sodium", "150", "H", "mmol/L", "136 - 145")
    _, rows = read(page(header, other, at("Potassium", value, flag, "mmol/L", "3.5 - 5.1")))
    assert [cell.look_again for cell in rows[1]] == [doubted] * len(rows[1])
    assert not any(cell.look_again for cell in rows[0])


def test_no_second_look_where_no_flags_are_printed() -> None:
    """A table without any flag does not say that its values are usual."""
    _, (row,) = read(page(at("Test", "Result", "Range"), at("Potassium", "5.9", "3.5 - 5.1")))
    assert not any(cell.look_again for cell in row)


def test_badly_read_cells_ask_for_a_second_look() -> None:
    """Low confidence of the recogniser shows in the field."""
    text = page(at("Test", "Result", "Range"), at("Urea", "31", "15 - 40"), confidence=0.5)
    _, (row,) = read(text)
    assert all(cell.look_again and cell.best.confidence <= 0.5 for cell in row)


@settings(deadline=None)
@given(
    st.lists(
        st.lists(
            st.tuples(
                st.floats(0, 900),
                st.one_of(
                    st.text(max_size=20),
                    st.sampled_from(
                        [
                            "Test",
                            "Result",
                            "Unit",
                            "Range",
                            "Flag",
                            "5.9 H",
                            "<5",
                            "M: 1-2",
                            "Age/Sex:",
                            "↑",
                            "-",
                        ]
                    ),
                ),
            ),
            max_size=5,
        ),
        max_size=8,
    ),
    st.floats(-20, 20),
)
def test_whatever_is_read_stands_on_the_page(
    rows: list[list[tuple[float, str]]], tilt: float
) -> None:
    """Odd pages raise nothing, and every piece of evidence is part of a line."""
    text = page(*rows, tilt=tilt)
    fields, tables = read_lab(layout_of(text, 1), Habits())
    for field in (*fields, *(cell for table in tables for row in table.rows for cell in row)):
        assert field.best.evidence
        for evidence in field.best.evidence:
            assert any(evidence.text in line.text for line in text.lines)
            assert evidence.text in field.best.raw
        assert 0 <= field.best.confidence <= 1


DRAWN = (
    "Northside Pathology Laboratory",
    [(50.0, "Patient: Ada Quist"), (700.0, "Patient ID: NP-88213")],
    [(50.0, "Age/Sex: 45 Y / F"), (700.0, "Collected: 12 Mar 2024 08:15")],
    [
        (50.0, "Test"),
        (500.0, "Result"),
        (650.0, "Flag"),
        (750.0, "Units"),
        (980.0, "Reference Range"),
    ],
    [(50.0, "Sodium"), (500.0, "141"), (750.0, "mmol/L"), (980.0, "136 - 145")],
    [(50.0, "Potassium"), (500.0, "5.9"), (650.0, "H"), (750.0, "mmol/L"), (980.0, "3.5 - 5.1")],
    [(50.0, "TSH"), (500.0, "<0.01"), (650.0, "LL"), (750.0, "mIU/L"), (980.0, "0.40 - 4.00")],
    [(50.0, "Hepatitis B surface antigen"), (500.0, "Negative"), (980.0, "Negative")],
)


@pytest.mark.parametrize(
    ("font", "rules", "turn"), [("DejaVuSans.ttf", False, 0.0), ("DejaVuSerif.ttf", True, 3.0)]
)
def test_a_drawn_report_is_read(reader: PageReader, font: str, rules: bool, turn: float) -> None:
    """The real OCR's lines of a drawn page make the rows that were drawn."""
    fields, rows = read(reader.read(sheet(*DRAWN, font=font, rules=rules, turn=turn)))
    assert fields["patient"].best.raw == "Ada Quist"
    assert fields["collected"].best.value == Day((date(2024, 3, 12),))
    assert [raw(row) for row in rows] == [
        {"analyte": "Sodium", "value": "141", "unit": "mmol/L", "range": "136 - 145"},
        {
            "analyte": "Potassium",
            "value": "5.9",
            "unit": "mmol/L",
            "range": "3.5 - 5.1",
            "flag": "H",
        },
        {"analyte": "TSH", "value": "<0.01", "unit": "mIU/L", "range": "0.40 - 4.00", "flag": "LL"},
        {"analyte": "Hepatitis B surface antigen", "value": "Negative", "range": "Negative"},
    ]
    assert [out_of_range(row) for row in rows] == [False, True, True, False]


def test_a_page_without_results_has_no_table() -> None:
    """Only tables that have rows are told."""
    _, tables = read_lab(layout_of(page("Dear patient, all is well."), 1), Habits())
    assert tables == ()


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (
            "Sodium 141 mmol/L 135-145  Potassium 5.9 mmol/L 3.5-5.1",
            [["Sodium", "141", "mmol/L", "135-145"], ["Potassium", "5.9", "mmol/L", "3.5-5.1"]],
        ),
        ("Na 141 K 5.9  mmol/L", [["Na", "141"], ["K", "5.9", "mmol/L"]]),
        (
            "Hgb 13.5 g/dL Hct 41 % MCV 88 fL",
            [["Hgb", "13.5", "g/dL"], ["Hct", "41", "%"], ["MCV", "88", "fL"]],
        ),
        ("CA 125 II 35 U/mL", [["CA 125 II", "35", "U/mL"]]),
        ("Platelets 250 K/uL 150-400", [["Platelets", "250", "K/uL", "150-400"]]),
    ],
)
def test_several_results_in_one_line(row: str, told: list[list[str]]) -> None:
    """Each result of a line is a row of its own; a potassium's K is no unit of the sodium before it."""
    head = [(40.0, "Test"), (300.0, "Result"), (450.0, "Unit"), (600.0, "Range")]
    other = [(40.0, "Chloride"), (300.0, "101"), (450.0, "mmol/L"), (600.0, "98-107")]
    for rows in ([row], [head, row, other]):
        _, tables = read_lab(layout_of(page("LABORATORY REPORT", *rows)), Habits())
        found = [[cell.best.raw for cell in cells] for cells in tables[0].rows]
        assert found[: len(told)] == told
        assert len(found) == len(told) + len(rows) // 3
