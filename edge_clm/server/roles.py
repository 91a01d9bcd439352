"""What a caller may do: two roles, and the least one that each call needs."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from edge_clm.errors import RoleTooLow
from edge_clm.server.call import ADMIN


class Role(Enum):
    """Who a caller is to the daemon; an operator may do whatever a device may."""

    DEVICE = "device"
    """Sends pages and asks about them."""
    OPERATOR = "operator"
    """Looks after the daemon as well."""


_DEVICE = "/edge_clm.v1.EdgeClmService/"

LEAST: Mapping[str, Role] = MappingProxyType(
    {
        _DEVICE + "Describe": Role.DEVICE,
        _DEVICE + "Extract": Role.DEVICE,
        _DEVICE + "Ask": Role.DEVICE,
        _DEVICE + "AskStream": Role.DEVICE,
        _DEVICE + "PutCapture": Role.DEVICE,
        _DEVICE + "GetInfo": Role.DEVICE,
        _DEVICE + "Feedback": Role.DEVICE,
        ADMIN + "Stats": Role.OPERATOR,
        ADMIN + "Explain": Role.OPERATOR,
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": Role.DEVICE,
    }
)
"""The least role for each method; health is not here, for it is told to anybody who can connect."""


def least(method: str) -> Role:
    """The least role that may call `method`, /package.Service/Method; of one unknown, an operator's."""
    return LEAST.get(method, Role.OPERATOR)


def ensure(role: Role, method: str) -> None:
    """Raises RoleTooLow unless a caller of this role may call `method`."""
    if role is Role.DEVICE and least(method) is Role.OPERATOR:
        raise RoleTooLow(f"{method.rpartition('/')[2]} is for operators")
