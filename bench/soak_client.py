"""One client of the soak: does one thing after the other, and notes how each ended."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from bench.soak_actions import BUSY, Action, Actions
from bench.soak_rpc import Caller
from edge_clm.client import ClientError


@dataclass(frozen=True, slots=True)
class Ended:
    """How one call ended."""

    action: str
    outcome: str
    """ok, the reason of an error, or the name of an exception that no caller should meet."""
    expected: bool
    seconds: float


@dataclass(slots=True)
class SoakClient:
    """Runs until told to stop; `ended` and `begun` are read by others while it runs."""

    actions: Actions
    begun: int = 0
    ended: list[Ended] = field(default_factory=list)

    def run(self) -> None:
        """Does one thing after the other, and what is due before anything else."""
        ground, draw, offered = self.actions.ground, self.actions.draw, self.actions.all()
        with self.actions.client() as client:
            while not ground.stop.is_set():
                chosen = draw.choices(list(offered), list(offered.values()))[0]
                # A device that dies costs a process of its own, so it is rare.
                rare = draw.random() < 0.01
                if page := ground.new.take():
                    self._do(client, self.actions.newcomer(page))
                else:
                    self._do(client, self.actions.vanish if rare else chosen)

    def once(self) -> None:
        """Does every thing once."""
        with self.actions.client() as client:
            for action in self.actions.all():
                self._do(client, action)

    def _do(self, client: Caller, action: Action) -> None:
        started, self.begun = time.monotonic(), self.begun + 1
        try:
            complaint = action(client)
            outcome, expected = complaint or "ok", complaint is None
        except ClientError as error:
            outcome, expected = error.reason, error.reason in BUSY
        except Exception as error:  # whatever it is, the soak must count it
            outcome, expected = type(error).__name__, False
        name = getattr(action, "__name__", "?")
        self.ended.append(Ended(name, outcome, expected, time.monotonic() - started))
