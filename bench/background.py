"""Another client that keeps the model decoding while something else is timed."""

from __future__ import annotations

import threading
import time
from contextlib import closing
from typing import Any

from bench.beside import Beside
from bench.failure import BenchError
from bench.wording import LONG
from edge_clm.client import Client, ClientError
from edge_clm.v1 import edge_clm_pb2 as pb

MAX_TOKENS = 512
_FIRST_S = 120.0


class Decoding(Beside):
    """Streams long answers about one page, one after the other, from a thread of its own.

    They are sampled, so no memory can answer them, and not kept; the page state is warm, so that
    nearly all of the time is decoding.
    """

    def __init__(self, client: Client, handle: str) -> None:
        super().__init__()
        self._client = client
        self._handle = handle
        self._changed = threading.Condition()
        self._stream = 0
        self._open = False
        self._failure: ClientError | None = None

    def now(self) -> int:
        """The number of the stream that is decoding at this moment; 0 between two of them."""
        with self._changed:
            return self._stream if self._open else 0

    def wait(self) -> int:
        """Waits until a stream decodes; raises BenchError when none does."""
        give_up = time.monotonic() + _FIRST_S
        with self._changed:
            while not self._open:
                if self._failure or not self._changed.wait(give_up - time.monotonic()):
                    raise BenchError(
                        f"the background client does not decode: {self._failure or 'too slow'}"
                    )
            return self._stream

    def run(self) -> None:
        """One stream after the other, until told to stop or until one fails."""
        seed = 0
        while not self._stop.is_set():
            seed += 1
            try:
                self._one(seed)
            except ClientError as error:
                with self._changed:
                    self._failure = error
                    self._changed.notify_all()
                return

    def _one(self, seed: int) -> None:
        events: Any = self._client.ask_stream(
            LONG,
            handle=self._handle,
            no_store=True,
            temperature=1.0,
            seed=seed,
            max_tokens=MAX_TOKENS,
        )
        with closing(events):
            try:
                for event in events:
                    if self._stop.is_set():
                        return
                    self._note(open_now=not isinstance(event, pb.Answer))
            finally:
                self._note(open_now=False)

    def _note(self, *, open_now: bool) -> None:
        with self._changed:
            if open_now and not self._open:
                self._stream += 1
            self._open = open_now
            self._changed.notify_all()
