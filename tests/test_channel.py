"""The client's connections: plain on this machine, with TLS beyond it, and never plain by mistake."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives import serialization

from edge_clm.channel import Security
from edge_clm.cli import edge_clm
from edge_clm.client import Client, ClientError
from edge_clm.errors import CertificateUnusable
from tests.certificates import Authority, made, write_key
from tests.server.house import House, house

FILE = Path("f")


@pytest.mark.parametrize(
    ("address", "secret"),
    [
        ("unix:/run/d.sock", False),
        ("/run/d.sock", False),
        ("127.0.0.1:1", False),
        ("localhost:1", False),
        ("[::1]:1", False),
        ("192.168.7.1:1", True),
        ("till.local:1", True),
        ("127.0.0.1.evil.org:1", True),
        ("localhost.evil.org:1", True),
        ("[2001:db8::1]:1", True),
    ],
)
def test_beyond_this_machine_tls_goes_without_saying(address: str, secret: bool) -> None:
    """Only a unix socket and a loopback address are called in the clear unasked."""
    assert Security().applies_to(address) is secret


def test_wishes_about_tls_are_followed_or_refused() -> None:
    """A named file means TLS, an explicit wish counts, and what contradicts itself is an error."""
    assert Security(ca=FILE).applies_to("127.0.0.1:1")
    assert Security(tls=True).applies_to("127.0.0.1:1")
    assert not Security(tls=False).applies_to("till.local:1")
    for security, address in (
        (Security(certificate=FILE), "127.0.0.1:1"),
        (Security(key=FILE), "127.0.0.1:1"),
        (Security(tls=False, ca=FILE), "127.0.0.1:1"),
        (Security(tls=True), "unix:/run/d.sock"),
        (Security(ca=FILE), "/run/d.sock"),
    ):
        with pytest.raises(ValueError, match=r"TLS|certificate"):
            security.applies_to(address)


@pytest.mark.parametrize(
    "wrong", ["ca", "certificate", "key", "another's key", "passphrase", "gone"]
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, wrong: str) -> None:
    """At once and with its name, not as a connection that is never made."""
    ca = Authority(tmp_path)
    who = ca.sign("till-1")
    name = {"ca": ca.file, "certificate": who.certificate}.get(wrong, who.key)
    if wrong == "another's key":
        made(tmp_path, "other").key.replace(who.key)
    elif wrong == "passphrase":
        key = serialization.load_pem_private_key(who.key.read_bytes(), None)
        write_key(who.key, key, serialization.BestAvailableEncryption(b"secret"))
    elif wrong == "gone":
        who.key.unlink()
    else:
        name.write_text("no certificate")
    with pytest.raises(CertificateUnusable) as caught:
        Client("127.0.0.1:1", ca=ca.file, certificate=who.certificate, key=who.key)
    assert str(name) in caught.value.message


async def test_a_client_calls_over_tls(tmp_path: Path) -> None:
    """With a token, or with a certificate and its key; streams and operators' calls as well."""
    ca = Authority(tmp_path)
    who = ca.sign("acme")

    def calls(at: House, where: str) -> None:
        own: dict[str, Any] = {"ca": ca.file, "certificate": str(who.certificate), "key": who.key}
        with Client(where, at.token, **own) as client:
            assert client.ask("What?", image=b"img").text == "What?"
            assert len(list(client.ask_stream("What is it?", image=b"img"))) == 3
        with Client(f"unix:{at.config.server.socket}") as client:
            assert {tenant.tenant for tenant in client.stats(by_tenant=True).tenants} == {
                "acme",
                "shop",
            }

    await _served(tmp_path, ca, calls, client_ca=True)


async def test_distrust_is_told_at_once(tmp_path: Path) -> None:
    """A daemon whose certificate does not hold is not tried again and again, and not called absent."""
    ca, stranger = Authority(tmp_path), Authority(tmp_path, "stranger")

    def calls(at: House, where: str) -> None:
        started = time.monotonic()
        for address, wish in ((where, {"ca": stranger.file}), (where, {"tls": True})):
            with Client(address, at.token, **wish) as client:
                with pytest.raises(ClientError) as caught:
                    client.info()
                assert (caught.value.reason, caught.value.code) == ("TLS_FAILED", "UNAVAILABLE")
                assert "`ca`" in caught.value.remedy
                with pytest.raises(ClientError):
                    client.wait_ready(30)
        assert time.monotonic() - started < 25

    await _served(tmp_path, ca, calls)


async def test_a_name_that_is_not_in_the_certificate_is_distrusted(tmp_path: Path) -> None:
    """Signed by the right authority, but for somebody else."""
    ca = Authority(tmp_path)

    def calls(at: House, where: str) -> None:
        with Client(where, at.token, ca=ca.file) as client, pytest.raises(ClientError) as caught:
            client.info()
        assert caught.value.reason == "TLS_FAILED"
        assert "another name" in caught.value.message

    await _served(tmp_path, ca, calls, hosts=("till.local", "192.168.7.1"))


async def test_who_speaks_no_tls_is_not_called_in_the_clear(tmp_path: Path) -> None:
    """Where TLS is wished for and not spoken, nothing is sent, and the reason is told."""
    ca = Authority(tmp_path)

    def calls(at: House, where: str) -> None:
        with Client(where, at.token, ca=ca.file) as client, pytest.raises(ClientError) as caught:
            client.info()
        assert caught.value.reason == "TLS_FAILED" and "no TLS" in caught.value.message

    async with house(tmp_path) as at:
        await asyncio.to_thread(calls, at, (await at.serving()).tcp)


async def test_without_a_certificate_of_its_own_a_client_hears_nothing(tmp_path: Path) -> None:
    """A plain client, and one with TLS that the daemon does not know, both find nobody."""
    ca = Authority(tmp_path)

    def calls(at: House, where: str) -> None:
        for wish in ({}, {"ca": ca.file}):
            with Client(where, at.token, **wish) as client, pytest.raises(ClientError) as caught:
                client.info(timeout_s=5)
            assert caught.value.reason in ("UNREACHABLE", "DEADLINE_EXCEEDED")

    await _served(tmp_path, ca, calls, client_ca=True)


async def test_the_command_line_calls_over_tls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By option or by environment; a unix socket is called as ever, whatever the environment says."""
    ca = Authority(tmp_path)
    who = ca.sign("acme")
    own = ("--cert", str(who.certificate), "--key", str(who.key))

    def run(*words: str) -> Any:
        return CliRunner().invoke(edge_clm, words)

    def calls(at: House, where: str) -> None:
        there = ("--address", where, "--token", at.token, "--timeout", "20")
        assert run("info", *there, "--ca", str(ca.file), *own).exit_code == 0
        half = run("info", *there, "--ca", str(ca.file), *own[:2])
        assert half.exit_code == 2 and "--key" in half.output
        refused = run("stats", *there, "--ca", str(ca.file), *own)
        assert "ROLE_TOO_LOW" in refused.stderr
        for name, path in (("CA", ca.file), ("CERT", who.certificate), ("KEY", who.key)):
            monkeypatch.setenv(f"EDGE_CLM_{name}", str(path))
        assert run("info", *there).exit_code == 0
        assert run("info", "--address", f"unix:{at.config.server.socket}").exit_code == 0
        stranger = Authority(tmp_path, "stranger")
        distrusted = run("info", *there, "--ca", str(stranger.file))
        assert distrusted.exit_code == 3
        assert "TLS_FAILED" in distrusted.stderr and "--ca" in distrusted.stderr

    await _served(tmp_path, ca, calls, client_ca=True)


async def _served(
    tmp_path: Path,
    ca: Authority,
    calls: Callable[[House, str], None],
    *,
    client_ca: bool = False,
    **how: Any,
) -> None:
    """Makes calls to a daemon with TLS."""
    own = ca.sign("daemon", **how)
    server = {"tls_certificate": str(own.certificate), "tls_key": str(own.key)}
    if client_ca:
        server["tls_client_ca"] = str(ca.file)
    async with house(tmp_path, server=server) as at:
        await asyncio.to_thread(calls, at, (await at.serving()).tcp)
