"""A day and a time of day that are read as one."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_clm.page.spacing import spaced

DAYS = st.dates(date(1900, 1, 1), date(2099, 12, 31)).map(
    lambda day: [f"{day:%d/%m/%Y}", f"{day:%Y-%m-%d}", f"{day:%d.%m.%Y}", f"{day:%d %b %Y}"]
)
TIMES = st.times().map(lambda time: f"{time:%H:%M:%S}")


@pytest.mark.parametrize(
    ("read", "meant"),
    [
        ("Date:05-03-201819:02:50", "Date:05-03-2018 19:02:50"),
        ("2016-07-2100:00:00", "2016-07-21 00:00:00"),
        ("28-03-1818:05 SH01", "28-03-18 18:05 SH01"),
        ("Date:01/05/162:51", "Date:01/05/16 2:51"),
        ("12Mar201810:13", "12Mar2018 10:13"),
        ("5/19/202011:26:06AM", "5/19/2020 11:26:06AM"),
    ],
)
def test_a_time_is_parted_from_its_date(read: str, meant: str) -> None:
    """Recognisers leave out the space, and a day of the year 201819 is none."""
    assert spaced(read) == meant


@pytest.mark.parametrize(
    "text", ["05/01/2018:22", "05-03-2018 19:02", "4:1:2018:10", "1-2-3-4-2018", "10:13", "12/10"]
)
def test_what_is_no_date_with_a_time_stays(text: str) -> None:
    """A year before a colon keeps its digits, and so does what is spaced already."""
    assert spaced(text) == text


@given(DAYS.flatmap(st.sampled_from), TIMES)
def test_every_date_with_a_year_of_our_time_is_parted(day: str, time: str) -> None:
    """Whatever the day and the form; a second look changes nothing."""
    parted = spaced(day + time)
    assert parted == f"{day} {time}"
    assert spaced(parted) == parted


@given(st.text("0123456789/-.: aM", max_size=30))
def test_only_spaces_are_added(text: str) -> None:
    """No character is lost, whatever stands there."""
    assert spaced(text).replace(" ", "") == text.replace(" ", "")
