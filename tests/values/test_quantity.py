"""Numbers with units, and ranges."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_clm.values.equal import equal
from edge_clm.values.quantity import (
    Range,
    find_quantities,
    read_quantity,
    read_range,
    same_unit,
)
from edge_clm.values.value import Quantity

UNITS = (
    "mmol/L",
    "mg/dL",
    "g/L",
    "%",
    "cm",
    "10^9/L",
    "x10³/µL",
    "mL/min/1.73m2",
    "°C",
    "mmHg",
    "U/L",
    "kg/m²",
)
PIECES = st.sampled_from(
    [*UNITS, "<", "≥", "12", "4.2", "1,234", "x", " ", "-", "/", "up to", "to", "(", "]"]
)
ODD = st.text(max_size=40) | st.lists(PIECES, max_size=10).map("".join)


@pytest.mark.parametrize(
    ("text", "number", "unit", "comparison"),
    [
        ("4.2 mmol/L", "4.2", "mmol/L", ""),
        ("<0.5 ng/mL", "0.5", "ng/mL", "<"),
        ("＜0.5 ng/mL", "0.5", "ng/mL", "<"),
        (">= 60", "60", "", "≥"),
        ("< or = 5.0", "5.0", "", "≤"),
        ("up to 40 U/L", "40", "U/L", "≤"),
        ("98 %", "98", "%", ""),
        ("98%", "98", "%", ""),
        ("1.2 cm", "1.2", "cm", ""),
        ("2.0 in", "2.0", "in", ""),
        ("4.2 10^9/L", "4.2", "10^9/L", ""),
        ("5.1 x10³/µL", "5.1", "x10³/µL", ""),
        ("5.1 x109/L", "5.1", "x109/L", ""),
        ("85 mL/min/1.73 m²", "85", "mL/min/1.73 m²", ""),
        ("−5.6 ℃", "-5.6", "℃", ""),
        ("4,2", "4.2", "", ""),
        ("1.234", "1.234", "", ""),
        ("1,234", "1234", "", ""),
        ("５ ㎎", "5", "㎎", ""),
    ],
)
def test_read_quantity(text: str, number: str, unit: str, comparison: str) -> None:
    """A whole text that is a number is read with the unit as printed and the comparison."""
    assert read_quantity(text) == Quantity(Decimal(number), unit, comparison)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "mmol/L",
        "12 Main Street",
        "3.5-5.1",
        "12/15 mm",
        "12 x 8 mm",
        "5 items",
        "18:22",
        "12/05/2018",
        "$5",
        "Negative",
    ],
)
def test_no_quantity(text: str) -> None:
    """What is not one number with a known unit is none."""
    assert read_quantity(text) is None


def test_decimal_of_the_page() -> None:
    """The page's decimal mark settles three digits behind a mark."""
    assert read_quantity("1.234 g", ",") == Quantity(Decimal(1234), "g")
    assert read_range("4.000 - 10.000", ",") == Range(Decimal(4000), Decimal(10000))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a nodule of 12 x 8 mm in size", [("12", "mm"), ("8", "mm")]),
        ("12x8x5mm", [("12", "mm"), ("8", "mm"), ("5", "mm")]),
        ("12 mm x 8 mm", [("12", "mm"), ("8", "mm")]),
        ("Na 4.2 mmol/L (3.5-5.1)", [("4.2", "mmol/L")]),
        ("WBC 7.2 x10^9/L H", [("7.2", "x10^9/L")]),
        ("SpO2 98 % on air, T 38.2 °C", [("98", "%"), ("38.2", "°C")]),
        ("CRP <0.5", [("0.5", "")]),
        ("1.25 kg @ 4.00", [("1.25", "kg")]),
        ("7 DAYS WITH RECEIPT", [("7", "DAYS")]),
        ("血红蛋白 135 g/L", [("135", "g/L")]),
        ("NRBC 2 /100 WBC", [("2", "/100 WBC")]),
    ],
)
def test_find_quantities(text: str, found: list[tuple[str, str]]) -> None:
    """Numbers with a unit or a comparison are found; sides of one measure share its unit."""
    assert [(str(one.value.number), one.value.unit) for one in find_quantities(text)] == found


@pytest.mark.parametrize(
    "text",
    [
        "3.5-5.1 mmol/L",
        "3.5 - 5.1 mmol/L",
        "5 in stock",
        "$5 m",
        "T4.2 mg",
        "18:22 h",
        "12/05 mm",
        "12/15 mm",
        "2 x 4.50",
        "5 items",
        "<484297-M>",
        "<06377095L7E6",
        "INV-12 mm",
        "0.85 S",
    ],
)
def test_nothing_to_find(text: str) -> None:
    """Ends of ranges, prices, times and identifiers are no quantities."""
    assert find_quantities(text) == []


@pytest.mark.parametrize(
    ("text", "low", "high", "unit"),
    [
        ("3.5 - 5.1", "3.5", "5.1", ""),
        ("3.5–5.1 mmol/L", "3.5", "5.1", "mmol/L"),
        ("(3,5-5,1)", "3.5", "5.1", ""),
        ("[70 - 99 mg/dL]", "70", "99", "mg/dL"),
        ("150-450 10^3/uL", "150", "450", "10^3/uL"),
        ("10 mg to 20 mg", "10", "20", "mg"),
        ("4.0 ~ 11.0", "4.0", "11.0", ""),
        ("-2 - 2", "-2", "2", ""),
        ("<5.0", None, "5.0", ""),
        ("> 60", "60", None, ""),
        ("up to 40", None, "40", ""),
        ("≤ 5 U/L", None, "5", "U/L"),
        ("≥ 1.0", "1.0", None, ""),
    ],
)
def test_read_range(text: str, low: str | None, high: str | None, unit: str) -> None:
    """Ranges and bounds on one side are read with their unit."""
    found = read_range(text)
    assert found is not None
    assert (found.low, found.high) == (low and Decimal(low), high and Decimal(high))
    assert found.unit == unit


@pytest.mark.parametrize(
    "text",
    [
        "Negative",
        "",
        "5",
        "5-3",
        "03-3271",
        "2018-05",
        "3.5 - 5.1 foo",
        "10 mg - 20 g",
        "12-05-2018",
        "A-B",
    ],
)
def test_no_range(text: str) -> None:
    """What is no range is none: words, single numbers, dates, telephone numbers, unlike units."""
    assert read_range(text) is None


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("3.5-5.1", ["3.5", "4", "5.10"], ["3.49", "5.11"]),
        ("<5.0", ["4.99", "-1"], ["5", "6"]),
        ("≤ 5", ["5.0", "0"], ["5.01"]),
        ("> 60", ["60.1"], ["60", "59"]),
        ("≥ 60", ["60"], ["59.9"]),
    ],
)
def test_holds(text: str, inside: list[str], outside: list[str]) -> None:
    """A range holds its ends, except where the page says less or more."""
    found = read_range(text)
    assert found is not None
    assert all(found.holds(Decimal(number)) for number in inside)
    assert not any(found.holds(Decimal(number)) for number in outside)


SAME = [
    *(
        ("mmol/L", "mmol/l"),
        ("ul", "µL"),
        ("uL", "μL"),
        ("mcg", "µg"),
        ("MG/DL", "mg/dL"),
        ("cc", "mL"),
    ),
    *(
        ("K/uL", "10^9/L"),
        ("x10³/µL", "10*3/uL"),
        ("10E9/L", "x109/L"),
        ("mm Hg", "mmHg"),
        ("sec", "s"),
    ),
    *(
        ("mL/min/1.73m2", "ml/min/1.73 m²"),
        ("mIU/L", "µIU/mL"),
        ("/µL", "/mm3"),
        ("g/24h", "g/24 h"),
    ),
    *(("℃", "°C"), ("㎎", "mg"), ("foo", "foo"), ("hrs", "h"), ("M/uL", "10^12/L")),
]
DIFFERENT = [
    *(
        ("mg", "g"),
        ("mg", "µg"),
        ("mW", "MW"),
        ("mL/min", "mL/min/1.73m2"),
        ("U/L", "IU/L"),
        ("m2", "m"),
    ),
    *(
        ("10^9/L", "10^12/L"),
        ("g/L", "g/dL"),
        ("mEq/L", "mmol/L"),
        ("%", "‰"),
        ("cm", "mm"),
        ("", "mg"),
    ),
    *(
        ("mg/d", "mg/24h"),
        ("°C", "°F"),
        ("min", "h"),
        ("m", "M"),
        ("ng/mL", "pg/mL"),
        ("foo", "bar"),
    ),
    *(("K/uL", "M/uL"), ("s", "S"), ("mPa", "MPa"), ("ng/mL", "ng/L"), ("10^3/uL", "10^3/L")),
]


def test_same_unit() -> None:
    """Ways of writing one unit are the same, and different units never are, in both directions."""
    for a, b in SAME:
        assert same_unit(a, b), (a, b)
        assert same_unit(b, a), (a, b)
    for a, b in DIFFERENT:
        assert not same_unit(a, b), (a, b)
        assert not same_unit(b, a), (a, b)


@given(st.decimals(-9999, 9999, places=2), st.sampled_from(UNITS), st.sampled_from(["", "<", "≥"]))
def test_round_trip(number: Decimal, unit: str, comparison: str) -> None:
    """A printed quantity is read as what it was, alone and inside a text."""
    printed = f"{comparison}{number} {unit}"
    quantity = Quantity(number, unit, comparison)
    assert read_quantity(printed) == quantity
    assert [one.value for one in find_quantities(f"of {printed}, so")] == [quantity]


@given(ODD)
def test_any_text(text: str) -> None:
    """No text raises; spans lie in the text, one behind the other, and read back equal."""
    read_range(text)
    last = 0
    for one in find_quantities(text):
        assert last <= one.start < one.end <= len(text)
        again = read_quantity(text[one.start : one.end])
        assert again is not None and equal(again, one.value)
        last = one.end


def test_a_unit_that_is_none_makes_no_quantity() -> None:
    """What is put together from the letters of units is not always one."""
    assert not find_quantities("0%/%")


@given(ODD, ODD)
def test_units_of_any_text(a: str, b: str) -> None:
    """Every text is the same unit as itself, and sameness has no direction."""
    assert same_unit(a, a)
    assert same_unit(a, b) == same_unit(b, a)
