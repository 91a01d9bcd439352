from __future__ import annotations

import base64
import hmac
import re
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from edge_clm.memory.keys import handle_of, joint_hash_of, page_key_of
from edge_clm.types import Suffix
from tests.memory.samples import sha

KEY = bytes(range(32))
OTHER_KEY = bytes(range(1, 33))


class Fields(NamedTuple):
    """What a joint hash is made of."""

    tenant: str
    page_key: str
    page_version: int
    text: str
    guard: tuple[str, ...]
    language: str
    format: str
    fingerprint: str

    def hashed(self) -> str:
        return joint_hash_of(
            tenant=self.tenant,
            page_key=self.page_key,
            page_version=self.page_version,
            suffix=Suffix(self.text, self.guard),
            language=self.language,
            format=self.format,
            fingerprint=self.fingerprint,
        )


# Few letters and short fields, so that joined without borders many tuples would be one.
short = st.text("a1\x00", max_size=2)
fields = st.builds(
    Fields,
    short,
    short,
    st.integers(0, 12),
    short,
    st.lists(short, max_size=3).map(tuple),
    short,
    short,
    short,
)
PLAIN = Fields("t", "p", 1, "total", (), "en", "text", "f")


@given(fields, fields)
@example(PLAIN, PLAIN._replace(guard=("en",), language="text", format="f", fingerprint=""))
@example(PLAIN._replace(guard=("a", "b")), PLAIN._replace(guard=("ab",)))
@example(PLAIN._replace(guard=("a",)), PLAIN._replace(text="totala"))
@example(PLAIN._replace(page_key="p1", page_version=1), PLAIN._replace(page_version=11))
def test_different_fields_have_different_joint_hashes(one: Fields, other: Fields) -> None:
    """Two joint hashes are equal exactly when every field is."""
    assert (one.hashed() == other.hashed()) == (one == other)


@pytest.mark.parametrize("field", Fields._fields)
def test_every_field_counts(field: str) -> None:
    """No field can change without changing the joint hash."""
    changed: Any = {"page_version": 2, "guard": ("not",)}.get(field, "changed")
    assert PLAIN._replace(**{field: changed}).hashed() != PLAIN.hashed()


def test_a_joint_hash_is_a_whole_sha256() -> None:
    """Digests are never cut."""
    assert re.fullmatch("[0-9a-f]{64}", PLAIN.hashed())


@given(st.binary(min_size=32, max_size=32), st.binary(max_size=64))
def test_a_handle_is_the_hmac_of_the_bytes_digest(key: bytes, data: bytes) -> None:
    """A handle is c_ and the whole HMAC-SHA256 of the file's digest in lower-case base32."""
    handle = handle_of(key, sha(data))
    assert re.fullmatch("c_[a-z2-7]{52}", handle)
    code = base64.b32decode(handle[2:].upper() + "====")
    assert code == hmac.new(key, bytes.fromhex(sha(data)), "sha256").digest()


@given(st.binary(max_size=8), st.binary(max_size=8))
def test_names_differ_with_what_they_name(one: bytes, other: bytes) -> None:
    """Two files share a handle, and two pictures a page key, only when they are the same."""
    same = one == other
    assert (handle_of(KEY, sha(one)) == handle_of(KEY, sha(other))) == same
    assert (page_key_of(KEY, sha(one)) == page_key_of(KEY, sha(other))) == same


def test_names_differ_between_tenants() -> None:
    """The same file and picture have other names for another tenant."""
    assert handle_of(KEY, sha(b"x")) != handle_of(OTHER_KEY, sha(b"x"))
    assert page_key_of(KEY, sha(b"x")) != page_key_of(OTHER_KEY, sha(b"x"))


def test_a_page_key_says_nothing_of_the_handle() -> None:
    """One digest as a file's and as a picture's gives unrelated names."""
    code = base64.b32decode(handle_of(KEY, sha(b"x"))[2:].upper() + "====").hex()
    assert page_key_of(KEY, sha(b"x")) != code


@pytest.mark.parametrize("wrong", ["", "ab", "g" * 64, "a" * 63, "a" * 66])
def test_what_is_no_digest_is_refused(wrong: str) -> None:
    """A cut or mistyped SHA-256 names nothing."""
    with pytest.raises(ValueError):
        handle_of(KEY, wrong)
    with pytest.raises(ValueError):
        page_key_of(KEY, wrong)
