"""Names apart from how they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_clm.values.names import name_form, same_name


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("MR. D.I.Y. (M) SDN BHD", "mrdiym"),
        ("Foo S/B", "foo"),
        ("Müller GmbH & Co. KG", "müller"),
        ("Foo L.L.C.", "foo"),
        ("Foo A/S", "foo"),
        ("Foo S.p.A.", "foo"),
        ("Foo Sp. z o.o.", "foo"),
        ("Davis-Johnson", "davisjohnson"),
        ("O’Brien Ltd", "obrien"),
        ("O'Brien, Limited", "obrien"),
        ("Ltd", "ltd"),
        ("北京某某有限公司", "北京某某"),
        ("Ｆｏｏ　Ｌｔｄ", "foo"),
        ("Mo Sa Su", "mosasu"),
        ("...", ""),
        ("", ""),
    ],
)
def test_name_form(text: str, form: str) -> None:
    """Case, punctuation, spaces and legal forms fall off; a name that is only a legal form stays."""
    assert name_form(text) == form


def test_same_name() -> None:
    """Names are the same whatever their legal form, and different words are different names."""
    assert same_name("MR. D.I.Y. (M) SDN BHD", "Mr DIY (M) Sdn. Bhd.")
    assert same_name("Reyes PLC", "REYES plc.")
    assert not same_name("Reyes PLC", "Reyes and Sons PLC")
    assert not same_name("Coast", "Co")
    assert not same_name("...", "---")


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text(a: str, b: str) -> None:
    """No text raises, and sameness has no direction."""
    assert same_name(a, b) == same_name(b, a)
    assert not name_form(a) or same_name(a, a)


@given(
    st.text("abcdefgh", min_size=1, max_size=20),
    st.sampled_from(["Ltd", "GmbH", "Sdn Bhd", "PLC", "S.A.", "s/b"]),
)
def test_legal_forms_fall_off(name: str, form: str) -> None:
    """A legal form behind a name does not change whose name it is."""
    plain = f"x{name}x"
    assert same_name(plain, f"{plain.title()} {form}")
