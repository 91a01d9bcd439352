"""Memory that was freed goes back to the system."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Blocks below glibc's threshold of mapping, with small ones between that stay: the heap cannot shrink
# from its end, and keeps what lies between.
SCRIPT = """
import ctypes, sys
from edge_clm.heap import Heap

def own():
    with open("/proc/self/smaps_rollup") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Anonymous:"))

libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
blocks = []
for at in range(1000):
    block = libc.malloc(100_000)
    ctypes.memset(block, 1, 100_000)
    blocks.append(block)
    libc.malloc(64)
for block in blocks:
    libc.free(block)
kept = own()
heap = Heap(every_s=3600)
heap.give_back()
given = own()
print(kept - given)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="tells of Linux and glibc")
def test_freed_memory_is_given_back() -> None:
    """What lies free between blocks in use goes back: most of 100 MB that were freed."""
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert int(run.stdout) > 60_000
