"""Real authorities, certificates and keys, made for one test."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Key = Any
HERE = ("localhost", "127.0.0.1")
PLAIN = serialization.NoEncryption()


@dataclass(frozen=True)
class Made:
    """A certificate and its key, each in a file."""

    certificate: Path
    key: Path
    parsed: x509.Certificate


class Authority:
    """An authority that signs whatever a test asks for."""

    def __init__(self, directory: Path, name: str = "ca") -> None:
        self._directory = directory
        self._made = made(directory, name, authority=True)
        self.file = self._made.certificate
        self._key = serialization.load_pem_private_key(self._made.key.read_bytes(), None)

    def sign(self, *names: str, file: str = "", **how: Any) -> Made:
        """A certificate with that common name (or several), for this machine, valid now."""
        by = (self._made.parsed, self._key)
        return made(self._directory, file or names[0], names=names, by=by, **how)


def made(
    directory: Path,
    file: str,
    *,
    names: tuple[str, ...] | None = None,
    by: tuple[x509.Certificate, Key] | None = None,
    authority: bool = False,
    days: tuple[float, float] = (-1, 90),
    hosts: tuple[str, ...] = HERE,
    key: Key = None,
) -> Made:
    """Writes FILE.pem and FILE.key; signs itself unless somebody else does. `days` are from now."""
    key = key or ec.generate_private_key(ec.SECP256R1())
    common = [x509.NameAttribute(NameOID.COMMON_NAME, name) for name in names or (file,)]
    subject, now = x509.Name(common), datetime.now(UTC)
    issuer, signer = by or (None, key)
    built = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + timedelta(days=days[0]))
        .not_valid_after(now + timedelta(days=days[1]))
        .add_extension(x509.BasicConstraints(authority, None), critical=True)
        .add_extension(x509.SubjectAlternativeName([_host(host) for host in hosts]), critical=False)
        .sign(signer, hashes.SHA256())
    )
    paths = directory / f"{file}.pem", directory / f"{file}.key"
    paths[0].write_bytes(built.public_bytes(serialization.Encoding.PEM))
    write_key(paths[1], key)
    return Made(*paths, built)


def write_key(path: Path, key: Key, encryption: Any = PLAIN, mode: int = 0o600) -> Path:
    """Writes a key as PEM."""
    form = serialization.PrivateFormat.PKCS8
    path.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, encryption))
    path.chmod(mode)
    return path


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
