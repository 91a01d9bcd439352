"""A process of its own for heavy work: the parent calls its methods, streams their results, and
survives its end.

Both sides speak length-prefixed pickles over a socket pair that only the two of them hold. In the
child each lane is one thread with one queue, so calls of one lane run one after the other.
"""

from __future__ import annotations

import inspect
import os
import pickle
import queue
import socket
import struct
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from edge_clm.errors import EdgeClmError, EngineLost, InternalFault

_HEAD = struct.Struct("!Q")

READY, ITEM, DONE, FAIL, PONG = "ready", "item", "done", "fail", "pong"
CALL, CANCEL, PING = "call", "cancel", "ping"


def pack(message: tuple[object, ...]) -> bytes:
    """Frames one message."""
    body = pickle.dumps(message, protocol=5)
    return _HEAD.pack(len(body)) + body


def head_size() -> int:
    """Bytes of the frame's head."""
    return _HEAD.size


def body_size(head: bytes) -> int:
    """Bytes of the body that a head announces."""
    return int(_HEAD.unpack(head)[0])


def unpack(body: bytes) -> tuple[Any, ...]:
    """Reads one message; only ever fed by the other end of the socket pair."""
    message: tuple[Any, ...] = pickle.loads(body)  # noqa: S301
    return message


class _Lane:
    """One thread's queue, and the signs of life of the call that it works on."""

    def __init__(self) -> None:
        self.calls: queue.SimpleQueue[tuple[int, str, tuple[Any, ...]]] = queue.SimpleQueue()
        self._signs = 0
        self._works = False

    @property
    def pulse(self) -> int | None:
        """Signs of life so far; None while there is no work."""
        return self._signs if self._works else None

    def lives(self, works: bool) -> None:
        """Gives a sign of life; `works` says whether there is a call to give more."""
        self._signs += 1
        self._works = works

    def stop(self, cancelled: threading.Event) -> Callable[[], bool]:
        """A call's `stop`; whoever asks it is alive."""

        def asked() -> bool:
            self._signs += 1
            return cancelled.is_set()

        return asked


class Host:
    """The child's side: runs methods of `target` in lanes and reports what they yield or return.

    A method takes its arguments and `stop`, a callable that turns true once the caller has lost
    interest; a generator's items are streamed. What a method returned comes with the milliseconds it
    took, less the wait for its lane. When the parent goes away the process ends at once, and so it
    does after an EngineLost, whose exit code tells the parent why.

    Each PONG carries the pulse of every lane: a number that grows with each item and each time that
    `stop` is asked, and None while the lane has nothing to do.
    """

    def __init__(
        self,
        sock: socket.socket,
        target: object,
        lanes: Mapping[str, str],
        report: Callable[[str, BaseException], None],
        judge: Callable[[BaseException], EdgeClmError | None],
    ) -> None:
        """`lanes` names each method's lane; `report(id, error)` logs what the caller must not see.

        `judge(error)` turns errors of libraries into ours where they have a meaning for the caller.
        """
        self._sock = sock
        self._target = target
        self._report = report
        self._judge = judge
        self._named = {name: _Lane() for name in set(lanes.values())}
        self._lanes = {method: self._named[name] for method, name in lanes.items()}
        self._cancelled: dict[int, threading.Event] = {}
        self._sending = threading.Lock()

    def run(self, ready: object) -> None:
        """Tells the parent `ready`, then serves it until it goes away."""
        for name, lane in self._named.items():
            threading.Thread(target=self._work, args=(lane,), name=name, daemon=True).start()
        self._send(READY, 0, ready)
        while (message := receive(self._sock)) is not None:
            self._take(message)
        os._exit(0)

    def _take(self, message: tuple[Any, ...]) -> None:
        kind, number = message[0], message[1]
        if kind == PING:
            self._send(PONG, number, {name: lane.pulse for name, lane in self._named.items()})
            return
        if kind == CANCEL:
            # The call may end in this very moment, in its lane's thread.
            if cancelled := self._cancelled.get(number):
                cancelled.set()
            return
        self._cancelled[number] = threading.Event()
        self._lanes[message[2]].calls.put((number, message[2], message[3]))

    def _work(self, lane: _Lane) -> None:
        while True:
            number, method, arguments = lane.calls.get()
            lane.lives(True)
            try:
                self._perform(lane, number, method, arguments)
            except EdgeClmError as error:
                self._fail(number, error)
            except Exception as error:
                self._fail(number, self._explained(error))
            finally:
                del self._cancelled[number]
                lane.lives(False)

    def _perform(self, lane: _Lane, number: int, method: str, arguments: tuple[Any, ...]) -> None:
        stop = lane.stop(self._cancelled[number])
        started, result = time.perf_counter(), None
        if not stop():
            result = getattr(self._target, method)(*arguments, stop=stop)
        if inspect.isgenerator(result):
            for item in result:
                lane.lives(True)
                self._send(ITEM, number, item)
            result = None
        self._send(DONE, number, (result, (time.perf_counter() - started) * 1000))

    def _explained(self, error: Exception) -> EdgeClmError:
        name = os.urandom(8).hex()
        self._report(name, error)
        return self._judge(error) or InternalFault(f"the engine failed, id {name}")

    def _fail(self, number: int, error: EdgeClmError) -> None:
        self._send(FAIL, number, error)
        if isinstance(error, EngineLost):
            os._exit(error.exit_code)

    def _send(self, kind: str, number: int, value: object) -> None:
        data = pack((kind, number, value))
        try:
            with self._sending:
                self._sock.sendall(data)
        except OSError:
            os._exit(0)


def receive(sock: socket.socket) -> tuple[Any, ...] | None:
    """The next message, or None once the other end is gone."""
    head = _exactly(sock, head_size())
    body = head and _exactly(sock, body_size(head))
    return unpack(body) if body else None


def _exactly(sock: socket.socket, size: int) -> bytes | None:
    buffer = bytearray(size)
    view, got = memoryview(buffer), 0
    while got < size:
        try:
            count = sock.recv_into(view[got:])
        except OSError:
            return None
        if not count:
            return None
        got += count
    return bytes(buffer)


def frames(error: BaseException) -> list[str]:
    """Where an error came from, as file:line function, without its text, which may hold content."""
    return [
        f"{frame.filename}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
    ]


def child_command(module: str, fd: int) -> list[str]:
    """The command line that runs `module` as a child on file descriptor `fd`."""
    return [sys.executable, "-m", module, str(fd)]
