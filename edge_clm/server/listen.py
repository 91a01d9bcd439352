"""Taking the addresses that the daemon listens on, and no others."""

from __future__ import annotations

import fcntl
import ipaddress
import os
import re
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc

from edge_clm.config import Server
from edge_clm.errors import AddressTaken, AddressUnsafe, ConfigInvalid
from edge_clm.server import tls

HEADROOM = 64 * 1024
"""Bytes of a message beside the file in it."""

_ADDRESS = re.compile(r"\[?(?P<host>[^\[\]]+?)\]?:(?P<port>\d{1,5})")
_LONGEST_PATH = 107
"""Bytes that the kernel has for the path of a unix socket."""
_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True)
class Bound:
    """Where the daemon listens, with the ports as bound; empty where it does not."""

    socket: str
    tcp: str
    metrics: str


def options(max_bytes: int) -> list[tuple[str, int]]:
    """gRPC server options for files of up to `max_bytes`."""
    limit = max_bytes + HEADROOM
    return [
        ("grpc.max_receive_message_length", limit),
        ("grpc.max_send_message_length", limit),
        # Without this a second daemon binds the same port and takes half the calls (grpc#16920).
        ("grpc.so_reuseport", 0),
        ("grpc.keepalive_time_ms", 60_000),
        ("grpc.keepalive_timeout_ms", 20_000),
        ("grpc.keepalive_permit_without_calls", 1),
        # Clients ping every 30 s; the default of 5 min would cut them off with too_many_pings.
        ("grpc.http2.min_ping_interval_without_data_ms", 20_000),
    ]


def split(address: str, field: str) -> tuple[str, int]:
    """Splits host:port; raises ConfigInvalid where it is none. 'localhost' is 127.0.0.1."""
    match = _ADDRESS.fullmatch(address)
    if match is None or int(match["port"]) > 65_535:
        raise ConfigInvalid(f"{field}: '{address}' is not host:port", field=field)
    host = "127.0.0.1" if match["host"] == "localhost" else match["host"]
    return host, int(match["port"])


def loopback(address: str, field: str) -> tuple[str, int]:
    """Splits host:port; raises ConfigInvalid, or AddressUnsafe unless the host is this machine alone."""
    host, port = split(address, field)
    if not _is_loopback(host):
        raise AddressUnsafe(f"{field}: {host} is not a loopback address", field=field)
    return host, port


def guarded(settings: Server) -> tuple[str, int]:
    """Splits server.tcp, having made sure that nobody calls there unknown or unencrypted.

    Raises ConfigInvalid, and AddressUnsafe for an address beyond this machine without TLS, or with
    neither tokens nor client certificates.
    """
    host, port = split(settings.tcp, "server.tcp")
    secret, known = tls.wanted(settings), settings.tokens or settings.tls_client_ca
    if _is_loopback(host):
        return host, port
    missing = "" if secret else "without TLS"
    if not known:
        missing = f"{missing or 'with TLS'}, and with neither tokens nor client certificates"
    if missing:
        raise AddressUnsafe(
            f"server.tcp: {host} is not a loopback address, {missing}", field="server.tcp"
        )
    if not _is_literal(host):
        # Names are not resolved: what they mean is decided elsewhere, and may change.
        raise ConfigInvalid(f"server.tcp: {host} is no IP address", field="server.tcp")
    return host, port


def joined(host: str, port: int) -> str:
    """host:port, with brackets where the host needs them."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def mode_of(octal: str) -> int:
    """Reads the socket's permissions, whose form the configuration has checked."""
    return int(octal, 8)


@contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Holds the right to the socket at `path`; raises AddressTaken where another daemon holds it.

    gRPC would unlink and replace the socket of a running server (grpc#17122), so a lock beside it
    says who owns it. The lock file stays: unlinking it would let two daemons lock two files.
    """
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise ConfigInvalid(f"server.socket: longer than {_LONGEST_PATH} bytes: {path}")
    with _named(path):
        path.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
        lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        with _named(path):
            _lock(lock, path)
            _clear(path)
        yield
    finally:
        os.close(lock)


def bind_socket(server: grpc.aio.Server, path: Path, mode: int) -> None:
    """Listens on a unix socket whose permissions are `mode` from the first moment on."""
    before = os.umask(0o777 & ~mode)
    try:
        server.add_insecure_port(f"unix:{path}")
    except RuntimeError as error:
        raise AddressTaken(f"{path} cannot be bound", field="server.socket") from error
    finally:
        os.umask(before)


def bind_tcp(
    server: grpc.aio.Server, settings: Server, credentials: grpc.ServerCredentials | None
) -> str:
    """Listens on server.tcp (port 0 for any free one), with TLS where there are credentials.

    Returns the address as bound. Raises like `guarded`, and AddressTaken.
    """
    host, port = guarded(settings)
    try:
        if credentials:
            bound = server.add_secure_port(joined(host, port), credentials)
        else:
            bound = server.add_insecure_port(joined(*loopback(settings.tcp, "server.tcp")))
    except RuntimeError as error:
        raise AddressTaken(f"{settings.tcp} cannot be bound", field="server.tcp") from error
    return joined(host, bound)


def _is_loopback(host: str) -> bool:
    return _is_literal(host) and ipaddress.ip_address(host).is_loopback


def _is_literal(host: str) -> bool:
    """Whether this is an IP address; a zone ('::1%eth0') names an interface and is none of ours."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return "%" not in host


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Turns what the system refuses into ConfigInvalid with path and reason; waiting would not help."""
    try:
        yield
    except OSError as error:
        where = error.filename or path
        raise ConfigInvalid(f"{where}: {error.strerror}", field="server.socket") from error


def _lock(lock: int, path: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise AddressTaken(f"another daemon serves {path}", field="server.socket") from error


def _clear(path: Path) -> None:
    """Removes a socket that a killed daemon left; anything else at that path is not ours."""
    try:
        kind = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(kind) or not _is_dead(path):
        raise AddressTaken(f"{path} belongs to something else", field="server.socket")
    path.unlink(missing_ok=True)


def _is_dead(path: Path) -> bool:
    """Whether nobody listens; raises OSError where that cannot be found out."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_PATIENCE_S)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            return True
        except (BlockingIOError, TimeoutError):
            # A listener that has its hands full is a listener.
            return False
    return False
