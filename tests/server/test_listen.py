"""Addresses: which are refused, and who may take one."""

from __future__ import annotations

import asyncio
import socket
import stat
import subprocess
import sys
from pathlib import Path

import grpc
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from edge_clm.config import Server
from edge_clm.errors import AddressTaken, AddressUnsafe, ConfigInvalid
from edge_clm.server import listen


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("127.0.0.1:50551", ("127.0.0.1", 50551)),
        ("127.8.9.1:0", ("127.8.9.1", 0)),
        ("localhost:1", ("127.0.0.1", 1)),
        ("[::1]:7", ("::1", 7)),
    ],
)
def test_a_loopback_address_is_split(address: str, expected: tuple[str, int]) -> None:
    """Every way to write this machine's own address is understood."""
    assert listen.loopback(address, "server.tcp") == expected


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0:1",
        "192.168.1.4:1",
        "[::]:1",
        "example.org:1",
        "127.0.0.1.evil:1",
        "8.127.0.1:1",
        "::1%lo:1",
    ],
)
def test_any_other_address_is_unsafe(address: str) -> None:
    """An address that others can reach is refused, and a name is never resolved to find out."""
    with pytest.raises(AddressUnsafe):
        listen.loopback(address, "server.tcp")


SECRET = {"tls_certificate": "c", "tls_key": "k"}


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        ({}, "without TLS, and with neither tokens nor client certificates"),
        ({"tokens": "t"}, "without TLS"),
        (SECRET, "with TLS, and with neither tokens nor client certificates"),
    ],
)
@pytest.mark.parametrize("address", ["0.0.0.0:1", "192.168.1.4:1", "[::]:1", "till.local:1"])
def test_an_address_beyond_this_machine_needs_tls_and_names(
    address: str, settings: dict[str, str], missing: str
) -> None:
    """Without encryption, or without a way to know who calls, it is refused, and what lacks is said."""
    with pytest.raises(AddressUnsafe) as caught:
        listen.guarded(Server(tcp=address, **settings))
    assert caught.value.message.endswith(f" is not a loopback address, {missing}")
    assert "server.tls_certificate" in caught.value.remedy


@pytest.mark.parametrize("known", [{"tokens": "t"}, {"tls_client_ca": "a"}])
def test_a_guarded_address_may_be_any(known: dict[str, str]) -> None:
    """With TLS and tokens or client certificates every IP address will do, but no name of a host."""
    settings = {**SECRET, **known}
    for address, expected in (("10.1.2.3:1", ("10.1.2.3", 1)), ("[::]:7", ("::", 7))):
        assert listen.guarded(Server(tcp=address, **settings)) == expected
    for address in ("till.local:1", "[fe80::1%eth0]:1"):
        with pytest.raises(ConfigInvalid):
            listen.guarded(Server(tcp=address, **settings))


@pytest.mark.parametrize(
    "settings", [{"tls_certificate": "c"}, {"tls_key": "k"}, {"tls_client_ca": "a"}]
)
@pytest.mark.parametrize("address", ["127.0.0.1:1", "0.0.0.0:1"])
def test_half_of_tls_is_none(address: str, settings: dict[str, str]) -> None:
    """A key without its certificate, or authorities alone, never mean that TLS is left out."""
    with pytest.raises(ConfigInvalid):
        listen.guarded(Server(tcp=address, tokens="t", **settings))


@pytest.mark.parametrize("address", ["", "127.0.0.1", "127.0.0.1:", ":1", "127.0.0.1:99999"])
def test_an_address_needs_host_and_port(address: str) -> None:
    """What is no address is a configuration error."""
    with pytest.raises(ConfigInvalid):
        listen.loopback(address, "server.tcp")


def addresses() -> st.SearchStrategy[str]:
    hosts = st.text(max_size=40) | st.ip_addresses().map(str) | st.ip_addresses().map("[{}]".format)
    return st.builds("{}:{}".format, hosts, st.integers(0, 99_999)) | st.text(max_size=40)


def is_this_machine(host: str) -> bool:
    """What the kernel takes for loopback, reckoned from the address's bytes."""
    try:
        return socket.inet_pton(socket.AF_INET, host)[0] == 127
    except OSError:
        packed = socket.inet_pton(socket.AF_INET6, host)
        return packed == b"\0" * 15 + b"\1" or packed.startswith(b"\0" * 10 + b"\xff\xff\x7f")


@given(addresses())
@example("127.1.2.3:4")
@example("8.127.0.1:1")
@example("[::1]:0")
@example("[fe80::127.0.0.1]:1")
@example("::1%127.0.0.1:1")
def test_an_address_is_safe_or_refused(address: str) -> None:
    """No string makes the parser fail otherwise, or pass a host that is not loopback."""
    try:
        host, port = listen.loopback(address, "server.tcp")
    except (AddressUnsafe, ConfigInvalid):
        return
    assert is_this_machine(host)
    assert 0 <= port <= 65535


def test_one_socket_has_one_owner(tmp_path: Path) -> None:
    """While one daemon holds a socket another is refused; afterwards it may have it."""
    path = tmp_path / "run" / "d.sock"
    with listen.claimed(path):
        with pytest.raises(AddressTaken), listen.claimed(path):
            pass
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o750
    with listen.claimed(path):
        pass


def test_a_dead_daemons_socket_is_cleared(tmp_path: Path) -> None:
    """A socket nobody answers is removed; one that somebody answers and a plain file are not."""
    path = tmp_path / "d.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
        with listen.claimed(path):
            assert not path.exists()
    with socket.socket(socket.AF_UNIX) as alive:
        alive.bind(str(path))
        alive.listen()
        with pytest.raises(AddressTaken), listen.claimed(path):
            pass
        assert path.is_socket()
    path.unlink()
    path.write_text("precious")
    with pytest.raises(AddressTaken), listen.claimed(path):
        pass
    assert path.read_text() == "precious"


def test_only_a_refused_connection_is_a_dead_socket(tmp_path: Path) -> None:
    """A socket of another kind, whose owner cannot be asked, is left where it is and named."""
    path = tmp_path / "d.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.bind(str(path))
        with pytest.raises(ConfigInvalid, match=str(path)), listen.claimed(path):
            pass
        assert path.is_socket()


def test_a_listener_with_its_hands_full_is_alive(tmp_path: Path) -> None:
    """A socket that takes no further connection just now still belongs to whoever listens."""
    path = tmp_path / "d.sock"
    with socket.socket(socket.AF_UNIX) as busy:
        busy.bind(str(path))
        busy.listen(0)
        with socket.socket(socket.AF_UNIX) as first, socket.socket(socket.AF_UNIX) as second:
            for waiting in (first, second):
                waiting.setblocking(False)
                waiting.connect_ex(str(path))
            with pytest.raises(AddressTaken), listen.claimed(path):
                pass
        assert path.is_socket()


@pytest.mark.parametrize(
    ("mode", "named"), [(0o555, "run/d.sock.lock"), (0o777, "run/d.sock")], ids=["lock", "socket"]
)
def test_what_may_not_be_touched_is_named(tmp_path: Path, mode: int, named: str) -> None:
    """Without permission for the directory or the socket the error names the path, and nothing goes."""
    path = tmp_path / "run" / "d.sock"
    path.parent.mkdir()
    with socket.socket(socket.AF_UNIX) as alive:
        alive.bind(str(path))
        alive.listen()
        path.chmod(0o000)
        path.parent.chmod(mode)
        tmp_path.chmod(0o755)
        assert claimed_by_nobody(tmp_path) == f"ConfigInvalid {named}: Permission denied"
        assert path.is_socket()


def claimed_by_nobody(directory: Path) -> str:
    """What an ordinary user meets who claims run/d.sock in `directory`."""
    code = (
        "import os\n"
        "from pathlib import Path\n"
        "from edge_clm.server import listen\n"
        "if os.geteuid() == 0: os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "try:\n"
        "    with listen.claimed(Path('run/d.sock')): print('claimed')\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    # A relative path: the directories above may be closed to that user.
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=directory, capture_output=True, text=True, check=True
    )
    return result.stdout.strip()


def test_what_fails_inside_a_claim_stays_what_it_is(tmp_path: Path) -> None:
    """An OSError of the daemon's own run is not told as trouble with the socket's path."""
    with pytest.raises(FileNotFoundError), listen.claimed(tmp_path / "d.sock"):
        raise FileNotFoundError("weights")


def test_a_path_too_long_for_a_socket_is_said(tmp_path: Path) -> None:
    """The kernel's limit is met with words, not with a failure to bind."""
    with pytest.raises(ConfigInvalid, match="107"), listen.claimed(tmp_path / ("d" * 120)):
        pass


async def test_a_port_has_one_server(tmp_path: Path) -> None:
    """A second server on the same port is refused instead of taking half its calls."""
    first = grpc.aio.server(options=listen.options(1024))
    second = grpc.aio.server(options=listen.options(1024))
    try:
        bound = listen.bind_tcp(first, Server(tcp="127.0.0.1:0"), None)
        await first.start()
        with pytest.raises(AddressTaken):
            await asyncio.to_thread(listen.bind_tcp, second, Server(tcp=bound), None)
    finally:
        await first.stop(None)
        await second.stop(None)


@pytest.mark.parametrize("mode", [0o600, 0o660])
async def test_a_socket_has_its_mode(tmp_path: Path, mode: int) -> None:
    """Who may call over the socket is decided by its permissions, whatever the umask."""
    path = tmp_path / "d.sock"
    server = grpc.aio.server()
    try:
        listen.bind_socket(server, path, mode)
        assert stat.S_IMODE(path.stat().st_mode) == mode
        with pytest.raises(AddressTaken):
            listen.bind_socket(server, tmp_path / "absent" / "d.sock", mode)
    finally:
        await server.stop(None)
