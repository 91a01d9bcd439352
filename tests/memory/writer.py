"""A program that writes until it is killed, telling each thing only after it was acknowledged."""

from __future__ import annotations

import asyncio
import json
import sys
from itertools import count

from edge_clm.config import Memory
from edge_clm.memory.store import Store
from tests.memory.samples import sha, snapshot, view

BUDGET = 60_000


def picture(number: int) -> bytes:
    return b"%06d" % number * (500 + number % 1500)


async def main(directory: str, start: int) -> None:
    async with await Store.open(Memory(directory=directory, capture_bytes=BUDGET)) as store:
        for number in count(start):
            capture = await store.put_capture("clinic", picture(number), "image/jpeg", 1)
            tell("capture", number, capture.handle)
            await store.put_view("clinic", view(capture.handle))
            tell("view", number, capture.handle)
            await store.put_snapshot(snapshot(number))
            tell("snapshot", number, sha(picture(number)))
            await store.touch_snapshot("clinic", f"answer-{number}")
            if number % 3 == 0:
                await store.feedback("clinic", f"answer-{number}", False, "")
                tell("dispute", number, "")


def tell(kind: str, number: int, name: str) -> None:
    print(json.dumps([kind, number, name]), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
