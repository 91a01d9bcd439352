"""What counts as evidence for an answer, and what does not."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_clm.ground import ground, rests_on
from edge_clm.occurrences import Occurrences
from edge_clm.page.fields.lab_check import side_of
from edge_clm.paper import (
    Candidate,
    Evidence,
    Extraction,
    Field,
    Grounded,
    Grounding,
    Line,
    PageKind,
    PageText,
    Table,
)
from edge_clm.values.value import Day, Money, Quantity, Text, Truth, Value

NOTHING = Extraction(PageKind.OTHER, "")


def page(*lines: str) -> PageText:
    """Lines one under the other, ten pixels to a character."""
    made = []
    for at, text in enumerate(lines):
        top, right = 20.0 * at, 10.0 * len(text)
        quad = ((0.0, top), (right, top), (right, top + 15), (0.0, top + 15))
        made.append(Line(text, quad, 1.0))
    return PageText(tuple(made), 0, 800, 20 * len(lines))


INVOICE = page(
    "Smith & Sons Ltd",
    "Invoice No. 738410",
    "Date 06 OCT, 1999",
    "2 x Blue Tea Pot 45.50 91.00",
    "Subtotal $91.00",
    "Total $100.10",
    "Paid by card 4000 1234",
)


def read(name: str, raw: str, value: Value, row: int, *, confidence: float = 0.9) -> Field:
    quad = (
        (50.0, 20.0 * row),
        (90.0, 20.0 * row),
        (90.0, 20.0 * row + 15),
        (50.0, 20.0 * row + 15),
    )
    return Field(name, Candidate(raw, value, (Evidence(raw, quad),), confidence))


def look(
    question: str, answer: str, asked: str = "", extraction: Extraction = NOTHING
) -> Grounding:
    return ground(question, answer, INVOICE, extraction, asked=asked)


@pytest.mark.parametrize(
    ("answer", "value", "words"),
    [
        ("The total is $100.10.", Money(Decimal("100.10"), "USD"), "$100.10"),
        ("100.10", Money(Decimal("100.10"), "USD"), "$100.10"),
        ("It is dated 6 October 1999.", Day((date(1999, 10, 6),)), "06 OCT, 1999"),
        ("The invoice number is 738410.", None, "738410"),
        ("The seller is Smith & Sons Ltd.", Text("Smith & Sons Ltd"), "Smith & Sons Ltd"),
        ("Smith and Sons", None, None),
        ("Blue Tea Pot", Text("Blue Tea Pot"), "Blue Tea Pot"),
    ],
)
def test_what_stands_on_the_page_is_found(
    answer: str, value: Value | None, words: str | None
) -> None:
    """An answer whose words or value stand there is grounded, with its value and its words."""
    found = look("What does it say?", answer)
    if words is None:
        assert found.grounded is Grounded.NO
        return
    assert found.grounded is Grounded.YES
    assert found.evidence[0].text == words
    if value is not None:
        assert found.value == value


@pytest.mark.parametrize(
    "answer",
    [
        "The total is $100.11.",
        "The total is $10.10.",
        "The total is $910.00.",
        "The number is 73841.",
        "The number is 7384100.",
        "It is dated 7 October 1999.",
        "The seller is Smith.son",
        "The seller is Smit.",
        "Tea Pot Blue",
        "1234 5",
    ],
)
def test_what_does_not_stand_there_says_so(answer: str) -> None:
    """A digit more or less, a part of a word, or the words in another order are no evidence."""
    assert look("What does it say?", answer).grounded is Grounded.NO


def test_a_point_makes_a_difference() -> None:
    """Words with digits keep the marks inside: 10010 and 100.10 are two things."""
    assert look("What does it say?", "10010").grounded is Grounded.NO


def test_evidence_is_the_box_of_the_words() -> None:
    """The box is cut out of the line in proportion to its characters."""
    [evidence] = look("What is the total?", "The total is $100.10.").evidence
    assert evidence.quad == ((60.0, 100.0), (130.0, 100.0), (130.0, 115.0), (60.0, 115.0))


@pytest.mark.parametrize("answer", ["4.50", "It costs 4.50 in all.", "Tea"])
def test_what_stands_in_several_places_rests_on_all_of_them(answer: str) -> None:
    """Nobody can say which of them was meant: on another capture any of them may read otherwise."""
    text = page("1 x Tea 4.50", "1 x Tea 4.50 again", "Total 9.00")
    found = ground("What does the second one say?", answer, text, NOTHING)
    assert found.grounded is Grounded.YES
    assert [item.quad[0][1] for item in found.evidence] == [0, 20]


def test_every_writing_of_a_value_is_evidence() -> None:
    """The quantity of the cups is not proven by that of the pots, nor a price by a box number."""
    text = page("Tea Pots 2 250.00", "Tea Cups 2.00 80.00", "PO Box 250")
    two = ground("What is the quantity of Tea Cups?", "2", text, NOTHING)
    price = ground("What is the price of the Tea Pots?", "250", text, NOTHING)
    assert {item.quad[0][1] for item in two.evidence} == {0, 20}
    assert {item.quad[0][1] for item in price.evidence} == {0, 40}


def test_words_may_run_over_lines() -> None:
    """A phrase over two lines is found, with a box in each."""
    text = page("Kaufmann and", "Partners GmbH", "Berlin")
    found = ground("Who is it?", "Kaufmann and Partners GmbH", text, NOTHING)
    assert found.grounded is Grounded.YES
    assert [item.text for item in found.evidence] == ["Kaufmann and", "Partners GmbH"]


def test_spaces_that_ocr_lost_do_not_count() -> None:
    """Words that OCR has run together are the same words."""
    text = page("KAUFMANNAND PARTNERS SDNBHD")
    found = ground("Who is it?", "Kaufmann and Partners Sdn Bhd", text, NOTHING)
    assert found.grounded is Grounded.YES


def test_a_known_field_counts_at_its_place_only() -> None:
    """The subtotal, though it stands on the page, is no evidence for the total."""
    total = read("total", "$100.10", Money(Decimal("100.10"), "USD"), 5)
    extraction = Extraction(PageKind.INVOICE, "en", (total,))
    right = look("What is the total?", "The total is $100.10.", "total", extraction)
    wrong = look("What is the total?", "The total is $91.00.", "total", extraction)
    assert (right.grounded, right.evidence) == (Grounded.YES, total.best.evidence)
    assert (wrong.grounded, wrong.evidence) == (Grounded.NO, ())
    assert wrong.value == Money(Decimal("91.00"), "USD")


def test_a_doubtful_field_decides_nothing() -> None:
    """Where the rules are not sure of a field, the page's words decide."""
    doubtful = read("total", "$91.00", Money(Decimal("91.00"), "USD"), 4, confidence=0.2)
    extraction = Extraction(PageKind.INVOICE, "en", (doubtful,))
    assert look("What is the total?", "$100.10", "total", extraction).grounded is Grounded.YES


def test_an_echo_of_the_question_proves_nothing() -> None:
    """A value that the question itself holds is no answer."""
    question = "How many tea pots at 45.50 were bought?"
    assert look(question, "There were 7 at 45.50.").grounded is Grounded.NO
    assert look(question, "At 45.50, 2 x").grounded is Grounded.YES


def test_every_value_of_a_description_must_stand_there() -> None:
    """A description with one invented amount is not grounded; one without values is not examined."""
    right = (
        "An invoice of Smith & Sons about 2 pots, dated 06 OCT, 1999, over $100.10 in all for tea."
    )
    wrong = right.replace("$100.10", "$100.20")
    prose = (
        "This document is an invoice of a company which sells pots and many other goods for tea."
    )
    assert look("", right).grounded is Grounded.YES
    assert look("", wrong).grounded is Grounded.NO
    assert look("", prose) == Grounding()


def test_nothing_said_is_nothing_examined() -> None:
    """An answer that only repeats the question states nothing that could be looked for."""
    assert look("What is the total?", "The total is") == Grounding()


LAB = Extraction(
    PageKind.LAB_REPORT,
    "en",
    tables=(
        Table(
            "analytes",
            (
                (
                    read("analyte", "Potassium", Text("Potassium"), 1),
                    read("value", "5.9", Quantity(Decimal("5.9"), "mmol/L"), 1),
                    read("range", "3.5 - 5.1", Text("3.5 - 5.1"), 1),
                ),
                (
                    read("analyte", "Sodium", Text("Sodium"), 2),
                    read("value", "140", Quantity(Decimal(140), "mmol/L"), 2),
                    read("range", "136 - 145", Text("136 - 145"), 2),
                ),
                (
                    read("analyte", "Urea", Text("Urea"), 3),
                    read("value", "5", Quantity(Decimal(5)), 3),
                ),
            ),
        ),
    ),
)


def judged(question: str, answer: str, extraction: Extraction = LAB) -> Grounding:
    return ground(question, answer, page("Potassium 5.9"), extraction, side_of=side_of)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Is the potassium out of range?", True),
        ("Is potassium within range?", False),
        ("Is the potassium normal?", False),
        ("Is the potassium not normal?", True),
        ("Is the potassium too high?", True),
        ("Is the potassium low?", False),
        ("Isn't the sodium abnormal?", False),
        ("Is the sodium out of the reference range?", False),
        ("Is the sodium more than 135?", True),
        ("Is the sodium at least 141?", False),
        ("Is urea below 6?", True),
        ("Is the potassium higher than normal?", True),
        ("Is the potassium below the normal range?", False),
        ("Is the potassium outside the normal limits?", True),
        ("Is potassium over 5 mmol/L?", True),
        ("Is the potassium more than or equal to 5.9?", True),
        ("Is the potassium no more than 5.9?", True),
        ("Is the potassium no higher than 5.9?", True),
        ("Is the potassium no lower than 6?", False),
    ],
)
def test_yes_and_no_are_worked_out(question: str, truth: bool) -> None:
    """A yes or no is grounded when arithmetic on what stands there says the same, else not."""
    said, other = ("Yes.", "No, it is not.") if truth else ("No.", "Yes, it is.")
    right = judged(question, said)
    wrong = judged(question, other)
    assert (right.grounded, right.value) == (Grounded.YES, Truth(truth))
    assert right.evidence
    assert (wrong.grounded, wrong.value) == (Grounded.NO, Truth(not truth))


@pytest.mark.parametrize(
    "question",
    [
        "Is urea out of range?",
        "Is the chloride high?",
        "Is it good?",
        "Is sodium between 1 and 2?",
        "Is the potassium over 5 mg/dL?",
        "Is the potassium over 1 January 2020?",
        "Is the potassium of report no. 12/A high?",
        "Is potassium neither high nor low?",
        "Is it not true that potassium is not in the normal range?",
        "Is the potassium more than twice 2?",
        "Is the potassium 10% above 5?",
    ],
)
def test_yes_without_operands_is_not_grounded(question: str) -> None:
    """Where range, analyte or comparison is missing, a yes rests on nothing."""
    assert judged(question, "Yes.").grounded is Grounded.NO


def test_an_amount_is_compared_with_the_question() -> None:
    """A comparison of a field is checked by its value."""
    total = read("total", "$100.10", Money(Decimal("100.10"), "USD"), 5)
    extraction = Extraction(PageKind.INVOICE, "en", (total,))
    assert look("Is the total over 100?", "Yes.", "", extraction).grounded is Grounded.YES
    assert look("Is the total over 101?", "Yes.", "", extraction).grounded is Grounded.NO


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_answer_can_be_examined(question: str, answer: str) -> None:
    """Nothing raises, and evidence is the page's own words."""
    found = look(question, answer)
    assert (found.grounded is Grounded.YES) == bool(found.evidence)
    whole = [line.text for line in INVOICE.lines]
    assert all(any(item.text in line for line in whole) for item in found.evidence)


@given(st.integers(0, 99_999_999))
def test_one_digit_off_is_never_grounded(cents: int) -> None:
    """An amount is grounded on a page with one amount just when it is that amount."""
    text = page("Grand total", f"RM {cents // 100}.{cents % 100:02}")
    for off in (0, 1, 10, 1000):
        said = f"RM {(cents + off) // 100}.{(cents + off) % 100:02}"
        found = ground("What is the sum?", said, text, NOTHING)
        assert (found.grounded is Grounded.YES) == (off == 0)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("06 OCT, 1999.", Day((date(1999, 10, 6),))),
        ("RM 9.00", Money(Decimal("9.00"), "MYR")),
        ("5.9 mmol/L", Quantity(Decimal("5.9"), "mmol/L")),
        ("Smith & Sons", Text("Smith & Sons")),
        ("12", Quantity(Decimal(12))),
        ("00412", Text("00412")),
        ("4711000815", Text("4711000815")),
        (".50", Money(Decimal("0.50"))),
    ],
)
def test_a_whole_text_is_typed(text: str, value: Value) -> None:
    """Dates, amounts, quantities and words are told apart."""
    assert Occurrences(page("Invoice 7"), PageKind.INVOICE).typed(text) == value


def test_what_is_another_field_is_no_evidence() -> None:
    """The buyer's name proves no seller, even where the rules have not found the seller."""
    buyer = read("buyer", "Smith & Sons Ltd", Text("Smith & Sons Ltd"), 0)
    extraction = Extraction(PageKind.INVOICE, "en", (buyer,))
    said = "The seller is Smith & Sons Ltd."
    assert look("Who is the seller?", said, "seller", extraction).grounded is Grounded.NO
    assert look("Who is the buyer?", said, "buyer", extraction).grounded is Grounded.YES
    assert look("Who is named first?", said, "", extraction).grounded is Grounded.UNEXAMINED
    doubtful = read("seller", "Smith & Sons Ltd", Text("Smith & Sons Ltd"), 0, confidence=0.3)
    both = Extraction(PageKind.INVOICE, "en", (buyer, doubtful))
    assert look("Who is the seller?", said, "seller", both).grounded is Grounded.YES


def test_a_second_value_beside_the_right_one_spoils_it() -> None:
    """An answer that offers two totals states none."""
    total = read("total", "$100.10", Money(Decimal("100.10"), "USD"), 5)
    extraction = Extraction(PageKind.INVOICE, "en", (total,))
    said = "The total is $100.10 or $91.00."
    assert look("What is the total?", said, "total", extraction).grounded is Grounded.NO


@pytest.mark.parametrize(
    ("line", "answer", "asked"),
    [
        ("Tea 3 5.00 15.00", "35.00", ""),
        ("Balance -12.50", "12.50", ""),
        ("Balance $12.50", "€12.50", ""),
        ("Troponin <0.5 ng/mL", "0.5 ng/mL", ""),
        ("Table 0042", "$42", ""),
        ("Dated 09/06/1999", "06/09/1999", ""),
        ("Total $100.10", "10010", "total"),
        ("Total $100.10", "-$100.10", "total"),
    ],
)
def test_what_looks_alike_is_not_the_same(line: str, answer: str, asked: str) -> None:
    """Neighbours run together, signs, currencies, bounds, noughts and swapped days are differences."""
    total = read("total", "$100.10", Money(Decimal("100.10"), "USD"), 0)
    extraction = Extraction(PageKind.INVOICE, "en", (total,) if asked else ())
    found = ground("What does it say?", answer, page(line), extraction, asked=asked)
    assert found.grounded is Grounded.NO


def test_a_page_is_read_by_its_own_habits() -> None:
    """What is open in an answer is read as the page writes it: its commas, its days and months."""
    german = page("Summe 1.250,50", "Menge 1,234 g/L", "am 31.12.1999", "bis 09.06.1999")
    for answer, grounded in [
        ("1234 g/L", Grounded.NO),
        ("1,234 g/L", Grounded.YES),
        ("06.09.1999", Grounded.NO),
        ("9 June 1999", Grounded.YES),
    ]:
        assert ground("Was steht da?", answer, german, NOTHING).grounded is grounded, answer


def test_two_results_of_one_name_are_not_told_apart() -> None:
    """A question about an analyte that stands there twice is not grounded in either."""
    [table] = LAB.tables
    twice = Extraction(LAB.kind, "en", tables=(Table(table.name, table.rows[:1] * 2),))
    assert judged("Is the potassium high?", "Yes.", twice).grounded is Grounded.NO


def test_amounts_of_two_currencies_are_not_compared() -> None:
    """A total in dollars is not over or under a bound in euros."""
    total = read("total", "$100.10", Money(Decimal("100.10"), "USD"), 5)
    extraction = Extraction(PageKind.INVOICE, "en", (total,))
    for answer in ("Yes.", "No."):
        assert look("Is the total over €100?", answer, "", extraction).grounded is Grounded.NO
    assert look("Is the total over $100?", "Yes.", "", extraction).grounded is Grounded.YES


@pytest.mark.parametrize(
    ("question", "answer", "grounded"),
    [
        ("What is the potassium?", "5.9 mmol/L", Grounded.YES),
        ("What is the potassium?", "5.9", Grounded.YES),
        ("What is the potassium?", "59", Grounded.NO),
        ("What is the potassium?", "140", Grounded.NO),
        ("What is the potassium?", "5.9 mg/dL", Grounded.NO),
        ("What is the reference range of potassium?", "3.5 - 5.1", Grounded.YES),
        ("What is the reference range of potassium?", "136 - 145", Grounded.NO),
    ],
)
def test_an_analyte_is_grounded_in_its_own_cell(
    question: str, answer: str, grounded: Grounded
) -> None:
    """What stands in another row of a lab report is no evidence for the analyte that is asked for."""
    assert judged(question, answer).grounded is grounded


@pytest.mark.parametrize(
    ("line", "answer", "grounded"),
    [
        ("Base excess -2.5", "2.5", Grounded.NO),
        ("Base excess -2.5", "-2.5", Grounded.YES),
        ("Potassium 5.9", "59", Grounded.NO),
        ("Weight 12.5", "125", Grounded.NO),
        ("Sample 4-512", "45-12", Grounded.NO),
        ("Sample 4-512", "4512", Grounded.YES),
        ("HBsAg Not detected", "Detected", Grounded.NO),
        ("HBsAg Not detected", "Not detected", Grounded.YES),
        ("No evidence of pneumothorax.", "pneumothorax", Grounded.NO),
        ("No evidence of pneumothorax.", "No evidence of pneumothorax", Grounded.YES),
        ("There is no 12 mm mass.", "12 mm mass", Grounded.NO),
        ("No effusion. There is a 12 mm mass.", "12 mm mass", Grounded.YES),
        ("The nodule is not seen any more.", "nodule", Grounded.NO),
    ],
)
def test_a_clinic_is_told_what_its_report_says(line: str, answer: str, grounded: Grounded) -> None:
    """Signs, decimal marks and denials count: the opposite of what is printed is not grounded."""
    report = Extraction(PageKind.RADIOLOGY_REPORT, "en")
    assert ground("What was found?", answer, page(line), report).grounded is grounded


def test_an_analyte_is_no_currency() -> None:
    """On a clinic's report INR is a ratio: its number is no amount of rupees."""
    report = Extraction(PageKind.LAB_REPORT, "en")
    found = ground("What was measured?", "5.9", page("INR 2.5", "Potassium 5.9"), report)
    assert (found.grounded, found.value) == (Grounded.YES, Quantity(Decimal("5.9")))


@pytest.mark.parametrize(
    "answer",
    [
        "The total is not $100.10.",
        "$100.10 thousand",
        "roughly $100.10 million",
        "The total is $100.10 per day",
        "$100.10 EUR",
    ],
)
def test_words_beside_a_value_may_make_another_of_it(answer: str) -> None:
    """The right digits with a denial, a scale or a second currency beside them are not the total."""
    total = read("total", "$100.10", Money(Decimal("100.10"), "USD"), 5)
    extraction = Extraction(PageKind.INVOICE, "en", (total,))
    assert look("What is the total?", answer, "total", extraction).grounded is Grounded.NO


def test_companies_of_two_legal_forms_are_two() -> None:
    """A legal form may be left out or written in full, but not be another one."""
    seller = read("seller", "Muster GmbH", Text("Muster GmbH"), 0)
    extraction = Extraction(PageKind.INVOICE, "de", (seller,))
    for said, grounded in [
        ("Muster GmbH", Grounded.YES),
        ("Muster", Grounded.YES),
        ("Muster AG", Grounded.NO),
    ]:
        assert look("Who is the seller?", said, "seller", extraction).grounded is grounded
    limited = read("seller", "Smith Limited", Text("Smith Limited"), 0)
    extraction = Extraction(PageKind.INVOICE, "en", (limited,))
    assert look("Who is the seller?", "Smith Ltd.", "seller", extraction).grounded is Grounded.YES


@pytest.mark.parametrize(
    "question",
    [
        "Is the total tax over $100?",
        "Is the total discount over $100?",
        "Is the total more than twice $100?",
        "Is the total over $0.1 thousand?",
    ],
)
def test_another_noun_is_another_question(question: str) -> None:
    """What is not understood to the last word is not worked out."""
    total = read("total", "$100.10", Money(Decimal("100.10"), "USD"), 5)
    tax = read("tax", "$9.10", Money(Decimal("9.10"), "USD"), 4)
    extraction = Extraction(PageKind.INVOICE, "en", (total, tax))
    for answer in ("Yes.", "No."):
        assert look(question, answer, "", extraction).grounded is Grounded.NO


@pytest.mark.parametrize(
    ("answer", "rests"),
    [
        ("142.25", True),
        ("The total is 142.25.", True),
        ("142.25, paid by Visa", False),
        ("Yes.", True),
        ("142.26", False),
        ("142.25 EUR", False),
    ],
)
def test_an_answer_rests_on_its_evidence_alone(answer: str, rests: bool) -> None:
    """Whatever it says that is neither in a box, nor in the question, nor nothing by itself, is not proven."""
    quad = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))
    evidence = (Evidence("142.25", quad),)
    assert rests_on("What is the total?", answer, evidence) is rests
