"""Roles: what each may call, over everything that the daemon serves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from edge_clm.errors import RoleTooLow
from edge_clm.server import roles
from edge_clm.server.auth import new_token
from edge_clm.server.call import ADMIN, HEALTH
from edge_clm.server.roles import Role
from edge_clm.v1 import admin_pb2, edge_clm_pb2
from tests.server.house import asking, bearer, house, told

OURS = (edge_clm_pb2.DESCRIPTOR, admin_pb2.DESCRIPTOR)
FILES = (*OURS, reflection_pb2.DESCRIPTOR, health_pb2.DESCRIPTOR)


def methods(*files: Any) -> dict[str, Any]:
    """Every method of every service in these files, by its full name."""
    return {
        f"/{service.full_name}/{method.name}": method
        for file in files
        for service in file.services_by_name.values()
        for method in service.methods
    }


def test_every_method_has_a_role() -> None:
    """No method is served that the table does not name, and the table names none that is not there."""
    served = {name for name in methods(*FILES) if not name.startswith(HEALTH)}
    assert set(roles.LEAST) == served


def test_the_admin_service_is_for_operators_alone() -> None:
    """Not one of its methods is a device's, and of the devices' service every one is."""
    for name in methods(admin_pb2.DESCRIPTOR):
        assert roles.least(name) is Role.OPERATOR
        with pytest.raises(RoleTooLow):
            roles.ensure(Role.DEVICE, name)
        roles.ensure(Role.OPERATOR, name)
    for name in methods(edge_clm_pb2.DESCRIPTOR):
        roles.ensure(Role.DEVICE, name)


def test_a_method_that_nobody_thought_of_is_an_operators() -> None:
    """Forgetting a line in the table opens nothing."""
    for name in (ADMIN + "Forget", "/edge_clm.v2.EdgeClmService/Ask", "/x/y", ""):
        assert roles.least(name) is Role.OPERATOR


@pytest.mark.parametrize("name", methods(*OURS))
async def test_a_device_is_kept_from_what_is_an_operators(tmp_path: Path, name: str) -> None:
    """On the wire, over TCP and over the socket: a device meets ROLE_TOO_LOW exactly there."""
    async with house(tmp_path, server={"socket_role": "device"}) as at:
        where = (await at.serving()).tcp
        over_tcp = await _reason(at.channel(where), name, bearer(at.token))
        at_socket = await _reason(at.channel(), name, ())
        stranger = await _reason(at.channel(where), name, ())
    too_low = roles.least(name) is Role.OPERATOR
    assert (over_tcp == "ROLE_TOO_LOW", at_socket == "ROLE_TOO_LOW") == (too_low, too_low)
    assert stranger == "TOKEN_MISSING"


async def test_the_socket_is_an_operators_unless_configured_otherwise(tmp_path: Path) -> None:
    """A device's token makes a device of whoever sends it there, and an operator's an operator."""
    token, line = new_token("boss", Role.OPERATOR)
    async with house(tmp_path) as at:
        _append(Path(at.config.server.tokens), line)
        assert await _reason(at.channel(), ADMIN + "Stats", ()) == ""
        assert await _reason(at.channel(), ADMIN + "Stats", bearer(at.token)) == "ROLE_TOO_LOW"
    async with house(tmp_path, server={"socket_role": "device"}) as at:
        _append(Path(at.config.server.tokens), line)
        assert await _reason(at.channel(), ADMIN + "Stats", ()) == "ROLE_TOO_LOW"
        assert await _reason(at.channel(), ADMIN + "Stats", bearer(token)) == ""


async def test_a_refusal_says_what_to_do(tmp_path: Path) -> None:
    """PERMISSION_DENIED, with a reason, a remedy and not a word of what would have been told."""
    async with house(tmp_path) as at:
        stub = at.admin(at.channel((await at.serving()).tcp))
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.Stats(admin_pb2.StatsRequest(), metadata=bearer(at.token))
    refusal = told(caught.value)
    assert (refusal.code, refusal.reason) == ("PERMISSION_DENIED", "ROLE_TOO_LOW")
    assert refusal.message == "Stats is for operators"
    assert "--role operator" in refusal.remedy


async def test_an_operator_may_do_what_a_device_may(tmp_path: Path) -> None:
    """One token is enough for who looks after the daemon and asks it something."""
    token, line = new_token("boss", Role.OPERATOR)
    async with house(tmp_path) as at:
        _append(Path(at.config.server.tokens), line)
        await at.stub((await at.serving()).tcp).Ask(asking(), metadata=bearer(token))
        assert [inquiry.tenant for inquiry in at.parts.answerer.inquiries] == ["boss"]


async def test_reflection_knows_both_services(tmp_path: Path) -> None:
    """Tools can ask for the whole contract, the operators' part too; on TCP only with a token."""
    async with house(tmp_path) as at:
        await at.serving()
        stub = reflection_pb2_grpc.ServerReflectionStub(at.channel())
        call = stub.ServerReflectionInfo()
        await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
        listed = {one.name for one in (await call.read()).list_services_response.service}
        call.cancel()
    assert {"edge_clm.v1.EdgeClmService", "edge_clm.v1.EdgeClmAdminService"} <= listed


def _append(path: Path, line: str) -> None:
    with path.open("a") as file:
        file.write(line + "\n")


async def _reason(channel: grpc.aio.Channel, name: str, metadata: Any) -> str:
    """The reason that calling a method with an empty request is refused for; empty if it is answered."""
    call = channel.stream_stream(name)(iter([b""]), metadata=metadata, timeout=10)
    try:
        async for _ in call:
            pass
    except grpc.aio.AioRpcError as error:
        return told(error).reason
    return ""
