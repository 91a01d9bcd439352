"""A connection to a daemon: plain on this machine, with TLS beyond it."""

from __future__ import annotations

import ipaddress
import ssl
from dataclasses import dataclass
from pathlib import Path

import grpc

from edge_clm.errors import CertificateUnusable

OPTIONS = [
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    # The daemon is on this machine or on the counter's network: never through a proxy.
    ("grpc.enable_http_proxy", 0),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
]


@dataclass(frozen=True, slots=True)
class Security:
    """How a connection over TCP is kept from others, and by what the caller is known."""

    tls: bool | None = None
    """None: with TLS where the address is beyond this machine, or where a file is named here."""
    ca: Path | None = None
    """PEM file of the authorities that may vouch for the daemon; None for the public ones."""
    certificate: Path | None = None
    """PEM file of the caller's own certificate."""
    key: Path | None = None
    """PEM file of that certificate's key, without a passphrase."""

    def applies_to(self, address: str) -> bool:
        """Whether a connection to this address is made with TLS.

        Raises ValueError for wishes that contradict each other or the address.
        """
        named = self.ca or self.certificate or self.key
        if bool(self.certificate) != bool(self.key):
            raise ValueError("a certificate and its key go together")
        if self.tls is False and named:
            raise ValueError("certificates are named, and TLS is switched off")
        if is_unix(address):
            if self.tls or named:
                raise ValueError("TLS is for TCP; a unix socket is guarded by its permissions")
            return False
        return bool(named or not _is_local(address)) if self.tls is None else self.tls


def connect(address: str, security: Security) -> grpc.Channel:
    """Makes a connection to unix:/path, /path or host:port, at the first call.

    Raises ValueError like `Security.applies_to`, and CertificateUnusable for a file that cannot be
    read, is no PEM, or is not the key of the certificate.
    """
    target = f"unix:{address}" if address.startswith("/") else address
    if not security.applies_to(address):
        return grpc.insecure_channel(target, options=OPTIONS)
    ca, key, certificate = map(_bytes, (security.ca, security.key, security.certificate))
    _examine(security)
    credentials = grpc.ssl_channel_credentials(ca, key, certificate)
    return grpc.secure_channel(target, credentials, options=OPTIONS)


def is_unix(address: str) -> bool:
    """Whether an address is that of a unix socket."""
    return address.startswith(("/", "unix:", "unix-abstract:"))


def _is_local(address: str) -> bool:
    host = address.removeprefix("dns:///").rpartition(":")[0].strip("[]")
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        # What a name means is decided elsewhere, so it is taken for another machine.
        return False


def _bytes(path: Path | None) -> bytes | None:
    try:
        return path.read_bytes() if path else None
    except OSError as error:
        raise CertificateUnusable(f"{path}: {error.strerror}") from error


def _examine(security: Security) -> None:
    """gRPC takes any bytes, and later says only that there is no connection."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    wrong = f"{security.ca} holds no certificate in PEM"
    try:
        if security.ca:
            context.load_verify_locations(security.ca)
        if security.certificate:
            wrong = f"{security.key} is not the key of {security.certificate}, in PEM and open"
            # No passphrase is asked for: nobody may be there to type one.
            context.load_cert_chain(security.certificate, security.key, password=lambda: "")
    except ssl.SSLError as error:
        raise CertificateUnusable(wrong) from error
