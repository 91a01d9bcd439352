"""What the clients of the soak do: all that devices do, and the wrong things too."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import cycle
from threading import Event
from typing import Any

from bench.hostile import Hostile
from bench.soak_ledger import Ledger
from bench.soak_methods import HEALTH, Method, methods
from bench.soak_pages import NewPages, Sheet
from bench.soak_rpc import Caller, said
from bench.wording import LONG, NEW
from edge_clm.client import ClientError
from edge_clm.v1 import admin_pb2
from edge_clm.v1 import edge_clm_pb2 as pb

TIMEOUT_S = 240.0
"""Of one call. Far more than the queue of eight clients needs: a call that meets it was stuck."""
BUSY = frozenset({"QUEUE_FULL", "TENANT_QUEUE_FULL", "DEADLINE_TOO_SHORT"})
"""A daemon may always say that it is busy."""
_TOKENS = (8, 24, 0)
_GIBBERISH = b"\xff" * 64
Action = Callable[[Caller], str | None]
"""Returns what is wrong, or None; raises ClientError where the daemon refused."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What all clients of a soak have in common."""

    sheets: Sequence[Sheet]
    new: NewPages
    hostile: Sequence[Hostile]
    ledger: Ledger
    stop: Event
    readings: dict[str, bytes] = field(default_factory=dict)
    """What Extract said of each sheet the first time, by handle: it must say so ever after."""


@dataclass(slots=True)
class Actions:
    """The actions of one client, which remembers what it has asked."""

    address: str
    token: str | None
    """None for the unix socket, whose callers are operators; a device's token elsewhere."""
    ground: Ground
    draw: random.Random
    _asked: list[tuple[str, Sheet]] = field(default_factory=list)
    _kept: list[str] = field(default_factory=list)
    _last: str = ""
    """The id of the last answer that was kept."""
    _bad: Iterator[Hostile] = field(init=False)
    _gibberish: Iterator[Method] = field(init=False)

    def __post_init__(self) -> None:
        # In turn and not by lot, so that no bad call is left out.
        self._bad = cycle(self.draw.sample(self.ground.hostile, len(self.ground.hostile)))
        spoken = [one for one in methods() if not one.path.startswith(HEALTH)]
        self._gibberish = cycle(self.draw.sample(spoken, len(spoken)))

    def client(self) -> Caller:
        """A connection of its own."""
        return Caller(self.address, self.ground.ledger, self.token, TIMEOUT_S)

    def all(self) -> dict[Action, int]:
        """What there is to do, and how often against the rest."""
        return {
            self.ask_new: 5,
            self.ask_again: 6,
            self.ask_bytes: 3,
            self.stream: 3,
            self.cancel: 4,
            self.disconnect: 2,
            self.describe: 1,
            self.extract: 4,
            self.upload: 2,
            self.judge: 2,
            self.inform: 1,
            self.look_after: 1,
            self.watch_health: 1,
            self.misbehave: 6,
            self.babble: 1,
        }

    def newcomer(self, page: bytes) -> Action:
        """A page that nobody has seen, met in one of the ways in which devices bring pages."""

        def ask(client: Caller) -> None:
            client.ask(self.draw.choice(NEW), image=page, max_tokens=8)

        def upload(client: Caller) -> None:
            client.extract(handle=client.put_capture(page).handle)

        def extract(client: Caller) -> None:
            client.extract(image=page)

        def stream(client: Caller) -> None:
            list(client.ask_stream(self.draw.choice(NEW), image=page, max_tokens=8))

        return self.draw.choice((ask, upload, extract, stream))

    def ask_new(self, client: Caller) -> str | None:
        """A question, mostly one not asked about this page before."""
        sheet, question = self._sheet(), self.draw.choice(NEW)
        answer = client.ask(question, handle=sheet.handle, max_tokens=self.draw.choice(_TOKENS))
        return self._remember(question, sheet, answer)

    def ask_again(self, client: Caller) -> str | None:
        """A question that this client has asked."""
        question, sheet = self._known()
        return self._remember(question, sheet, client.ask(question, handle=sheet.handle))

    def ask_bytes(self, client: Caller) -> str | None:
        """The same by bytes, as a device does that keeps no handles."""
        question, sheet = self._known()
        return self._remember(question, sheet, client.ask(question, image=sheet.data))

    def stream(self, client: Caller) -> str | None:
        """A whole stream; its deltas must be its text."""
        sheet, question = self._sheet(), self.draw.choice(NEW)
        *deltas, last = client.ask_stream(question, handle=sheet.handle, max_tokens=24)
        if not isinstance(last, pb.Answer):
            return "a stream without an answer"
        return None if last.text == "".join(map(str, deltas)) else "deltas differ from the text"

    def cancel(self, client: Caller) -> None:
        """A stream that is left after a few pieces."""
        events = self._long_stream(client)
        with closing(events):
            for count, _ in enumerate(events):
                if count >= self.draw.randrange(6):
                    return

    def disconnect(self, client: Caller) -> None:
        """A stream whose whole connection is closed under it."""
        with self.client() as other:
            events = self._long_stream(other)
            next(events)
            other.close()
            events.close()

    def vanish(self, client: Caller) -> str | None:
        """A device that loses power: its process is killed while it is being answered."""
        command = [sys.executable, "-m", "bench.vanish", self.address, self.ground.sheets[0].handle]
        # The token goes by the environment: whoever lists processes reads their arguments.
        known = {**os.environ, "EDGE_CLM_TOKEN": self.token or ""}
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=known
        ) as device:
            started = device.stdout.readline() if device.stdout else b""
            device.kill()
        return None if started else "the device that was to die got no answer"

    def describe(self, client: Caller) -> None:
        """A description."""
        client.describe(handle=self._sheet().handle, max_tokens=24)

    def extract(self, client: Caller) -> str | None:
        """The fields of a document, which are the same whenever and however it is sent."""
        sheet = self._sheet()
        how: dict[str, Any] = self.draw.choice(({"handle": sheet.handle}, {"image": sheet.data}))
        read = client.extract(**how).extraction.SerializeToString(deterministic=True)
        same = self.ground.readings.setdefault(sheet.handle, read) == read
        return None if same else "one document was read in two ways"

    def upload(self, client: Caller) -> str | None:
        """An upload of what is known, which must return the known handle."""
        sheet = self._sheet()
        same = client.put_capture(sheet.data).handle == sheet.handle
        return None if same else "the same bytes got another handle"

    def judge(self, client: Caller) -> None:
        """Feedback about an answer of this client's."""
        if self._kept:
            client.feedback(self._kept.pop(), self.draw.random() < 0.7)

    def inform(self, client: Caller) -> None:
        """GetInfo."""
        client.info()

    def look_after(self, client: Caller) -> str | None:
        """What operators alone may call: to be answered on the socket, refused to a device."""
        account = admin_pb2.ExplainRequest(id=self._last).SerializeToString()
        for method in (one for one in methods() if one.for_operators):
            explains = method.path.endswith("/Explain")
            if explains and not self._last:
                continue
            met = _met(client, method, account if explains else b"")
            if met != ("ROLE_TOO_LOW" if self.token else "") and met not in BUSY:
                return f"{method.path}: {met or 'answered'}"
        return None

    def watch_health(self, client: Caller) -> str | None:
        """Health when asked, and the first word of a watch that is then left."""
        asked, call = client.health(), client.watch_health()
        try:
            word = said(next(call))
        finally:
            call.cancel()
        return None if asked == word == "SERVING" else f"health said {asked} and {word}"

    def babble(self, client: Caller) -> str | None:
        """Bytes that are no message, to one call after the other."""
        method = next(self._gibberish)
        met = _met(client, method, _GIBBERISH)
        right = {"REQUEST_INVALID", *({"ROLE_TOO_LOW"} if method.for_operators else ()), *BUSY}
        return None if met in right else f"{method.path}: {met or 'answered'}"

    def misbehave(self, client: Caller) -> str | None:
        """A bad call, which must be refused for the right reason."""
        bad = next(self._bad)
        try:
            bad.call(client)
        except ClientError as error:
            right = error.reason in bad.reasons | BUSY
            return None if right else f"{bad.name}: {error.reason}"
        return f"{bad.name}: not refused"

    def _long_stream(self, client: Caller) -> Any:
        sheet, seed = self._sheet(), self.draw.randrange(2**31)
        how: dict[str, Any] = {"temperature": 1.0, "seed": seed, "no_store": True}
        return client.ask_stream(LONG, handle=sheet.handle, **how)

    def _sheet(self) -> Sheet:
        return self.draw.choice(self.ground.sheets)

    def _known(self) -> tuple[str, Sheet]:
        return self.draw.choice(self._asked or [(NEW[0], self.ground.sheets[0])])

    def _remember(self, question: str, sheet: Sheet, answer: pb.Answer) -> str | None:
        if answer.page.handle != sheet.handle:
            return "an answer about another document"
        self._asked.append((question, sheet))
        if answer.provenance.stored:
            self._kept.append(answer.answer_id)
            self._last = answer.answer_id
        return None


def _met(client: Caller, method: Method, body: bytes) -> str:
    """The reason for which a request is refused; empty where it is answered."""
    try:
        client.send(method, body)
    except ClientError as error:
        return error.reason
    return ""
