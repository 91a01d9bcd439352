"""Amounts as they are printed."""

from __future__ import annotations

from decimal import Decimal

import pytest
from babel.numbers import format_currency
from hypothesis import given
from hypothesis import strategies as st

from edge_clm.values.money import (
    currency_of,
    decimal_mark_of,
    find_money,
    money_readings,
    read_money,
)
from edge_clm.values.value import Money

LOCALES = ("en_US", "en_GB", "en_IN", "ms_MY", "de_DE", "de_CH", "fr_FR", "es_ES", "it_IT", "nl_NL")
LOCALES += ("pt_BR", "sv_SE", "nb_NO", "da_DK", "pl_PL", "cs_CZ", "hi_IN", "id_ID")
AMOUNTS = st.decimals(Decimal("0.01"), Decimal("99999999.99"), places=2)
PIECES = st.sampled_from(
    [
        "RM",
        "$",
        "€",
        "USD",
        "12",
        "1,234",
        "1.234",
        "5",
        ".50",
        "-",
        "(",
        ")",
        " ",
        "x",
        "%",
        "kr",
        "/",
        "'",
    ]
)
ODD = st.text(max_size=40) | st.lists(PIECES, max_size=12).map("".join)


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("1.234,56", "1234.56", ""),
        ("1,234.56", "1234.56", ""),
        ("RM 9.00", "9.00", "MYR"),
        ("rm9.00", "9.00", "MYR"),
        ("¥1200", "1200", ""),
        ("¥12.50", "12.50", "CNY"),
        ("¥1,200-", "1200", ""),
        ("1200円", "1200", "JPY"),
        ("人民币500元", "500", "CNY"),
        ("CHF 1'234.50", "1234.50", "CHF"),
        ("CHF 1’234.50", "1234.50", "CHF"),
        ("CHF 9.-", "9", "CHF"),
        ("9,-", "9", ""),
        ("(12.00)", "-12.00", ""),
        ("(RM 1,234.50)", "-1234.50", "MYR"),
        ("12.00-", "-12.00", ""),
        ("−5.59", "-5.59", ""),
        ("-$5.59", "-5.59", "USD"),
        ("$-5.59", "-5.59", "USD"),
        ("RM -0.01", "-0.01", "MYR"),
        ("1 234,56", "1234.56", ""),
        ("1\u2009234,56", "1234.56", ""),
        ("1\u00a0234,56 €", "1234.56", "EUR"),
        ("12,34,567.00", "1234567.00", ""),
        ("Rs.500", "500", ""),
        ("₹12,34,567", "1234567", "INR"),
        ("$ 12.00 CAD", "12.00", "CAD"),
        ("US$ 7", "7", "USD"),
        ("12 kr", "12", ""),
        ("RM 9 .00", "9.00", "MYR"),
        ("9. 00", "9.00", ""),
        ("1, 234.50", "1234.50", ""),
        ("105.66 *", "105.66", ""),
        ("０１．５０", "1.50", ""),
        ("PEN 2.50", "2.50", "PEN"),
        ("0,123", "0.123", ""),
    ],
)
def test_read_money(text: str, amount: str, currency: str) -> None:
    """One amount is read with its sign, its places and its currency."""
    money = read_money(text)
    assert money == Money(Decimal(amount), currency)
    assert money is not None
    assert str(money.amount) == str(Decimal(amount))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "RM",
        "abc",
        "12/05",
        "1.2.3",
        "12.05.2018",
        "€ 12 USD",
        "--5",
        "-(5.00)",
        "(5.00",
        "12 ft",
        "1,23,45",
        "12 apples",
        "18:22",
        "10 %",
        "5.00 6.00",
        "1,234,56",
        "10³",
        "½",
        "A12.50",
    ],
)
def test_no_money(text: str) -> None:
    """What is not one amount as a whole is none."""
    assert read_money(text) is None


def test_two_readings() -> None:
    """Three digits behind a mark are thousands or a fraction; the page's decimal mark settles it."""
    assert [str(one.amount) for one in money_readings("1,234")] == ["1234", "1.234"]
    assert [str(one.amount) for one in money_readings("1,234", decimal=",")] == ["1.234"]
    assert [str(one.amount) for one in money_readings("1,234", decimal=".")] == ["1234"]
    assert [str(one.amount) for one in money_readings("12,50", decimal=".")] == ["12.50"]


def test_currency_of_the_page() -> None:
    """The page's currency stands in where the text tells none, and settles signs that are shared."""
    assert read_money("9.00", "MYR") == Money(Decimal("9.00"), "MYR")
    assert read_money("$9.00", "CAD") == Money(Decimal("9.00"), "CAD")
    assert read_money("$9.00", "EUR") == Money(Decimal("9.00"), "USD")
    assert read_money("9 kr", "SEK") == Money(Decimal(9), "SEK")
    assert read_money("€ 9", "MYR") == Money(Decimal(9), "EUR")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("TOTAL AMT...RM60.31", ["RM60.31"]),
        ("TOTAL12.50", ["12.50"]),
        ("2 x 4.50", ["4.50"]),
        ("2.00 x 4.50", ["4.50"]),
        ("4.50 x 2", ["4.50"]),
        ("1.25 kg @ 4.00", ["4.00"]),
        ("4 04/26/20 News 7-8am --S :30 1 $1,400.00NM", ["$1,400.00"]),
        ("@DISC 10.00% -5.59", ["-5.59"]),
        ("Pay $5 or 3 EUR", ["$5", "3 EUR"]),
        ("12.50 $ 3.00", ["12.50", "$ 3.00"]),
        ("5 € 6 €", ["5 €", "6 €"]),
        ("$12.00-$15.00", ["$12.00", "$15.00"]),
        ("less (12.00) due", ["(12.00)"]),
        ("rebate 12.00- given", ["12.00-"]),
        ("2 150.00", ["150.00"]),
        ("1 234,56 kr", ["1 234,56 kr"]),
        ("合计12.50元", ["12.50元"]),
        ("RM 41.95 K", ["RM 41.95"]),
        ("PEN 2.50", ["2.50"]),
        ("12,345 and 1.234.567", ["12,345", "1.234.567"]),
    ],
)
def test_find_money(text: str, printed: list[str]) -> None:
    """Amounts inside a text are found with their marks and signs, and nothing else is."""
    assert [text[one.start : one.end] for one in find_money(text)] == printed


@pytest.mark.parametrize(
    "text",
    [
        *("18:22", "12.30pm", "12.30 Uhr", "19/10/2018", "12.05.2018", "2018-05-20", "OCT 06,99"),
        *("03-3271 9872", "+1-416-274-7727x890", "513.301.3977", "+61 310.395", "192.168.10.20"),
        *("WA03-24/240", "1018-4.50", "#12.50", "v1.20", "AD51-24.60", "001451637-M", "A12.50"),
        *("10.00%", "GST @6.00 %", "3.50-5.10", "3.50 - 5.10", "4.20 mmol/L", "1.25 kg", "24.50CM"),
        *("$1.5M", "€ 3.2 million", "1,5", "7", "2018", "1.234", "公元2018年"),
    ],
)
def test_nothing_to_find(text: str) -> None:
    """Dates, times, telephone numbers, identifiers, percentages, ranges and measures are no amounts."""
    assert find_money(text) == []


def test_found_with_the_page_habits() -> None:
    """The page's decimal mark decides which numbers without any currency are amounts."""
    assert [str(one.value.amount) for one in find_money("1.234 1,500", decimal=",")] == ["1234"]
    assert find_money("55,57 & 59", decimal=".") == []


@given(AMOUNTS, st.sampled_from(LOCALES), st.sampled_from(["EUR", "USD", "MYR", "GBP", "CHF"]))
def test_round_trip(amount: Decimal, locale: str, currency: str) -> None:
    """What the world's locales print is read as what it was."""
    printed = format_currency(amount, currency, "#,##0.00 ¤", locale)
    assert read_money(printed, currency) == Money(amount, currency)
    named = format_currency(amount, currency, "¤¤ #,##0.00", locale)
    assert [one.value for one in find_money(f"xx {named} yy")] == [Money(amount, currency)]


@given(ODD, st.sampled_from(["", "USD", "JPY"]), st.sampled_from(["", ",", "."]))
def test_any_text(text: str, currency: str, decimal: str) -> None:
    """No text raises; spans lie in the text, one behind the other, and read back as what was found."""
    money_readings(text, currency, decimal)
    last = 0
    for one in find_money(text, currency, decimal):
        assert last <= one.start < one.end <= len(text)
        assert read_money(text[one.start : one.end], currency, decimal) == one.value
        last = one.end


@given(AMOUNTS, st.integers(0, 20), st.integers(1, 9))
def test_another_digit_is_another_amount(amount: Decimal, place: int, step: int) -> None:
    """Changing one digit never leaves the amount the same."""
    printed = f"{amount:,.2f}"
    places = [at for at, char in enumerate(printed) if char.isdigit()]
    at = places[place % len(places)]
    changed = printed[:at] + str((int(printed[at]) + step) % 10) + printed[at + 1 :]
    assert read_money(changed) != read_money(printed)


@pytest.mark.parametrize(
    ("texts", "mark"),
    [
        (["1.234,56"], ","),
        (["1,234.56", "9.00"], "."),
        (["1,234,567"], "."),
        (["1.234", "12.05.2018", "1,234"], ""),
        (["9,00", "9.00"], ""),
        (["9,00", "9,50", "9.00"], ","),
        ([], ""),
    ],
)
def test_decimal_mark_of(texts: list[str], mark: str) -> None:
    """The amounts that can be read in one way only show the decimal mark; a draw shows none."""
    assert decimal_mark_of(texts) == mark


@pytest.mark.parametrize(
    ("text", "page", "currency"),
    [
        *(
            ("Amt(RM)", "", "MYR"),
            ("Total in EUR", "", "EUR"),
            ("$4.67", "", "USD"),
            ("$", "SGD", "SGD"),
        ),
        *(
            ("US$", "SGD", "USD"),
            ("USD/EUR 1.08", "", ""),
            ("SDN BHD", "", ""),
            ("TOP MAD CUP", "", ""),
        ),
        *(
            ("kr", "", ""),
            ("kr", "NOK", "NOK"),
            ("FARM", "", ""),
            ("金额(人民币)", "", "CNY"),
            ("", "", ""),
        ),
        *(("Ringgit", "", "MYR"), ("MOP", "", "MOP"), ("12 ft", "", "")),
    ],
)
def test_currency_of(text: str, page: str, currency: str) -> None:
    """A currency is told by sign, code or word, and not by words that look like codes."""
    assert currency_of(text, page) == currency
