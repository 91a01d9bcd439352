"""One client of the soak: does all that devices do, the wrong things too, and notes how each ended."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import cycle
from threading import Event
from typing import Any

from bench.hostile import Hostile
from bench.wording import LONG, NEW
from edge_clm.client import Client, ClientError
from edge_clm.v1 import edge_clm_pb2 as pb

TIMEOUT_S = 240.0
"""Of one call. Far more than the queue of eight clients needs: a call that meets it was stuck."""
BUSY = frozenset({"QUEUE_FULL", "TENANT_QUEUE_FULL", "DEADLINE_TOO_SHORT"})
"""A daemon may always say that it is busy."""
_TOKENS = (8, 24, 0)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A document that all clients ask about."""

    data: bytes
    handle: str


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

    address: str
    sheets: Sequence[Sheet]
    hostile: Sequence[Hostile]
    draw: random.Random
    stop: Event
    begun: int = 0
    ended: list[Ended] = field(default_factory=list)
    _asked: list[tuple[str, Sheet]] = field(default_factory=list)
    _kept: list[str] = field(default_factory=list)
    _bad: Iterator[Hostile] = field(init=False)

    def __post_init__(self) -> None:
        # In turn and not by lot, so that no bad call is left out.
        self._bad = cycle(self.draw.sample(self.hostile, len(self.hostile)))

    def run(self) -> None:
        """Does one thing after the other."""
        actions: dict[Callable[[Client], str | None], int] = {
            self.ask_new: 5,
            self.ask_again: 6,
            self.ask_bytes: 3,
            self.stream: 3,
            self.cancel: 4,
            self.disconnect: 2,
            self.describe: 1,
            self.upload: 2,
            self.judge: 2,
            self.inform: 1,
            self.misbehave: 6,
        }
        with Client(self.address, timeout_s=TIMEOUT_S) as client:
            while not self.stop.is_set():
                # A device that dies costs a process of its own, so it is rare.
                rare = self.draw.random() < 0.01
                chosen = self.draw.choices(list(actions), list(actions.values()))[0]
                self._do(client, self.vanish if rare else chosen)

    def ask_new(self, client: Client) -> None:
        """A question, mostly one not asked about this page before."""
        sheet, question = self.draw.choice(self.sheets), self.draw.choice(NEW)
        answer = client.ask(question, handle=sheet.handle, max_tokens=self.draw.choice(_TOKENS))
        self._remember(question, sheet, answer)

    def ask_again(self, client: Client) -> None:
        """A question that this client has asked."""
        question, sheet = self.draw.choice(self._asked or [(NEW[0], self.sheets[0])])
        self._remember(question, sheet, client.ask(question, handle=sheet.handle))

    def ask_bytes(self, client: Client) -> None:
        """The same by bytes, as a device does that keeps no handles."""
        question, sheet = self.draw.choice(self._asked or [(NEW[0], self.sheets[0])])
        self._remember(question, sheet, client.ask(question, image=sheet.data))

    def stream(self, client: Client) -> str | None:
        """A whole stream; its deltas must be its text."""
        sheet, question = self.draw.choice(self.sheets), self.draw.choice(NEW)
        text = ""
        for event in client.ask_stream(question, handle=sheet.handle, max_tokens=24):
            if isinstance(event, pb.Answer):
                return None if event.text == text else "deltas differ from the text"
            text += event
        return "a stream without an answer"

    def cancel(self, client: Client) -> None:
        """A stream that is left after a few pieces."""
        events = self._long_stream(client)
        with closing(events):
            for count, _ in enumerate(events):
                if count >= self.draw.randrange(6):
                    return

    def disconnect(self, client: Client) -> None:
        """A stream whose whole connection is closed under it."""
        with Client(self.address, timeout_s=TIMEOUT_S) as other:
            events = self._long_stream(other)
            next(events)
            other.close()
            events.close()

    def vanish(self, client: Client) -> str | None:
        """A device that loses power: its process is killed while it is being answered."""
        command = [sys.executable, "-m", "bench.vanish", self.address, self.sheets[0].handle]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as device:
            started = device.stdout.readline() if device.stdout else b""
            device.kill()
        return None if started else "the device that was to die got no answer"

    def describe(self, client: Client) -> None:
        """A description."""
        client.describe(handle=self.draw.choice(self.sheets).handle, max_tokens=24)

    def upload(self, client: Client) -> str | None:
        """An upload of what is known, which must return the known handle."""
        sheet = self.draw.choice(self.sheets)
        same = client.put_capture(sheet.data).handle == sheet.handle
        return None if same else "the same bytes got another handle"

    def judge(self, client: Client) -> None:
        """Feedback about an answer of this client's."""
        if self._kept:
            client.feedback(self._kept.pop(), self.draw.random() < 0.7)

    def inform(self, client: Client) -> None:
        """GetInfo."""
        client.info()

    def misbehave(self, client: Client) -> str | None:
        """A bad call, which must be refused for the right reason."""
        bad = next(self._bad)
        try:
            bad.call(client)
        except ClientError as error:
            right = error.reason in bad.reasons | BUSY
            return None if right else f"{bad.name}: {error.reason}"
        return f"{bad.name}: not refused"

    def _long_stream(self, client: Client) -> Any:
        sheet, seed = self.draw.choice(self.sheets), self.draw.randrange(2**31)
        how: dict[str, Any] = {"temperature": 1.0, "seed": seed, "no_store": True}
        return client.ask_stream(LONG, handle=sheet.handle, **how)

    def _remember(self, question: str, sheet: Sheet, answer: pb.Answer) -> None:
        self._asked.append((question, sheet))
        if answer.provenance.stored:
            self._kept.append(answer.answer_id)

    def _do(self, client: Client, action: Callable[[Client], str | None]) -> None:
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
