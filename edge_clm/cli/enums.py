"""Enums of the contract by the short names that people and programs read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from google.protobuf.message import Message


def short(message: Message, field: str, number: int) -> str:
    """The short name of a value of a message's field: `cold` for SERVE_MODE_COLD.

    Its number where a newer daemon sends one that is not known here.
    """
    kind = message.DESCRIPTOR.fields_by_name[field].enum_type
    if kind is None or number not in kind.values_by_number:
        return str(number)
    prefix = kind.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return kind.values_by_number[number].name.removeprefix(prefix).lower()
