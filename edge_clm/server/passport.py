"""What a client certificate says: the tenant in its name, for as long as it is valid."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from functools import lru_cache

from cryptography import x509
from cryptography.x509.oid import NameOID

from edge_clm.errors import CertificateRefused
from edge_clm.server.call import Context

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""What a tenant may be called; the name goes into logs."""


@dataclass(frozen=True, slots=True)
class Passport:
    """A client certificate whose signature and dates the TLS handshake has checked."""

    tenant: str
    until: float
    """When it ceases to be valid, in seconds since 1970."""


def certified(context: Context) -> str | None:
    """The tenant of the caller's certificate; None for a caller that showed none.

    Raises CertificateRefused where the certificate names no tenant, or has expired on a connection
    that was made before.
    """
    shown = context.auth_context().get("x509_pem_cert")
    return admitted(bytes(next(iter(shown))), time.time()) if shown else None


def admitted(pem: bytes, now: float) -> str:
    """The tenant of a verified certificate at the time `now` (seconds since 1970); raises likewise."""
    passport = _read(pem)
    if now > passport.until:
        raise CertificateRefused("the certificate has expired since the connection was made")
    return passport.tenant


@lru_cache(maxsize=256)
def _read(pem: bytes) -> Passport:
    try:
        certificate = x509.load_pem_x509_certificate(pem)
        subject = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
        names = [str(name.value) for name in subject]
        until = certificate.not_valid_after_utc.timestamp()
    except ValueError as error:
        raise CertificateRefused("the certificate cannot be read") from error
    if len(names) != 1 or not NAME.fullmatch(names[0]):
        # Its other names, of a host or of a person, were given out for something else.
        raise CertificateRefused("the certificate has no one common name that a tenant can have")
    return Passport(names[0], until)
