"""Memory that was freed goes back to the system."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Blocks below glibc's threshold of mapping, with small ones between that stay: the heap cannot shrink
# from its end, and keeps what lies between.
SCRIPT = """
import asyncio, ctypes, sys
from edge_clm.heap import Heap, tend

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

async def tended():
    task = asyncio.create_task(tend(0.01))
    while kept - own() < 60_000 and not task.done():
        await asyncio.sleep(0.01)
    task.cancel()

if sys.argv[1] == "once":
    Heap(every_s=3600).give_back()
else:
    asyncio.run(asyncio.wait_for(tended(), 60))
print(kept - own())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="tells of Linux and glibc")
@pytest.mark.parametrize("how", ["once", "tended"])
def test_freed_memory_is_given_back(how: str) -> None:
    """What lies free between blocks in use goes back, when told to and while tended: most of 100 MB."""
    script = [sys.executable, "-c", SCRIPT, how]
    run = subprocess.run(script, capture_output=True, text=True, check=True)
    assert int(run.stdout) > 60_000
