"""Tokens and tenants, in the file and on the wire."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from edge_clm.errors import ConfigInvalid
from edge_clm.server.auth import Caller, Tokens, new_token
from edge_clm.server.roles import Role
from edge_clm.v1 import edge_clm_pb2 as pb
from tests.server.house import asking, bearer, house, refused

DIGEST = "ab" * 32


def write(path: Path, text: str, mode: int = 0o600) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


def test_a_new_token_is_accepted_and_not_written_down(tmp_path: Path) -> None:
    """The line for the file names the tenant and holds a hash, not the token."""
    token, line = new_token("till-1")
    other, _ = new_token("till-1")
    tokens = Tokens(write(tmp_path / "tokens", f"# our tills\n\n{line}\n"))
    assert tokens.caller(token) == Caller("till-1", Role.DEVICE)
    assert tokens.caller(other) is None
    assert token not in line
    assert token != other


@pytest.mark.parametrize("name", ["", "a b", "../x", "é", "x" * 65, "#x"])
def test_a_name_must_be_harmless(name: str) -> None:
    """A tenant's name goes into file names and logs."""
    with pytest.raises(ConfigInvalid):
        new_token(name)


@pytest.mark.parametrize(
    "text",
    [
        "till-1",
        f"till-1 {DIGEST[:-1]}",
        f"till-1 {DIGEST} more",
        f"till-1 {DIGEST} Operator",
        f"till-1 {DIGEST} operator device",
        f"till-1 operator {DIGEST}",
        f"t/1 {DIGEST}",
        f"a {DIGEST}\nb {DIGEST.upper()}",
        "till-1 certificate chief",
        "till-1 certificate\ntill-1 certificate operator",
    ],
)
def test_a_damaged_file_is_refused_without_showing_it(tmp_path: Path, text: str) -> None:
    """A line that means nothing stops the daemon; its words may be somebody's token."""
    with pytest.raises(ConfigInvalid) as caught:
        Tokens(write(tmp_path / "tokens", text))
    assert "till-1" not in caught.value.message
    assert DIGEST not in caught.value.message


def test_a_line_may_name_a_role(tmp_path: Path) -> None:
    """A token is a device's unless its line says otherwise, and a certificate's name likewise."""
    token, line = new_token("boss", Role.OPERATOR)
    device, device_line = new_token("till-1")
    text = f"{line}\n{device_line} device\na certificate\nb  certificate\toperator \n"
    tokens = Tokens(write(tmp_path / "tokens", text))
    assert line.endswith(" operator") and len(device_line.split()) == 2
    assert tokens.caller(token) == Caller("boss", Role.OPERATOR)
    assert tokens.caller(device) == Caller("till-1", Role.DEVICE)
    assert tokens.certified("a") == Caller("a", Role.DEVICE)
    assert tokens.certified("b") == Caller("b", Role.OPERATOR)
    assert tokens.certified("boss") is None
    assert tokens.caller("certificate") is None
    assert Tokens(None).certified("boss") == Caller("boss", Role.DEVICE)


def test_a_changed_role_counts_at_once(tmp_path: Path) -> None:
    """An operator whose line is made a device's is one at the next call."""
    token, line = new_token("boss", Role.OPERATOR)
    path = write(tmp_path / "tokens", line)
    tokens = Tokens(path)
    assert tokens.caller(token) == Caller("boss", Role.OPERATOR)
    write(path, line.removesuffix(" operator"))
    assert tokens.caller(token) == Caller("boss", Role.DEVICE)


def test_a_file_open_to_everybody_is_refused(tmp_path: Path) -> None:
    """Only the daemon and its group may read the tokens file."""
    _, line = new_token("till-1")
    Tokens(write(tmp_path / "tokens", line, 0o640))
    with pytest.raises(ConfigInvalid, match="open to every user"):
        Tokens(write(tmp_path / "tokens", line, 0o644))
    with pytest.raises(ConfigInvalid, match="No such file"):
        Tokens(tmp_path / "absent")


def test_a_changed_file_counts_at_once(tmp_path: Path) -> None:
    """A token added is accepted and one removed refused without a restart."""
    old, old_line = new_token("till-1")
    new, new_line = new_token("till-2")
    path = write(tmp_path / "tokens", old_line)
    tokens = Tokens(path)
    replacement = write(tmp_path / "next", new_line)
    replacement.replace(path)
    assert (tokens.caller(old), tokens.caller(new)) == (None, Caller("till-2", Role.DEVICE))


def test_a_file_that_broke_keeps_the_old_tokens(tmp_path: Path) -> None:
    """A slip of the editor locks nobody out; once mended the file counts again."""
    token, line = new_token("till-1")
    path = write(tmp_path / "tokens", line)
    tokens = Tokens(path)
    write(path, "half a li")
    assert tokens.caller(token) == Caller("till-1", Role.DEVICE)
    path.unlink()
    assert tokens.caller(token) == Caller("till-1", Role.DEVICE)
    write(path, "# nobody any more")
    assert tokens.caller(token) is None


async def test_tcp_needs_a_token_and_the_socket_has_a_tenant(tmp_path: Path) -> None:
    """Without a token TCP is refused and the socket served; a wrong token is refused on both."""
    async with house(tmp_path, server={"socket_tenant": "counter"}) as at:
        bound = await at.serving()
        tcp, local = at.stub(bound.tcp), at.stub()
        assert (await refused(tcp.Ask(asking()))).reason == "TOKEN_MISSING"
        for stub in (tcp, local):
            wrong = await refused(stub.Ask(asking(), metadata=bearer("eclm_guess")))
            assert (wrong.code, wrong.reason) == ("UNAUTHENTICATED", "TOKEN_UNKNOWN")
            basic = (("authorization", "Basic YWJj"),)
            assert (await refused(stub.Ask(asking(), metadata=basic))).reason == "TOKEN_MISSING"
            twice = bearer(at.token) * 2
            assert (await refused(stub.Ask(asking(), metadata=twice))).reason == "TOKEN_MISSING"
        assert not at.parts.answerer.inquiries
        await local.Ask(asking())
        await local.Ask(asking(), metadata=bearer(at.token))
        await tcp.Ask(asking(), metadata=bearer(at.token))
        tenants = [inquiry.tenant for inquiry in at.parts.answerer.inquiries]
    assert tenants == ["counter", "acme", "acme"]


async def test_every_method_is_behind_the_token(tmp_path: Path) -> None:
    """Over TCP nothing but health answers a stranger."""
    async with house(tmp_path) as at:
        bound = await at.serving()
        stub = at.stub(bound.tcp)
        calls = [
            stub.Ask(pb.AskRequest()),
            stub.Describe(pb.DescribeRequest()),
            stub.GetInfo(pb.GetInfoRequest()),
            stub.Feedback(pb.FeedbackRequest()),
            stub.PutCapture(iter([pb.PutCaptureRequest(chunk=b"x")])),
            stub.AskStream(pb.AskStreamRequest()).read(),
        ]
        reasons = [(await refused(call)).reason for call in calls]
        assert await at.health(address=bound.tcp) == "SERVING"
    assert reasons == ["TOKEN_MISSING"] * len(calls)


async def test_a_hangup_reads_the_tokens_again(tmp_path: Path) -> None:
    """SIGHUP reloads the tokens and does not end the daemon."""
    token, line = new_token("late")
    async with house(tmp_path) as at:
        _replace_unnoticed(Path(at.config.server.tokens), line)
        stub = at.stub()
        assert (await refused(stub.Ask(asking(), metadata=bearer(token)))).reason == "TOKEN_UNKNOWN"
        signal.raise_signal(signal.SIGHUP)
        await stub.Ask(asking(), metadata=bearer(token))
        assert at.parts.answerer.inquiries[0].tenant == "late"


def _replace_unnoticed(path: Path, line: str) -> None:
    """Other tokens under the same size and time: only a signal can tell that the file changed."""
    before = path.stat()
    path.write_text(line.ljust(before.st_size - 1) + "\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
