"""The watchdog's pings: systemd hears them only while the daemon gets on."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

import structlog

from edge_clm.server.notify import Notifier

log = structlog.get_logger(__name__)


class Watchdog:
    """Pings systemd from the event loop, so that a loop that stands still is not spoken for.

    Nor is a daemon whose engine was ready and has gone silent for longer than the watchdog's
    interval. An engine that loads or is started again is waited for.
    """

    def __init__(
        self, notifier: Notifier, interval_s: float | None, silent_s: Callable[[], float]
    ) -> None:
        """`interval_s` is what systemd waits, in seconds, None for ever; `silent_s` tells of the engine."""
        self._notifier = notifier
        self._interval_s = interval_s
        self._silent_s = silent_s
        self._starting = True

    @classmethod
    def from_environment(cls, notifier: Notifier, silent_s: Callable[[], float]) -> Watchdog:
        """The watchdog that the unit asks of this very process, or one that never pings."""
        return cls(notifier, _interval(), silent_s)

    def started(self) -> None:
        """From now on systemd need not be asked for more time."""
        self._starting = False

    def beat(self) -> None:
        """Pings once, if all is well."""
        if self._interval_s is None:
            return
        silent_s = self._silent_s()
        if silent_s > self._interval_s:
            log.error("systemd is not pinged: the engine is silent", silent_s=round(silent_s, 1))
            return
        more = {"EXTEND_TIMEOUT_USEC": str(int(self._interval_s * 1e6))} if self._starting else {}
        try:
            self._notifier.tell(WATCHDOG="1", **more)
        except OSError as error:
            log.warning("systemd could not be pinged", errno=error.errno)

    async def run(self) -> None:
        """Pings twice in every interval until cancelled."""
        while self._interval_s is not None:
            self.beat()
            await asyncio.sleep(self._interval_s / 2)


def _interval() -> float | None:
    """Seconds between pings that systemd asks of this process; None where it asks none."""
    asked = os.environ.get("WATCHDOG_PID") or str(os.getpid())
    micros = os.environ.get("WATCHDOG_USEC", "")
    if asked != str(os.getpid()) or not micros.isdecimal() or not int(micros):
        return None
    return int(micros) / 1e6
