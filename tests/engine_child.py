"""A child in the workshop's place for the tests of `edge_clm.engine`: it hangs or fails at a word.

The word is the content of the file that `decode` is given.
"""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Callable

import torch

from edge_clm import worker
from edge_clm.link import Ready
from edge_clm.model.faults import judged
from edge_clm.types import File, Seen

Stop = Callable[[], bool]


class Target:
    def decode(self, file: File, page: int, stop: Stop) -> Seen:
        word = file.data.decode()
        if word == "hang":
            threading.Event().wait()
        if word == "lose":
            raise torch.AcceleratorError("CUDA error: an illegal memory access was encountered")
        if word == "lack":
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        if word == "slow":
            ends = time.monotonic() + page
            while time.monotonic() < ends:
                stop()
                time.sleep(0.01)
        return Seen(file.sha256, 1, 1, 1, 1, "image/png")


if __name__ == "__main__":
    sock = socket.socket(fileno=int(sys.argv[1]))
    worker.receive(sock)
    host = worker.Host(sock, Target(), {"decode": "pixels"}, lambda name, error: None, judged)
    host.run(Ready("f" * 64, "0" * 64, ()))
