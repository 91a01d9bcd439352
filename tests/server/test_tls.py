"""TLS: which files are taken, how they are followed, and who gets in by a certificate."""

from __future__ import annotations

import asyncio
import shutil
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import structlog
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from edge_clm.config import Server
from edge_clm.errors import CertificateRefused, CertificateUnusable
from edge_clm.server import tls
from edge_clm.server.auth import new_token
from edge_clm.server.passport import admitted
from edge_clm.server.roles import Role
from edge_clm.v1.admin_pb2 import StatsRequest
from tests.certificates import Authority, Made, made, write_key
from tests.server.house import asking, bearer, house, refused

DAY = 86_400.0
P256 = ec.SECP256R1()


def settings_of(own: Made, ca: Path | None = None) -> dict[str, str]:
    files = {"tls_certificate": str(own.certificate), "tls_key": str(own.key)}
    return {**files, "tls_client_ca": str(ca)} if ca else files


@pytest.fixture
def ca(tmp_path: Path) -> Authority:
    """An authority that signs for the daemon and for its callers."""
    return Authority(tmp_path)


def test_right_files_are_taken(tmp_path: Path, ca: Authority) -> None:
    """A certificate with its key and an authority are read; the first end of them all is known."""
    own = ca.sign("daemon", days=(-1, 40))
    material = tls.read(Server(**settings_of(own, ca.file)), time.time())
    assert material.certificate == own.certificate.read_bytes()
    assert material.client_ca == ca.file.read_bytes()
    assert material.until == own.parsed.not_valid_after_utc.timestamp()
    assert 39 < material.days_left(time.time()) <= 40


Spoil = Callable[[Made, Authority], object]

SPOILT: dict[str, tuple[Spoil, str]] = {
    "key open to all": (lambda own, _: own.key.chmod(0o644), "open to every user"),
    "no key": (lambda own, _: own.key.unlink(), "No such file"),
    "no certificate": (lambda own, _: own.certificate.unlink(), "No such file"),
    "no authority": (lambda _, ca: ca.file.unlink(), "No such file"),
    "key is none": (lambda own, _: _junk(own.key), "no private key"),
    "certificate is none": (lambda own, _: _junk(own.certificate), "no certificate in PEM"),
    "authority is none": (lambda _, ca: _junk(ca.file), "no certificate in PEM"),
    "another's key": (
        lambda own, _: write_key(own.key, ec.generate_private_key(P256)),
        "is not the key of",
    ),
    "a passphrase": (lambda own, _: _lock(own), "has a passphrase"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_files_that_cannot_serve_are_named(tmp_path: Path, ca: Authority, name: str) -> None:
    """Whatever is wrong with a file is said with its name, before anybody connects."""
    own = ca.sign("daemon")
    settings = Server(**settings_of(own, ca.file))
    tls.read(settings, time.time())
    spoil, said = SPOILT[name]
    spoil(own, ca)
    with pytest.raises(CertificateUnusable, match=said) as caught:
        tls.read(settings, time.time())
    assert str(tmp_path) in caught.value.message


@pytest.mark.parametrize(
    "key",
    [
        ed25519.Ed25519PrivateKey.generate(),
        ec.generate_private_key(ec.SECP521R1()),
        rsa.generate_private_key(65537, 1024),  # noqa: S505
    ],
    ids=["ed25519", "p521", "rsa1024"],
)
def test_keys_that_fail_every_handshake_are_refused(
    tmp_path: Path, ca: Authority, key: Any
) -> None:
    """Kinds that gRPC takes and then cannot serve with, or that are too short, are told at the start."""
    own = ca.sign("daemon", key=key)
    with pytest.raises(CertificateUnusable, match="neither RSA of 2048"):
        tls.read(Server(**settings_of(own)), time.time())


@pytest.mark.parametrize(
    ("days", "said"), [(-2, "valid only from"), (0, ""), (90.5, "expired at")], ids=str
)
def test_a_certificate_has_its_time(tmp_path: Path, ca: Authority, days: float, said: str) -> None:
    """Before and after it, the daemon does not start, and says which."""
    settings = Server(**settings_of(ca.sign("daemon")))
    now = time.time() + days * DAY
    if not said:
        tls.read(settings, now)
        return
    with pytest.raises(CertificateUnusable, match=said):
        tls.read(settings, now)


def test_an_old_authority_may_stay_beside_the_new_one(tmp_path: Path, ca: Authority) -> None:
    """Of several authorities one that has ended harms nothing; if all have, nobody could get in."""
    old = made(tmp_path, "old", authority=True, days=(-90, -1))
    both = tmp_path / "both.pem"
    both.write_bytes(old.certificate.read_bytes() + ca.file.read_bytes())
    own = ca.sign("daemon")
    assert tls.read(Server(**settings_of(own, both)), time.time()).days_left(time.time()) > 80
    with pytest.raises(CertificateUnusable, match="expired at"):
        tls.read(Server(**settings_of(own, old.certificate)), time.time())


@pytest.mark.parametrize(("days", "warned"), [(29, True), (31, False)])
def test_a_certificate_that_ends_soon_is_warned_of(
    ca: Authority, days: float, warned: bool
) -> None:
    """A month before its end the log says so, at the start."""
    own = ca.sign("daemon", days=(-1, days))
    with structlog.testing.capture_logs() as lines:
        tls.Certificates(Server(**settings_of(own)))
    assert [line["event"] for line in lines] == ["a certificate ends soon"] * warned


async def test_beyond_this_machine_only_tls_is_spoken(tmp_path: Path, ca: Authority) -> None:
    """On every interface a call in the clear fails, one with TLS and a token is answered."""
    settings = {"tcp": "0.0.0.0:0", **settings_of(ca.sign("daemon"))}
    async with house(tmp_path, server=settings) as at:
        there = _here((await at.serving()).tcp)
        plain = await refused(at.stub(there).Ask(asking(), metadata=bearer(at.token)))
        assert (plain.code, plain.reason) == ("UNAVAILABLE", "")
        stub = at.stub(channel=at.secure(there, ca.file))
        assert (await refused(stub.Ask(asking()))).reason == "TOKEN_MISSING"
        await stub.Ask(asking(), metadata=bearer(at.token))
        stranger = Authority(tmp_path, "stranger")
        fooled = at.stub(channel=at.secure(there, stranger.file))
        assert (await refused(fooled.Ask(asking()))).code == "UNAVAILABLE"
        tenants = [inquiry.tenant for inquiry in at.parts.answerer.inquiries]
    assert tenants == ["acme"]


async def test_a_certificate_names_the_tenant(tmp_path: Path, ca: Authority) -> None:
    """With an authority no token is needed; without a certificate of its own nobody connects."""
    settings = {"tokens": "", **settings_of(ca.sign("daemon"), ca.file)}
    stranger = Authority(tmp_path, "stranger")
    async with house(tmp_path, server=settings) as at:
        there = (await at.serving()).tcp
        await at.stub(channel=at.secure(there, ca.file, ca.sign("till-1"))).Ask(asking())
        for who in (None, stranger.sign("till-1", file="other"), made(tmp_path, "till-1")):
            stub = at.stub(channel=at.secure(there, ca.file, who))
            assert (await refused(stub.Ask(asking()))).code == "UNAVAILABLE"
        await at.stub().Ask(asking())
        tenants = [inquiry.tenant for inquiry in at.parts.answerer.inquiries]
    assert tenants == ["till-1", "local"]


@pytest.mark.parametrize(
    "names",
    [("till 1",), ("../x",), ("till-1", "till-2"), ("till-1\n",), ("*",), ("tîll",)],
    ids=repr,
)
async def test_a_certificate_without_a_tenants_name_is_refused(
    tmp_path: Path, ca: Authority, names: tuple[str, ...]
) -> None:
    """A common name that no tenant can have, or two of them, let nobody in."""
    who = ca.sign(*names, file="who")
    settings = settings_of(ca.sign("daemon"), ca.file)
    async with house(tmp_path, server=settings) as at:
        stub = at.stub(channel=at.secure((await at.serving()).tcp, ca.file, who))
        told = await refused(stub.Ask(asking()))
        assert (told.code, told.reason) == ("UNAUTHENTICATED", "CERTIFICATE_REFUSED")
        assert told.remedy and names[0] not in told.message
        assert not at.parts.answerer.inquiries


async def test_token_and_certificate_must_agree(tmp_path: Path, ca: Authority) -> None:
    """A token sent beside a certificate is of the same tenant and known, or the call is refused."""
    settings = settings_of(ca.sign("daemon"), ca.file)
    async with house(tmp_path, server=settings) as at:
        there = (await at.serving()).tcp
        acme = at.stub(channel=at.secure(there, ca.file, ca.sign("acme")))
        other = at.stub(channel=at.secure(there, ca.file, ca.sign("till-1")))
        await acme.Ask(asking(), metadata=bearer(at.token))
        told = await refused(other.Ask(asking(), metadata=bearer(at.token)))
        assert (told.code, told.reason) == ("UNAUTHENTICATED", "TENANTS_DIFFER")
        wrong = await refused(acme.Ask(asking(), metadata=bearer("eclm_guess")))
        assert wrong.reason == "TOKEN_UNKNOWN"
        assert len(at.parts.answerer.inquiries) == 1


async def test_with_a_tokens_file_a_certificate_must_be_listed(
    tmp_path: Path, ca: Authority
) -> None:
    """The file decides who may call by certificate and as what; a line removed counts at the next call."""
    settings = settings_of(ca.sign("daemon"), ca.file)
    async with house(tmp_path, server=settings) as at:
        there, file = (await at.serving()).tcp, Path(at.config.server.tokens)
        token, line = new_token("boss", Role.OPERATOR)
        _write(file, f"{line}\ntill-1 certificate\nchief certificate operator\n")
        till, chief, boss, stranger = (
            at.secure(there, ca.file, ca.sign(name)) for name in ("till-1", "chief", "boss", "x")
        )
        await at.stub(channel=till).Ask(asking())
        assert (await refused(at.admin(till).Stats(StatsRequest()))).reason == "ROLE_TOO_LOW"
        await at.admin(chief).Stats(StatsRequest())
        # A token is no listing: it makes an operator only where it is sent.
        for channel in (boss, stranger):
            told = await refused(at.admin(channel).Stats(StatsRequest()))
            assert (told.code, told.reason) == ("UNAUTHENTICATED", "CERTIFICATE_REFUSED")
        await at.admin(boss).Stats(StatsRequest(), metadata=bearer(token))
        _write(file, f"{line}\n")
        assert (await refused(at.stub(channel=till).Ask(asking()))).reason == "CERTIFICATE_REFUSED"


def test_a_device_is_no_authority(tmp_path: Path, ca: Authority) -> None:
    """A device's own certificate is not taken for an authority: its key could sign any tenant's name."""
    for listed in (ca.sign("till-1"), made(tmp_path, "till-2")):
        settings = settings_of(ca.sign("daemon"), listed.certificate)
        with pytest.raises(CertificateUnusable, match="no authority's"):
            tls.read(Server(**settings), time.time())


async def test_a_device_cannot_sign_for_another(tmp_path: Path, ca: Authority) -> None:
    """What the authority signed for one till is not believed to speak for the authority."""
    till = ca.sign("till-1")
    key = serialization.load_pem_private_key(till.key.read_bytes(), None)
    forged = made(tmp_path, "forged", names=("till-2",), by=(till.parsed, key))
    alone = forged.certificate.read_bytes()
    settings = {"tokens": "", **settings_of(ca.sign("daemon"), ca.file)}
    async with house(tmp_path, server=settings) as at:
        there = (await at.serving()).tcp
        for chain in (alone, alone + till.certificate.read_bytes()):
            forged.certificate.write_bytes(chain)
            stub = at.stub(channel=at.secure(there, ca.file, forged))
            assert (await refused(stub.Ask(asking()))).code == "UNAVAILABLE"
        assert not at.parts.answerer.inquiries


async def test_a_new_certificate_counts_at_the_next_handshake(
    tmp_path: Path, ca: Authority
) -> None:
    """Files that are replaced need no restart; connections that stand go on."""
    own, new = ca.sign("daemon"), ca.sign("daemon", file="new")
    async with house(tmp_path, server=settings_of(own)) as at:
        there = (await at.serving()).tcp
        before = at.stub(channel=at.secure(there, ca.file))
        await before.Ask(asking(), metadata=bearer(at.token))
        assert await asyncio.to_thread(_shown, there) == _der(own)
        shutil.copy(new.certificate, own.certificate)
        # The key has not come yet: the pair does not match, and the old one goes on.
        assert await asyncio.to_thread(_shown, there) == _der(own)
        shutil.copy(new.key, own.key)
        assert await asyncio.to_thread(_shown, there) == _der(new)
        await before.Ask(asking(), metadata=bearer(at.token))
        await at.stub(channel=at.secure(there, ca.file)).Ask(asking(), metadata=bearer(at.token))


async def test_files_that_broke_keep_the_old_certificate(tmp_path: Path, ca: Authority) -> None:
    """Neither a damaged file nor one that is gone ends the service, also when told by SIGHUP."""
    own = ca.sign("daemon")
    async with house(tmp_path, server=settings_of(own)) as at:
        there = (await at.serving()).tcp
        for spoil in (_junk, Path.unlink):
            spoil(own.certificate)
            signal.raise_signal(signal.SIGHUP)
            assert await asyncio.to_thread(_shown, there) == _der(own)
            stub = at.stub(channel=at.secure(there, ca.file))
            await stub.Ask(asking(), metadata=bearer(at.token))


def test_a_certificate_that_ended_since_the_handshake_is_refused(
    tmp_path: Path, ca: Authority
) -> None:
    """A connection may stand for weeks; the certificate that it was made with does not outlive itself."""
    who = ca.sign("till-1")
    pem, end = who.certificate.read_bytes(), who.parsed.not_valid_after_utc.timestamp()
    assert admitted(pem, end) == "till-1"
    with pytest.raises(CertificateRefused, match="expired"):
        admitted(pem, end + 1)


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _write(path: Path, text: str) -> None:
    path.write_text(text)


def _junk(path: Path) -> None:
    path.write_text("-----BEGIN NOTHING-----\n")


def _lock(own: Made) -> None:
    key = serialization.load_pem_private_key(own.key.read_bytes(), None)
    write_key(own.key, key, serialization.BestAvailableEncryption(b"secret"))


def _here(bound: str) -> str:
    return f"127.0.0.1:{bound.rpartition(':')[2]}"


def _der(own: Made) -> bytes:
    return own.parsed.public_bytes(serialization.Encoding.DER)


def _shown(address: str) -> bytes | None:
    """The certificate that a new connection is shown."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    host, _, port = address.rpartition(":")
    with (
        socket.create_connection((host, int(port)), timeout=10) as plain,
        context.wrap_socket(plain) as secret,
    ):
        return secret.getpeercert(binary_form=True)


def test_the_recipe_in_the_documents_works(tmp_path: Path) -> None:
    """What administrators are told to type makes files that the daemon takes, and a tenant's name."""
    program = shutil.which("openssl")
    if program is None or not _output(program, "version").startswith("OpenSSL 3"):
        pytest.skip("OpenSSL 3 is not installed here, so its commands were not tried")
    text = (Path(__file__).parents[2] / "docs" / "operations.md").read_text()
    recipe = text[text.index("openssl req") :].partition("```")[0]
    subprocess.run(["bash", "-e", "-c", recipe], cwd=tmp_path, capture_output=True, check=True)
    names = {"tls_certificate": "tls.pem", "tls_key": "tls.key", "tls_client_ca": "clients.pem"}
    files = {key: str(tmp_path / name) for key, name in names.items()}
    material = tls.read(Server(**files), time.time())
    assert 360 < material.days_left(time.time()) <= 365
    till, authority = tmp_path / "till-1.pem", files["tls_client_ca"]
    assert admitted(till.read_bytes(), time.time()) == "till-1"
    for certificate in (till, tmp_path / "tls.pem"):
        assert _output(program, "verify", "-CAfile", authority, str(certificate)).endswith(": OK\n")
