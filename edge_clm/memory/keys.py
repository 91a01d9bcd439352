"""Names of captures, pages and answers: pure functions of what they name."""

from __future__ import annotations

import base64
import hashlib
import hmac

from edge_clm.types import Suffix

_DIGEST_BYTES = 32
_PAGE_DOMAIN = b"edge_clm page 1\x00"
_JOINT_DOMAIN = b"edge_clm joint hash 1\x00"


def handle_of(tenant_key: bytes, bytes_sha256: str) -> str:
    """The handle of a capture: the same bytes have one for each tenant, and no tenant can guess another's.

    Takes the hex SHA-256 of the file; returns "c_" and 52 letters or digits. Raises ValueError for
    what is no SHA-256.
    """
    code = hmac.digest(tenant_key, _digest(bytes_sha256), "sha256")
    return "c_" + base64.b32encode(code).decode("ascii").rstrip("=").lower()


def page_key_of(tenant_key: bytes, pixels_sha256: str) -> str:
    """The page key of canonical pixels, as 64 hex digits.

    Takes the hex SHA-256 of `Canonical`. Raises ValueError for what is no SHA-256.
    """
    return hmac.digest(tenant_key, _PAGE_DOMAIN + _digest(pixels_sha256), "sha256").hex()


def joint_hash_of(
    *,
    tenant: str,
    page_key: str,
    page_version: int,
    suffix: Suffix,
    language: str,
    format: str,
    fingerprint: str,
) -> str:
    """The joint hash under which the answer to a suffix about a page is kept, as 64 hex digits."""
    hashed = hashlib.sha256(_JOINT_DOMAIN)
    # Four fields before and three after: however many tokens the guard has, none passes for a field.
    before = (tenant, page_key, str(page_version), suffix.text)
    for field in (*before, *suffix.guard, language, format, fingerprint):
        hashed.update(_framed(field))
    return hashed.hexdigest()


def _framed(field: str) -> bytes:
    encoded = field.encode("utf-8")
    return len(encoded).to_bytes(8, "big") + encoded


def _digest(hexadecimal: str) -> bytes:
    digest = bytes.fromhex(hexadecimal)
    if len(digest) != _DIGEST_BYTES:
        raise ValueError(f"a SHA-256 has {_DIGEST_BYTES} bytes, not {len(digest)}")
    return digest
