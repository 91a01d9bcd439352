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

from edge_clm.errors import EdgeClmError, InternalFault

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


class Host:
    """The child's side: runs methods of `target` in lanes and reports what they yield or return.

    A method takes its arguments and `stop`, a callable that turns true once the caller has lost
    interest; a generator's items are streamed. What a method returned comes with the milliseconds it
    took, less the wait for its lane. When the parent goes away the process ends at once.
    """

    def __init__(
        self,
        sock: socket.socket,
        target: object,
        lanes: Mapping[str, str],
        report: Callable[[str, BaseException], None],
    ) -> None:
        """`lanes` names each method's lane; `report(id, error)` logs what the caller must not see."""
        self._sock = sock
        self._target = target
        self._lanes = lanes
        self._report = report
        self._queues: dict[str, queue.SimpleQueue[tuple[int, str, tuple[Any, ...]]]] = {
            lane: queue.SimpleQueue() for lane in set(lanes.values())
        }
        self._cancelled: dict[int, threading.Event] = {}
        self._sending = threading.Lock()

    def run(self, ready: object) -> None:
        """Tells the parent `ready`, then serves it until it goes away."""
        for lane in self._queues:
            threading.Thread(target=self._work, args=(lane,), name=lane, daemon=True).start()
        self._send(READY, 0, ready)
        while (message := receive(self._sock)) is not None:
            self._take(message)
        os._exit(0)

    def _take(self, message: tuple[Any, ...]) -> None:
        kind, number = message[0], message[1]
        if kind == PING:
            self._send(PONG, number, None)
            return
        if kind == CANCEL:
            # The call may end in this very moment, in its lane's thread.
            if cancelled := self._cancelled.get(number):
                cancelled.set()
            return
        self._cancelled[number] = threading.Event()
        self._queues[self._lanes[message[2]]].put((number, message[2], message[3]))

    def _work(self, lane: str) -> None:
        while True:
            number, method, arguments = self._queues[lane].get()
            cancelled = self._cancelled[number]
            try:
                self._perform(number, method, arguments, cancelled.is_set)
            except EdgeClmError as error:
                self._send(FAIL, number, error)
            except Exception as error:
                name = os.urandom(8).hex()
                self._report(name, error)
                self._send(FAIL, number, InternalFault(f"the engine failed, id {name}"))
            finally:
                del self._cancelled[number]

    def _perform(
        self, number: int, method: str, arguments: tuple[Any, ...], stop: Callable[[], bool]
    ) -> None:
        started, result = time.perf_counter(), None
        if not stop():
            result = getattr(self._target, method)(*arguments, stop=stop)
        if inspect.isgenerator(result):
            for item in result:
                self._send(ITEM, number, item)
            result = None
        self._send(DONE, number, (result, (time.perf_counter() - started) * 1000))

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
