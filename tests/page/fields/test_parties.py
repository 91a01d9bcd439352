"""Who sells and who buys."""

from __future__ import annotations

import pytest

from tests.page.fields.pages import page
from tests.page.fields.reading import read, slip


def test_seller_on_a_receipt() -> None:
    """The name at the head of a receipt, without its registration."""
    fields = slip(
        page(
            "john",
            "CORNER MART SDN BHD (519537-X)",
            "LOT 12, JALAN SATU,",
            "43200 CHERAS, SELANGOR",
            "GST ID: 000181747712",
        )
    )
    assert fields["seller"].best.raw == "CORNER MART SDN BHD"
    assert fields["seller_address"].best.raw == "LOT 12, JALAN SATU, 43200 CHERAS, SELANGOR"
    assert fields["seller_tax_id"].best.raw == "000181747712"


def test_name_in_two_rows() -> None:
    """A legal form alone in the next row ends the name."""
    fields = slip(page("GREEN LEAF VEGETARIAN", "RESTAURANT SDN BHD", "12, JALAN SATU,"))
    assert fields["seller"].best.raw == "GREEN LEAF VEGETARIAN RESTAURANT SDN BHD"
    assert len(fields["seller"].best.evidence) == 2


def test_titles_are_no_names() -> None:
    """The title of the document and stamps are not who sells."""
    fields = slip(page("TAX INVOICE", "PAID", "Indah Gift & Home", "27, Jalan Dedap"))
    assert fields["seller"].best.raw == "Indah Gift & Home"


def test_buyer_by_label() -> None:
    """The block under a label is the buyer's; of a person and a firm in it the firm buys."""
    fields = read(
        page(
            "Leach Inc",
            "747 Hendricks Junctions",
            "South Town, MS 95850",
            "",
            "BILL TO",
            "Kevin Bryant",
            "Reyes PLC",
            "126 Michael Causeway",
            "New Mark, CA 92356",
        )
    )
    assert fields["seller"].best.raw == "Leach Inc"
    assert fields["buyer"].best.raw == "Reyes PLC"
    assert "126 Michael Causeway" in fields["buyer_address"].best.raw


def test_two_blocks_without_labels() -> None:
    """Of two blocks beside each other the left one sells."""
    fields = read(
        page(
            [(40, "Gates, Myers and Stone"), (600, "Franklin PLC")],
            [(40, "50479 Anderson Manors"), (600, "956 Steven Mountain")],
            [(40, "Doverview, MI 50108"), (600, "New Town, NH 88113")],
            "",
            "Invoice Number: 5097",
        )
    )
    assert fields["seller"].best.raw == "Gates, Myers and Stone"
    assert fields["buyer"].best.raw == "Franklin PLC"


def test_seller_by_label() -> None:
    """A label says who sells, wherever it stands."""
    fields = read(
        page("Bill to: Smith & Co", "12 High Street", "", "Seller: Jones Ltd", "5 Low Road")
    )
    assert fields["seller"].best.raw == "Jones Ltd"
    assert fields["buyer"].best.raw == "Smith & Co"


def test_a_name_that_breaks_off_goes_on_in_the_next_line() -> None:
    """A line that ends with a joining word is half of a name, for seller and buyer alike."""
    fields = read(
        page(
            "GRAVONA ELECTRONICS &",
            "HARDWARE SDN BHD",
            "12 Jalan Maju",
            "Tax Invoice",
            "Issued to:",
            "North and",
            "South Bakery Ltd",
            "7 Reed Dip",
            "Total 9.90",
        )
    )
    assert fields["seller"].best.raw == "GRAVONA ELECTRONICS & HARDWARE SDN BHD"
    assert fields["buyer"].best.raw == "North and South Bakery Ltd"


@pytest.mark.parametrize("town", ["Udaipur 745104", "Courtneyside 2664", "Liam Ville K02 5YRK"])
def test_a_town_with_its_code_belongs_to_the_address(town: str) -> None:
    """Codes of six and of four digits, and Irish ones, end an address."""
    fields = read(page("Smith Bakery Ltd", "16 Shields Street", town, "Tax Invoice", "Total 9.90"))
    assert fields["seller_address"].best.raw.endswith(town)
