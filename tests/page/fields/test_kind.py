"""What kind of document a page is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_clm.page.fields.kind import kind_of
from edge_clm.paper import PageKind
from tests.page.fields.pages import page

INVOICE = (
    "Harbour Supplies Ltd",
    [(40, "INVOICE"), (700, "Invoice No: HS-20411")],
    [(40, "Bill to: Mornington Clinic"), (700, "Due date: 3 May 2024")],
    [(40, "Description"), (500, "Quantity"), (700, "Unit price"), (850, "Amount")],
    [(40, "Nitrile gloves, box"), (500, "12"), (700, "7.50"), (850, "90.00")],
    [(700, "Subtotal"), (850, "90.00")],
    [(700, "Balance due"), (850, "108.00")],
)
RECEIPT = (
    "CORNER GROCER",
    "TAX INVOICE",
    [(40, "Milk 1L"), (300, "3.20")],
    [(40, "Bread"), (300, "4.10")],
    [(40, "TOTAL"), (300, "7.30")],
    [(40, "CASH"), (300, "10.00")],
    [(40, "CHANGE"), (300, "2.70")],
    "Thank you, please come again",
)
LAB = (
    "Northside Pathology",
    [(40, "Patient: Ada Quist"), (600, "Specimen: serum")],
    [(40, "Test"), (400, "Result"), (550, "Units"), (700, "Reference range")],
    [(40, "Sodium"), (400, "141"), (550, "mmol/L"), (700, "136 - 145")],
    [(40, "Potassium"), (400, "5.9 H"), (550, "mmol/L"), (700, "3.5 - 5.1")],
)
RADIOLOGY = (
    "Department of Radiology",
    "Exam: CT abdomen",
    "Indication: abdominal pain.",
    "FINDINGS:",
    "There is a 1.2 x 0.8 cm cyst in the left kidney.",
    "IMPRESSION:",
    "No acute abnormality.",
)
LETTER = (
    "Dear Ms Okafor,",
    "it was good to see the whole family at the lake last summer.",
    "We plan to be there again in July, and hope that all of you can come.",
)


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        (INVOICE, PageKind.INVOICE),
        (RECEIPT, PageKind.RECEIPT),
        (LAB, PageKind.LAB_REPORT),
        (RADIOLOGY, PageKind.RADIOLOGY_REPORT),
        (LETTER, PageKind.OTHER),
        ((), PageKind.OTHER),
    ],
)
@pytest.mark.parametrize("tilt", [0.0, -7.0])
def test_words_and_shape_tell_the_kind(rows: tuple[str, ...], kind: PageKind, tilt: float) -> None:
    """A usual page of each kind is told, level or tilted."""
    assert kind_of(page(*rows, tilt=tilt)) is kind


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        (
            ("Rechnung", "Rechnungsnummer: 118", "Menge Einzelpreis Betrag", "Gesamtbetrag 118,00"),
            PageKind.INVOICE,
        ),
        (
            (
                "市第一医院检验报告单",
                "姓名：李雷",
                "项目 结果 单位 参考范围",
                "血红蛋白 132 g/L 115-150",
            ),
            PageKind.LAB_REPORT,
        ),
        (
            ("CT检查报告单", "影像所见：双肺纹理清晰", "诊断意见：未见异常"),
            PageKind.RADIOLOGY_REPORT,
        ),
        (("超市购物小票", "牛奶 12.50", "实收 20.00", "找零 7.50", "谢谢惠顾"), PageKind.RECEIPT),
        (
            ("Compte rendu d'imagerie", "Indication : douleur", "Conclusion : pas d'anomalie"),
            PageKind.RADIOLOGY_REPORT,
        ),
        (
            ("Análisis clínicos", "Prueba Resultado Unidades", "Glucosa 92 mg/dL 70 - 100"),
            PageKind.LAB_REPORT,
        ),
    ],
)
def test_other_languages_are_told(rows: tuple[str, ...], kind: PageKind) -> None:
    """The kind is known by the words of other languages as well."""
    assert kind_of(page(*rows)) is kind


def test_a_till_roll_is_a_receipt_whatever_its_title() -> None:
    """A narrow slip that is paid in cash is a receipt; the same words across a sheet are an invoice."""
    assert kind_of(page(*RECEIPT)) is PageKind.RECEIPT
    assert kind_of(page(*INVOICE)) is PageKind.INVOICE
    slip = (
        [(40.0, "TAX INVOICE")],
        [(40.0, "CASH"), (300.0, "7.30")],
        [(40.0, "TOTAL"), (300.0, "7.30")],
    )
    sheet = (
        [(40.0, "TAX INVOICE")],
        [(40.0, "CASH"), (900.0, "7.30")],
        [(40.0, "TOTAL"), (900.0, "7.30")],
    )
    assert (kind_of(page(*slip)), kind_of(page(*sheet))) == (PageKind.RECEIPT, PageKind.INVOICE)


def test_spaces_lost_by_ocr_do_not_matter() -> None:
    """Labels run together are the same labels."""
    rows = ("TAXINVOICE", "InvoiceNo:7781", "BillTo: A. Quist", "AmountDue 12.00")
    assert kind_of(page(*rows, [(40.0, "x"), (900.0, "y")])) is PageKind.INVOICE


@settings(deadline=None)
@given(st.lists(st.text(max_size=60), max_size=12))
def test_any_text_is_of_some_kind(rows: list[str]) -> None:
    """Odd characters raise nothing."""
    assert kind_of(page(*rows)) in PageKind
