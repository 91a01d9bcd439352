"""The certificate that TCP is served with, its key, and whose client certificates are accepted."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import grpc
import structlog
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
)

from edge_clm.config import Server
from edge_clm.errors import CertificateUnusable, ConfigInvalid

WARN_DAYS = 30
"""Days before its end from which on a certificate is warned of."""

_DAY_S = 86_400.0
_OTHERS = 0o007
_RSA_BITS = 2048
_CURVES = ("secp256r1", "secp384r1")
"""Those that gRPC's TLS library serves with; another key is taken and then fails every handshake."""

log = structlog.get_logger(__name__)

Stamp = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Material:
    """What TLS needs, read and found right."""

    certificate: bytes
    """PEM, the daemon's own certificate first."""
    key: bytes
    """PEM."""
    client_ca: bytes | None
    """PEM; None where no client certificate is asked for."""
    until: float
    """When the first certificate that counts now ends, in seconds since 1970."""

    def days_left(self, now: float) -> float:
        """Days from `now` (seconds since 1970) until a new certificate is needed."""
        return (self.until - now) / _DAY_S

    def configuration(self) -> grpc.ServerCertificateConfiguration:
        """The same for gRPC."""
        pairs = [(self.key, self.certificate)]
        return grpc.ssl_server_certificate_configuration(pairs, self.client_ca)


def wanted(settings: Server) -> bool:
    """Whether TCP is served with TLS; raises ConfigInvalid where only part of what it needs is named."""
    if bool(settings.tls_certificate) != bool(settings.tls_key):
        missing = "tls_key" if settings.tls_certificate else "tls_certificate"
        raise ConfigInvalid(f"server.{missing} is not set, and its counterpart is")
    if settings.tls_client_ca and not settings.tls_certificate:
        raise ConfigInvalid("server.tls_client_ca needs server.tls_certificate and server.tls_key")
    return bool(settings.tls_certificate)


def read(settings: Server, now: float) -> Material:
    """Reads and checks the files as of `now` (seconds since 1970).

    Raises CertificateUnusable, naming the file, for one that cannot be read or is no PEM, a key that
    every user can read, that has a passphrase, is of a kind that TLS cannot be served with or belongs
    to another certificate, a certificate whose time has passed or has not come, and authorities of
    which none is valid.
    """
    key = _bytes(settings.tls_key, "server.tls_key", secret=True)
    certificate, chain = _certificates(settings.tls_certificate, "server.tls_certificate")
    _ensure_matching(key, chain[0], settings)
    client_ca, valid = None, chain
    for each in chain:
        _ensure_current(each, settings.tls_certificate, "server.tls_certificate", now)
    if settings.tls_client_ca:
        client_ca, authorities = _certificates(settings.tls_client_ca, "server.tls_client_ca")
        _ensure_authorities(authorities, settings.tls_client_ca)
        valid = [*chain, *_current(authorities, settings.tls_client_ca, now)]
    until = min(each.not_valid_after_utc.timestamp() for each in valid)
    return Material(certificate, key, client_ca, until)


class Certificates:
    """Follows the files: new ones count from the next handshake on, unusable ones change nothing.

    Safe to be asked from gRPC's own threads.
    """

    def __init__(self, settings: Server) -> None:
        """Raises like `read`."""
        self._settings = settings
        self._lock = threading.Lock()
        self._stamp = self._stamped()
        self._material = read(settings, time.time())
        self._warn_of_end()

    @property
    def until(self) -> float:
        """When the first certificate that counts now ends, in seconds since 1970."""
        return self._material.until

    def credentials(self) -> grpc.ServerCredentials:
        """What gRPC serves with; it asks at every handshake whether there is something new."""
        asked = self._settings.tls_client_ca != ""
        return grpc.dynamic_ssl_server_credentials(
            self._material.configuration(), self._latest, require_client_authentication=asked
        )

    def reload(self) -> None:
        """Reads the files again; what cannot be used is logged, and the old ones stay."""
        with self._lock:
            self._stamp = self._stamped()
            self._read()

    def _latest(self) -> grpc.ServerCertificateConfiguration:
        with self._lock:
            stamp = self._stamped()
            if stamp != self._stamp:
                self._stamp = stamp
                self._read()
            return self._material.configuration()

    def _read(self) -> None:
        try:
            self._material = read(self._settings, time.time())
        except CertificateUnusable as error:
            log.warning("certificates not reloaded", reason=error.reason, message=error.message)
            return
        log.info("certificates reloaded")
        self._warn_of_end()

    def _warn_of_end(self) -> None:
        days = self._material.days_left(time.time())
        if days < WARN_DAYS:
            log.warning("a certificate ends soon", days=round(days, 1))

    def _stamped(self) -> Stamp:
        named = (
            self._settings.tls_certificate,
            self._settings.tls_key,
            self._settings.tls_client_ca,
        )
        return tuple(_stamp(Path(path)) for path in named if path)


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        status = path.stat()
    except OSError:
        # Told when it is read; until then the old one stays.
        return ()
    return status.st_ino, status.st_mtime_ns, status.st_size, status.st_mode


def _bytes(path: str, field: str, *, secret: bool = False) -> bytes:
    try:
        with Path(path).open("rb") as file:
            if secret and os.fstat(file.fileno()).st_mode & _OTHERS:
                raise CertificateUnusable(
                    f"{path} is open to every user; chmod it to 0640 or less", field=field
                )
            return file.read()
    except OSError as error:
        raise CertificateUnusable(f"{path}: {error.strerror}", field=field) from error


def _certificates(path: str, field: str) -> tuple[bytes, list[x509.Certificate]]:
    pem = _bytes(path, field)
    try:
        return pem, x509.load_pem_x509_certificates(pem)
    except ValueError as error:
        raise CertificateUnusable(f"{path} holds no certificate in PEM", field=field) from error


def _ensure_matching(key: bytes, certificate: x509.Certificate, settings: Server) -> None:
    field, path = "server.tls_key", settings.tls_key
    try:
        public = load_pem_private_key(key, None).public_key()
    except TypeError as error:
        raise CertificateUnusable(f"{path} has a passphrase", field=field) from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise CertificateUnusable(f"{path} holds no private key in PEM", field=field) from error
    form = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    if public.public_bytes(*form) != certificate.public_key().public_bytes(*form):
        raise CertificateUnusable(
            f"{path} is not the key of {settings.tls_certificate}", field=field
        )
    strong = isinstance(public, RSAPublicKey) and public.key_size >= _RSA_BITS
    known = isinstance(public, EllipticCurvePublicKey) and public.curve.name in _CURVES
    if not (strong or known):
        raise CertificateUnusable(
            f"{path} is neither RSA of {_RSA_BITS} bits or more nor of the curves P-256 and P-384",
            field=field,
        )


def _ensure_authorities(certificates: list[x509.Certificate], path: str) -> None:
    """A device's own certificate is none, though TLS would take it.

    gRPC's TLS library accepts whatever a trusted certificate has signed, an authority's or not:
    whoever holds the key of one that is listed here could take any tenant's name.
    """
    for certificate in certificates:
        if not _is_authority(certificate):
            raise CertificateUnusable(
                f"{path} holds a certificate that is no authority's (CA:TRUE)",
                field="server.tls_client_ca",
            )


def _is_authority(certificate: x509.Certificate) -> bool:
    try:
        return certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except x509.ExtensionNotFound:
        return False


def _current(authorities: list[x509.Certificate], path: str, now: float) -> list[x509.Certificate]:
    """Those that are valid: an old one may stay beside the new one that takes its place."""
    field = "server.tls_client_ca"
    begun = [each for each in authorities if each.not_valid_before_utc.timestamp() <= now]
    valid = [each for each in begun if now <= each.not_valid_after_utc.timestamp()]
    if not valid:
        _ensure_current(authorities[-1], path, field, now)
    return valid


def _ensure_current(certificate: x509.Certificate, path: str, field: str, now: float) -> None:
    begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if now > ends.timestamp():
        raise CertificateUnusable(f"{path} expired at {ends:%Y-%m-%d %H:%M} UTC", field=field)
    if now < begins.timestamp():
        raise CertificateUnusable(
            f"{path} is valid only from {begins:%Y-%m-%d %H:%M} UTC on", field=field
        )
