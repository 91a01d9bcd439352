"""Dates as they are printed."""

from __future__ import annotations

from datetime import date

import pytest
from babel.dates import format_date
from hypothesis import given
from hypothesis import strategies as st

from edge_clm.values.dates import Order, find_days, order_of, read_day
from edge_clm.values.months import LOCALES
from edge_clm.values.value import Day

DATES = st.dates(date(1970, 1, 1), date(2069, 12, 31))
PIECES = st.sampled_from(
    [
        "12",
        "05",
        "2018",
        "18",
        "/",
        "-",
        ".",
        " ",
        "OCT",
        "mai",
        "年5月",
        "1st",
        ":",
        "T",
        "de ",
        ",",
        "'",
    ]
)
ODD = st.text(max_size=40) | st.lists(PIECES, max_size=12).map("".join)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("06 OCT, 1999", "1999-10-06"),
        ("06-09-1999", "1999-09-06 1999-06-09"),
        ("20/05/2018 18:22", "2018-05-20"),
        ("05/20/2018", "2018-05-20"),
        ("5/5/2018", "2018-05-05"),
        ("2018-05-20", "2018-05-20"),
        ("2018-05-20T18:22:00Z", "2018-05-20"),
        ("2016-07-21 00:00:00", "2016-07-21"),
        ("20180520", "2018-05-20"),
        ("12 05 2018", "2018-05-12 2018-12-05"),
        ("12/05/18", "2018-05-12 2018-12-05"),
        ("31/12/69", "2069-12-31"),
        ("31/12/70", "1970-12-31"),
        ("99-12-31", "1999-12-31"),
        ("24-03-04", "2004-03-24 2024-03-04"),
        ("03-04-05", "2005-04-03 2005-03-04 2003-04-05"),
        ("25-12-99", "1999-12-25"),
        ("24/03/04", "2004-03-24"),
        ("2018年5月20日", "2018-05-20"),
        ("２０１８年５月２０日 星期日", "2018-05-20"),
        ("2018년 5월 20일", "2018-05-20"),
        ("06OCT1999", "1999-10-06"),
        ("25DEC18", "2018-12-25"),
        ("OCT061999", "1999-10-06"),
        ("15 jul, 2007", "2007-07-15"),
        ("January 1st, 2018", "2018-01-01"),
        ("Oct 6 99", "1999-10-06"),
        ("6 Oct '99", "1999-10-06"),
        ("22nd of July 2018", "2018-07-22"),
        ("Sat 06 Oct, 1999", "1999-10-06"),
        ("Samstag, 3. März 2018", "2018-03-03"),
        ("3. Marz 2018", "2018-03-03"),
        ("1er août 2019", "2019-08-01"),
        ("12 de mayo de 2018", "2018-05-12"),
        ("12 Ogos 2018", "2018-08-12"),
        ("30 September 1999 5:30 p.m.", "1999-09-30"),
        ("18:22 20/05/2018", "2018-05-20"),
        ("19/10/201820:49:59", "2018-10-19"),
        ("02/21/201:21PM (Fr)", "2020-02-21"),
        ("02/20/2012:14PM", "2020-02-20"),
        (": 13/07/2018 5:22:43 PM", "2018-07-13"),
    ],
)
def test_read_day(text: str, days: str) -> None:
    """A whole text that is a date is read, with both readings where day and month cannot be told apart."""
    day = read_day(text)
    assert day is not None
    assert " ".join(one.isoformat() for one in day.readings) == days


@pytest.mark.parametrize(
    "text",
    [
        "",
        "31/02/2018",
        "April 2020",
        "1234567",
        "18:22",
        "12/05",
        "555-12-1999",
        "1.2.3.4",
        "due 12/05/2018",
        "12 foo 2018",
        "00/00/2000",
        "12/05/201",
        "12.50",
        "12-05/2018",
        "2018",
        "12/05/2018:18:22",
    ],
)
def test_no_day(text: str) -> None:
    """What is no single date as a whole is none."""
    assert read_day(text) is None


def test_order_settles() -> None:
    """The page's order settles a date that can be read two ways, and never overrules the calendar."""
    assert read_day("06-09-1999", "dmy") == Day((date(1999, 9, 6),))
    assert read_day("06-09-1999", "mdy") == Day((date(1999, 6, 9),))
    assert read_day("25-09-1999", "mdy") == Day((date(1999, 9, 25),))
    assert read_day("24-03-04", "dmy") == Day((date(2004, 3, 24),))
    assert read_day("24-03-04", "mdy") == Day((date(2004, 3, 24), date(2024, 3, 4)))
    assert read_day("18/05/06", "ymd") == Day((date(2018, 5, 6),))
    assert read_day("06 Oct 1999", "mdy") == Day((date(1999, 10, 6),))


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("Date:12/02/2018 18:22", ["12/02/2018"]),
        ("Date12/02/2018", ["12/02/2018"]),
        ("03/30/20 - 04/26/20", ["03/30/20", "04/26/20"]),
        ("03/24/20-03/30/20", ["03/24/20", "03/30/20"]),
        ("25DEC18-26DEC18", ["25DEC18", "26DEC18"]),
        ("du 3 mars 2018 au 5 avril 2018", ["3 mars 2018", "5 avril 2018"]),
        ("14-03-18 21:49 SH03 ZJ20", ["14-03-18"]),
        ("4 04/26/20", ["04/26/20"]),
        ("开票日期：2018年5月20日", ["2018年5月20日"]),
        ("due 6.5.2018.", ["6.5.2018"]),
    ],
)
def test_find_days(text: str, printed: list[str]) -> None:
    """Dates inside a text are found, without time and weekday."""
    assert [text[one.start : one.end] for one in find_days(text)] == printed


@pytest.mark.parametrize(
    "text",
    [
        *(
            "INV-12-05-2018",
            "12-05-2018-001",
            "A12/05/2018",
            "12/05/2018A",
            "WA03-24/240",
            "860671-D",
        ),
        *(
            "1.2.34",
            "10.1.1.20",
            "03-3271 9872",
            "513-301-3977",
            "12 x 8 mm",
            "1.5/2.5/18",
            "1-2-34",
        ),
        *("set 12 18 dishes", "Mar 12 18 items", "12/05/1234", "18:22", "20180520", "April 2020"),
        *("12/05/2018/7", "0.12.05.18", "2 x 4.50"),
    ],
)
def test_nothing_to_find(text: str) -> None:
    """Identifiers, versions, telephone numbers and measures that look like dates are none."""
    assert find_days(text) == []


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (["12/02/2018", "14/03/2018"], "dmy"),
        (["03/25/20 - 04/26/20"], "mdy"),
        (["12/25/2018", "25/12/2018"], None),
        (["2018-05-20"], None),
        (["24-03-04", "24-04-03"], None),
        (["24-03-04", "25-12-99"], "dmy"),
        (["24-03-04", "99-12-25"], "ymd"),
        (["2018-05-20", "25/12/2018"], "dmy"),
        (["12/02/2018", "5/5/2018", "12 May 2018", "INV-25-12-2018"], None),
        ([], None),
    ],
)
def test_order_of(texts: list[str], order: Order | None) -> None:
    """Dates with a number over twelve show the page's order; contradictions show none."""
    assert order_of(texts) == order


def test_a_time_stamp_does_not_turn_other_dates() -> None:
    """A year of four digits in front says nothing about a date of three short numbers."""
    order = order_of(["Printed 2018-05-20 10:22", "05/06/18"])
    assert read_day("05/06/18", order) == Day((date(2018, 6, 5), date(2018, 5, 6)))
    assert read_day("2018-05-20", order) == Day((date(2018, 5, 20),))
    assert read_day("99/05/06", order) == Day((date(1999, 5, 6),))


@given(
    DATES,
    st.sampled_from(LOCALES),
    st.sampled_from(["d MMMM y", "d. MMM y", "d MMM yy", "MMMM d, y"]),
)
def test_named_months(day: date, locale: str, pattern: str) -> None:
    """Every locale's names of months are read, whole and short, alone and inside a text."""
    printed = format_date(day, pattern, locale)
    assert read_day(printed) == Day((day,))
    assert read_day(printed.upper()) == Day((day,))


@given(DATES, st.sampled_from(["dd/MM/y", "d.M.y", "dd-MM-y", "dd/MM/yy"]))
def test_numeric(day: date, pattern: str) -> None:
    """A numeric date is among its readings, alone and inside a text, and is the one of its order."""
    printed = format_date(day, pattern, "en")
    both = read_day(printed)
    assert both is not None and day in both.readings
    assert read_day(printed, "dmy") == Day((day,))
    assert [one.value for one in find_days(f"of {printed}, at 10:00")] == [both]


@given(ODD, st.sampled_from([None, "dmy", "mdy", "ymd"]))
def test_any_text(text: str, order: Order | None) -> None:
    """No text raises; spans lie in the text, one behind the other, and read back as what was found."""
    read_day(text, order)
    order_of([text])
    last = 0
    for one in find_days(text, order):
        assert last <= one.start < one.end <= len(text)
        assert read_day(text[one.start : one.end], order) == one.value
        last = one.end


@given(DATES, st.integers(0, 7), st.integers(1, 9))
def test_another_digit_is_another_day(day: date, place: int, step: int) -> None:
    """Changing one digit never leaves the date the same."""
    printed = day.strftime("%Y-%m-%d")
    at = [at for at, char in enumerate(printed) if char.isdigit()][place]
    changed = printed[:at] + str((int(printed[at]) + step) % 10) + printed[at + 1 :]
    assert read_day(changed) != read_day(printed)
