"""A device that dies: starts a stream, says so once text comes, and waits to be killed."""

from __future__ import annotations

import os
import sys

from bench.wording import LONG
from edge_clm.client import Client


def main() -> None:
    """Arguments: address, handle; the token, if any, is in $EDGE_CLM_TOKEN."""
    address, handle = sys.argv[1:]
    with Client(address, os.environ.get("EDGE_CLM_TOKEN") or None) as client:
        for _ in client.ask_stream(LONG, handle=handle, no_store=True, temperature=1.0):
            print("started", flush=True)


if __name__ == "__main__":
    main()
