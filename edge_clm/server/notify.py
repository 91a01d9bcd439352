"""Telling systemd how the daemon is doing (sd_notify)."""

from __future__ import annotations

import os
import socket


class Notifier:
    """Sends state to the socket that systemd named, and does nothing where it named none."""

    def __init__(self, address: str | None) -> None:
        """`address` is the value of NOTIFY_SOCKET; a leading '@' means an abstract socket."""
        self._address = address

    @classmethod
    def from_environment(cls) -> Notifier:
        """The notifier of the unit that started this process."""
        return cls(os.environ.get("NOTIFY_SOCKET"))

    def tell(self, **state: str) -> None:
        """Sends assignments such as READY='1' or STATUS='loading'."""
        if not self._address:
            return
        message = "\n".join(f"{key}={value}" for key, value in state.items())
        target = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as link:
            link.connect(target)
            link.sendall(message.encode())
