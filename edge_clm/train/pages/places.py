"""Countries: what language, money, numbers and taxes documents have there."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Literal

from edge_clm.train.pages.draw import weighted

Order = Literal["dmy", "mdy", "ymd"]


@dataclass(frozen=True, slots=True)
class Place:
    """A country as documents show it."""

    code: str
    language: str
    names: str
    """The locale that names of people, streets and towns are made for."""
    currency: str
    signs: tuple[str, ...]
    """Ways to write the currency besides its code."""
    decimal: str
    thousands: tuple[str, ...]
    order: Order
    taxes: tuple[str, ...]
    rates: tuple[str, ...]
    legal: tuple[str, ...]
    weight: float
    cents: int = 2
    tills: float = 1
    """How much more often its receipts are met than its invoices."""

    def rate(self, rng: Random) -> Decimal:
        """A rate of tax in per cent."""
        return Decimal(rng.choice(self.rates))


_EN = ("Ltd", "Limited", "Inc.", "LLC", "Co.")
PLACES = (
    Place(
        *("US", "en", "en_US", "USD", ("$", "$", "$ ", "US$"), ".", (",",), "mdy"),
        ("Sales Tax", "Tax", "State Tax", "TAX"),
        ("4.5", "5", "6.25", "7", "8.25", "8.875", "10"),
        ("Inc.", "LLC", "Inc", "Corp.", "Co.", "& Sons", "LLP"),
        20,
    ),
    Place(
        *("GB", "en", "en_GB", "GBP", ("£",), ".", (",",), "dmy"),
        ("VAT",),
        ("20", "5", "20"),
        ("Ltd", "Limited", "PLC", "LLP", "Ltd."),
        12,
    ),
    Place(
        *("MY", "en", "ms_MY", "MYR", ("RM", "RM ", "RM"), ".", (",",), "dmy"),
        ("GST", "SST", "Service Tax", "GST @", "Tax"),
        ("6", "6", "8", "10"),
        ("SDN BHD", "SDN. BHD.", "Sdn Bhd", "ENTERPRISE", "(M) SDN BHD", "TRADING", "S/B", "BHD"),
        18,
        tills=2,
    ),
    Place(
        *("MY", "ms", "ms_MY", "MYR", ("RM", "RM "), ".", (",",), "dmy"),
        ("SST", "Cukai", "GST"),
        ("6", "8", "10"),
        ("SDN BHD", "Sdn. Bhd.", "ENTERPRISE"),
        5,
    ),
    Place(
        *("SG", "en", "en_SG", "SGD", ("S$", "$"), ".", (",",), "dmy"),
        ("GST",),
        ("7", "8", "9"),
        ("PTE LTD", "Pte. Ltd.", "LLP"),
        5,
    ),
    Place(
        *("AU", "en", "en_AU", "AUD", ("$", "A$"), ".", (",",), "dmy"),
        ("GST",),
        ("10",),
        ("Pty Ltd", "PTY. LTD."),
        5,
    ),
    Place(
        *("IN", "en", "en_IN", "INR", ("Rs.", "Rs ", "INR "), ".", (",",), "dmy"),
        ("GST", "IGST", "Tax"),
        ("5", "12", "18"),
        ("Pvt. Ltd.", "Private Limited", "& Co.", "Enterprises", "Traders"),
        6,
    ),
    Place(
        *("CA", "en", "en_CA", "CAD", ("$", "CA$"), ".", (",",), "mdy"),
        ("HST", "GST", "Tax"),
        ("5", "13", "15"),
        ("Inc.", "Ltd.", "Corp."),
        4,
    ),
    Place(
        *("ZA", "en", "en_GB", "ZAR", ("ZAR ", "ZAR"), ".", (",", " "), "dmy"),
        ("VAT",),
        ("15",),
        ("(Pty) Ltd", "CC"),
        2,
    ),
    Place(
        *("IE", "en", "en_IE", "EUR", ("€",), ".", (",",), "dmy"),
        ("VAT",),
        ("23", "13.5"),
        ("Ltd", "DAC", "Limited"),
        2,
    ),
    Place(
        *("AE", "en", "en_GB", "AED", ("AED ", "AED"), ".", (",",), "dmy"),
        ("VAT",),
        ("5",),
        ("LLC", "L.L.C.", "FZE", "Trading LLC"),
        2,
    ),
    Place(
        *("DE", "de", "de_DE", "EUR", ("€", " €", " EUR"), ",", (".",), "dmy"),
        ("MwSt", "USt", "MwSt.", "Umsatzsteuer"),
        ("19", "7", "19"),
        ("GmbH", "AG", "KG", "GmbH & Co. KG", "e.K.", "OHG", "UG"),
        7,
    ),
    Place(
        *("CH", "de", "de_CH", "CHF", ("CHF ", "Fr. "), ".", ("'",), "dmy"),
        ("MwSt", "MWST"),
        ("8.1", "7.7", "2.6"),
        ("AG", "GmbH"),
        2,
    ),
    Place(
        *("FR", "fr", "fr_FR", "EUR", (" €", "€", " EUR"), ",", (" ", "."), "dmy"),
        ("TVA",),
        ("20", "10", "5.5"),
        ("SARL", "SAS", "SA", "EURL", "& Fils"),
        6,
    ),
    Place(
        *("ES", "es", "es_ES", "EUR", (" €", "€"), ",", (".",), "dmy"),
        ("IVA", "I.V.A."),
        ("21", "10", "4"),
        ("S.L.", "S.A.", "SL", "S.L.U."),
        5,
    ),
    Place(
        *("MX", "es", "es_MX", "MXN", ("$", "$ "), ".", (",",), "dmy"),
        ("IVA",),
        ("16",),
        ("S.A. de C.V.", "S. de R.L."),
        2,
    ),
    Place(
        *("CN", "zh", "zh_CN", "CNY", ("¥", "￥"), ".", (",",), "ymd"),
        ("税额", "增值税"),
        ("13", "6", "9"),
        ("有限公司", "有限责任公司", "商行"),
        3,
    ),
    Place(
        *("JP", "en", "en_US", "JPY", ("¥", "JPY "), ".", (",",), "ymd"),
        ("Consumption Tax", "Tax"),
        ("10", "8"),
        ("K.K.", "Co., Ltd."),
        1,
        cents=0,
    ),
)


def place_of(rng: Random, languages: frozenset[str], receipt: bool) -> Place:
    """A country with one of the languages, the usual ones more often; for a receipt or for another page."""
    known = [one for one in PLACES if one.language in languages]
    return weighted(rng, {one: one.weight * (one.tills if receipt else 1) for one in known})
