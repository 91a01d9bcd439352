"""A child for the tests of `edge_clm.worker`: run with a file descriptor, serves a small target."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator

from edge_clm.errors import DeviceFault, EdgeClmError, ImageTruncated
from edge_clm.worker import Host

Stop = Callable[[], bool]


class Target:
    """Methods of every kind."""

    def double(self, number: int, stop: Stop) -> int:
        return 2 * number

    def count(self, stop: Stop) -> Iterator[int]:
        number = 0
        while not stop():
            yield number
            number += 1
            time.sleep(0.005)

    def refuse(self, stop: Stop) -> None:
        raise ImageTruncated("it ends early", field="page.image")

    def leak(self, stop: Stop) -> None:
        raise ValueError("secret patient name")

    def hang(self, stop: Stop) -> None:
        threading.Event().wait()

    def lose(self, stop: Stop) -> None:
        raise OSError("the device is gone")


def judge(error: BaseException) -> EdgeClmError | None:
    return DeviceFault("gone") if isinstance(error, OSError) else None


LANES = {
    **{"double": "quick", "refuse": "quick", "leak": "quick", "lose": "quick"},
    **{"count": "slow", "hang": "slow"},
}

if __name__ == "__main__":
    sock = socket.socket(fileno=int(sys.argv[1]))
    Host(sock, Target(), LANES, lambda name, error: None, judge).run("ready")
