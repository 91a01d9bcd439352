"""The doctor's checks of a running daemon: where it listens, and whether it can read and answer."""

from __future__ import annotations

import errno
import io
import os
import socket
import ssl
import stat
import time
from pathlib import Path

from edge_clm.cli.connection import Target, callable_at
from edge_clm.cli.finding import Finding
from edge_clm.cli.render import serve_mode
from edge_clm.config import Config

_PATIENCE_S = 5.0
_BEGIN, _END = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
_PATH_BYTES = 107
"""What a unix socket's address can hold."""
QUESTION = "What is the total?"
AMOUNT = "42.17"


def unix_socket(config: Config) -> Finding:
    """Whether the unix socket is free or served by a healthy daemon; raises like `tcp_port`."""
    path = Path(config.server.socket)
    if len(os.fsencode(path)) > _PATH_BYTES:
        fact = f"{path} is longer than {_PATH_BYTES} bytes"
        return Finding("fail", "socket", fact, "Configure a shorter server.socket.")
    if not path.exists():
        return _free_path(path)
    if not stat.S_ISSOCK(path.stat().st_mode):
        return Finding("fail", "socket", f"{path} is no socket", "Remove it.")
    with socket.socket(socket.AF_UNIX) as peer:
        failure = peer.connect_ex(str(path))
    if failure == errno.ECONNREFUSED:
        return Finding("ok", "socket", f"{path} is left over from a daemon that ended")
    if failure:
        remedy = "Join the socket's group, or change server.socket_mode."
        return Finding("fail", "socket", f"{path}: {os.strerror(failure)}", remedy)
    return _health("socket", f"unix:{path}")


def tcp_port(config: Config) -> Finding:
    """Whether the port is free or served by a healthy daemon.

    Raises ConfigInvalid and AddressUnsafe where the daemon would not listen there.
    """
    from edge_clm.server.listen import guarded

    address = guarded(config.server)
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with socket.socket(family) as peer:
        peer.settimeout(_PATIENCE_S)
        if peer.connect_ex(address) == 0:
            if config.server.tls_certificate:
                return _certified(config, address)
            return _health("port", config.server.tcp)
    with socket.socket(family) as own:
        own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            own.bind(address)
        except OSError as error:
            fact = f"{config.server.tcp}: {error.strerror}"
            remedy = "Configure another server.tcp."
            passing = error.errno == errno.EADDRINUSE
            return Finding("fail", "port", fact, remedy, passing=passing)
    return Finding("ok", "port", f"{config.server.tcp} is free")


def question(address: str, target: Target, tls: bool | None) -> Finding:
    """Puts a real question about a small page of our own to the daemon."""
    from edge_clm.client import ClientError

    started = time.monotonic()
    try:
        with target.client(address, tls) as client:
            answer = client.ask(QUESTION, image=receipt(), fresh=True, no_store=True)
    except ClientError as error:
        return Finding("fail", "question", f"{error.reason}: {error.message}", error.remedy)
    ms = (time.monotonic() - started) * 1000
    stages = ", ".join(f"{stage.name} {stage.ms:.0f}" for stage in answer.stages)
    fact = f"answered in {ms:.0f} ms, {serve_mode(answer)} ({stages} ms)"
    if AMOUNT in answer.text:
        return Finding("ok", "question", f"{fact}, and rightly")
    remedy = "Check the models with 'edge-clm models verify'; a larger model may be needed."
    return Finding("warn", "question", f"{fact}, but {AMOUNT} is not in the answer", remedy)


def _health(check: str, address: str) -> Finding:
    from edge_clm.client import Client, ClientError

    try:
        with Client(address, timeout_s=_PATIENCE_S) as client:
            health = client.health()
    except ClientError:
        fact = f"{address} is taken by a program that is no edge_clm daemon"
        remedy = "Stop that program, or configure another address."
        return Finding("fail", check, fact, remedy, passing=True)
    if health == "SERVING":
        return Finding("ok", check, f"a daemon serves at {address}", serves_at=address)
    fact = f"a daemon is at {address}, and its health is {health}"
    return Finding("warn", check, fact, "Wait until its models are loaded; else read its log.")


def _certified(config: Config, address: tuple[str, int]) -> Finding:
    """Whether the one who listens at `address` has the configured certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Only compared with our own; nothing is said to whoever it is.
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    try:
        with (
            socket.create_connection(address, _PATIENCE_S) as plain,
            context.wrap_socket(plain) as secret,
        ):
            shown = secret.getpeercert(binary_form=True)
    except OSError:
        shown = None
    if shown == _first_certificate(Path(config.server.tls_certificate)):
        fact = f"a daemon with this certificate is at {config.server.tcp}"
        return Finding("ok", "port", fact, serves_at=callable_at(config.server.tcp))
    fact = f"{config.server.tcp} is taken, and not by a daemon with this certificate"
    remedy = "Stop that program, or restart the daemon so that it takes the new certificate."
    return Finding("fail", "port", fact, remedy, passing=True)


def _first_certificate(path: Path) -> bytes:
    text = path.read_text(encoding="ascii")
    pem, end, _ = text[text.index(_BEGIN) :].partition(_END)
    return ssl.PEM_cert_to_DER_cert(pem + end)


def _free_path(path: Path) -> Finding:
    standing = next(each for each in path.parents if each.exists())
    if os.access(standing, os.W_OK | os.X_OK):
        return Finding("ok", "socket", f"{path} is free")
    fact = f"{path} cannot be made: {standing} cannot be written to"
    return Finding("fail", "socket", fact, "Give it to the daemon's user.")


def receipt() -> bytes:
    """A PNG of a receipt that says what its total is."""
    from PIL import Image, ImageDraw, ImageFont

    page = Image.new("RGB", (640, 400), "white")
    draw = ImageDraw.Draw(page)
    font = ImageFont.load_default(size=48)
    draw.text((60, 60), "RECEIPT", fill="black", font=font)
    draw.text((60, 200), f"TOTAL {AMOUNT}", fill="black", font=font)
    file = io.BytesIO()
    page.save(file, "PNG")
    return file.getvalue()
