"""The language of a page."""

from __future__ import annotations

import csv
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_clm.page.fields.language import language_of
from tests.page.fields.pages import page

PAGES = {
    "en": ("Invoice Number: 4711", "Please pay within 30 days", "Thank you for your order"),
    "de": (
        "Rechnung Nr. 2024-118",
        "Bitte überweisen Sie den Betrag",
        "bis zum 31.03.2024",
        "Vielen Dank",
    ),
    "fr": ("Facture n° 889", "Montant à régler avant le 12/05/2024", "Merci de votre visite"),
    "es": ("Factura 889", "Importe total de la compra", "Gracias por su visita, vuelva pronto"),
    "it": ("Fattura n. 889", "Totale da pagare", "Grazie e arrivederci", "Scadenza del pagamento"),
    "nl": ("Factuurnummer 889", "Te betalen voor 12-05-2024", "Bedankt voor uw bezoek"),
    "pt": ("Fatura n. 889", "Valor total com desconto", "Obrigado, volte sempre", "Não há troca"),
    "ms": ("Resit Rasmi", "Tarikh 12/05/2024", "Cukai 6%", "Terima kasih, sila datang lagi"),
    "id": ("Struk pembelian", "Tanggal 12/05/2024", "Kembali 2.000", "Barang yang sudah dibeli"),
    "zh": ("检验报告单", "姓名 王小明 性别 男", "白细胞计数 5.2 10^9/L", "参考范围 3.5-9.5"),
}


@pytest.mark.parametrize("language", PAGES)
def test_few_rows_of_a_document_tell_its_language(language: str) -> None:
    """A handful of labels and a sentence are enough."""
    assert language_of(page(*PAGES[language])) == language


@pytest.mark.parametrize(
    "rows",
    [
        (),
        ("9556939040116", "1 PC  9.000  0.00  9.00", "16/03/2018 21:28"),
        (
            "RESTORAN WAN SHENG",
            "NO 2, JALAN TEMENGGUNG",
            "SEKSYEN 9, BANDAR MAHKOTA CHERAS",
            "43200",
        ),
        ("MÜLLER & SÖHNE", "00123 45 17.80", "XK-4411"),
    ],
)
def test_numbers_and_names_tell_no_language(rows: tuple[str, ...]) -> None:
    """A page without small words and labels is not given a language by its addresses."""
    assert language_of(page(*rows)) == ""


def test_an_address_does_not_make_an_english_receipt_malay() -> None:
    """Labels outweigh streets, towns and legal forms."""
    rows = (
        "PERNIAGAAN ZHENG HUI SDN BHD",
        "NO.59 JALAN PERMAS 9/5, BANDAR BARU PERMAS JAYA",
        "81750 JOHOR BAHRU",
        "TAX INVOICE",
        "Description  Qty  Price  Total",
        "Goods sold are not returnable",
        "谢谢惠顾",
    )
    assert language_of(page(*rows)) == "en"


def test_kana_beside_characters_is_not_chinese() -> None:
    """Japanese is none of the languages told apart."""
    assert language_of(page("領収書 ありがとうございます", "お買い上げいただきました")) == ""


def test_english_reports_are_english(documents: Path) -> None:
    """Radiology reports in English prose are told so, however short."""
    with (documents / "reports" / "iu_xray_reports.csv").open(newline="", encoding="utf-8") as file:
        texts = [[row["findings"], row["impression"]] for row in islice(csv.DictReader(file), 100)]
    told = {language_of(page(*rows)) for rows in texts if len(" ".join(rows).split()) > 12}
    assert told == {"en"}


@settings(deadline=None)
@given(st.lists(st.text(max_size=60), max_size=12))
def test_any_text_has_a_language_or_none(rows: list[str]) -> None:
    """Odd characters raise nothing."""
    assert language_of(page(*rows)) in {"", *PAGES}
