"""The command line, `edge-clm`; importing it loads neither a model library nor gRPC."""

from __future__ import annotations

import io
import os
import sys

from edge_clm.cli.app import edge_clm

__all__ = ["edge_clm", "main"]


def main() -> None:
    """Runs the command line on the process's arguments and ends the process."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A page may hold characters that the terminal's encoding lacks.
            stream.reconfigure(errors="backslashreplace")
    # gRPC's own lines about connections would stand between ours; every failure is told by us.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    edge_clm(prog_name="edge-clm")
