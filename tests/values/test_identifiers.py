"""Identifiers with and without checksums."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_clm.values.identifiers import (
    find_ibans,
    find_identifiers,
    find_tax_ids,
    identifier_form,
    is_iban,
    same_identifier,
)

IBANS = (
    "DE89 3704 0044 0532 0130 00",
    "GB82WEST12345698765432",
    "FR14 2004 1010 0505 0001 3M02 606",
)
TAX_IDS = ("DE136695976", "ATU13585627", "NO 995 525 828 MVA", "GB 980 7806 84", "CHE-107.787.577")
TAX_IDS += ("27AAPFU0939F1ZV", "16.727.230/0001-97", "91110000600037341L")
PIECES = st.sampled_from(
    [*IBANS, *TAX_IDS, " ", "A", "7", "-", ".", ":", "12.50", "12/05/2018", "@", "%"]
)
ODD = st.text(max_size=40) | st.lists(PIECES, max_size=6).map("".join)


def test_form() -> None:
    """Case, spaces, signs and width do not count; every letter and digit does."""
    assert identifier_form("# INV-0042") == "inv0042"
    assert same_identifier("ＩＮＶ ００４２", "inv/0042")
    assert not same_identifier("INV-0042", "INV-O042")
    assert not same_identifier("INV-0042", "INV-042")
    assert not same_identifier("10", "l0")
    assert not same_identifier("#", "-")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Invoice Number: #509715", ["509715"]),
        ("Receipt No.: CS1802/27714", ["CS1802/27714"]),
        ("No.12345", ["12345"]),
        ("(001451637-M)", ["001451637-M"]),
        ("InvoiceNo:1-916166 of 20/05/2018 18:22", ["1-916166"]),
        ("GST 6.0% 12.50 18:22 7-9am 06 OCT, 1999", []),
        ("a1@b.com INV-1", ["INV-1"]),
        ("发票号码：12345678", ["12345678"]),
        ("to DE89 3704 0044 0532 0130 00 x9", ["DE89 3704 0044 0532 0130 00", "x9"]),
        ("INV-12-05-2018", ["INV-12-05-2018"]),
        ("no digits here", []),
    ],
)
def test_find_identifiers(text: str, found: list[str]) -> None:
    """Words with digits are found, but for dates, amounts, times, percentages and addresses."""
    assert [one.value.text for one in find_identifiers(text)] == found


@pytest.mark.parametrize("iban", IBANS)
def test_ibans(iban: str) -> None:
    """A right IBAN is found in a longer text, whatever stands behind it."""
    assert is_iban(iban)
    for around in ("{}", "IBAN:{}.", "pay to {} thanks 2018", "{} BIC 44"):
        assert [one.value.text for one in find_ibans(around.format(iban))] == [iban]


@given(st.sampled_from(IBANS), st.integers(2, 33), st.integers(1, 9))
def test_an_iban_with_another_digit(iban: str, place: int, step: int) -> None:
    """No change of one digit leaves an IBAN valid."""
    digits = [at for at, char in enumerate(iban) if char.isdigit()]
    at = digits[place % len(digits)]
    changed = iban[:at] + str((int(iban[at]) + step) % 10) + iban[at + 1 :]
    assert not is_iban(changed)
    assert find_ibans(changed) == []


@pytest.mark.parametrize("number", TAX_IDS)
def test_tax_ids(number: str) -> None:
    """A right tax number is found in a longer text, and none with its last digit changed."""
    assert [one.value.text for one in find_tax_ids(f"VAT: {number}, 2018")] == [number]
    at = max(at for at, char in enumerate(number) if char.isdigit())
    changed = number[:at] + str((int(number[at]) + 1) % 10) + number[at + 1 :]
    assert find_tax_ids(f"VAT: {changed}, 2018") == []


@given(ODD)
def test_any_text(text: str) -> None:
    """No text raises, and spans lie in the text where the printed identifiers stand."""
    is_iban(text)
    for find in (find_identifiers, find_ibans, find_tax_ids):
        for one in find(text):
            assert one.value.text == text[one.start : one.end] != ""


@given(ODD, ODD)
def test_sameness_has_no_direction(a: str, b: str) -> None:
    """Two identifiers are the same either way round."""
    assert same_identifier(a, b) == same_identifier(b, a)
