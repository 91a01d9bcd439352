"""A whole round: fetch the models, start a daemon, ask about a photographed invoice, stop.

The daemon keeps to a temporary directory and a unix socket in it; only the models stay.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from edge_clm.cli.render import finish_reason, printable, serve_mode, stage_ms
from edge_clm.client import Client, ClientError
from edge_clm.v1.edge_clm_pb2 import Answer

INVOICE = Path(__file__).with_name("invoice.jpg")
QUESTIONS = (
    "What is the invoice number?",
    "What is the invoice date?",
    "What is the total?",
)
READY_S = 300.0
STOP_S = 60.0
WIDTHS = (28, 40, 8, 8, 38)
LINES = 3
NOTE = "nano is small: check what matters, or put a larger model in its place"

EDGE_CLM = (sys.executable, "-m", "edge_clm")

Row = tuple[str, ...]


def main() -> int:
    """Runs the tour; returns what the process should exit with."""
    subprocess.run([*EDGE_CLM, "models", "pull"], check=True)  # noqa: S603
    with tempfile.TemporaryDirectory(prefix="edge-clm-tour-") as scratch:
        place = Path(scratch)
        with daemon(place) as process:
            address = f"unix:{place / 'edge-clm.sock'}"
            with Client(address) as client:
                wait_until_serving(client, process)
                table(conversation(client))
                print(NOTE)
        print(f"stopped by SIGTERM, exit code {process.returncode}")
        if process.returncode:
            tell_log(place)
        return 1 if process.returncode else 0


@contextmanager
def daemon(place: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A daemon of its own that ends, by SIGTERM, with the block."""
    settings = (
        f"server.socket={place / 'edge-clm.sock'}",
        "server.tcp=",
        f"memory.directory={place / 'memory'}",
    )
    flags = [word for setting in settings for word in ("--set", setting)]
    with (place / "log").open("wb") as log:
        process = subprocess.Popen([*EDGE_CLM, "serve", *flags], stderr=log)  # noqa: S603
    try:
        yield process
    except BaseException:
        tell_log(place)
        raise
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_until_serving(client: Client, process: subprocess.Popen[bytes]) -> None:
    """Tells each change of the daemon's health until it serves; raises RuntimeError if it never does."""
    started, told = time.monotonic(), ""
    while time.monotonic() - started < READY_S and process.poll() is None:
        health = health_of(client)
        if health != told:
            print(f"daemon: {health} after {time.monotonic() - started:.1f} s")
            told = health
        if health == "SERVING":
            return
        time.sleep(0.2)
    raise RuntimeError("the daemon did not come up; its log is above")


def health_of(client: Client) -> str:
    """The daemon's health, or why it has none yet."""
    try:
        return client.health()
    except ClientError as error:
        return error.reason


def conversation(client: Client) -> Iterator[Row]:
    """Asks everything about the invoice, then the first question again."""
    image = INVOICE.read_bytes()
    for question in (*QUESTIONS, "", QUESTIONS[0]):
        started = time.monotonic()
        answer = client.ask(question, image=image) if question else client.describe(image=image)
        yield row(question or "(describe)", answer, (time.monotonic() - started) * 1000)


def row(question: str, answer: Answer, ms: float) -> Row:
    """One line of the table: what was asked, what came back, how, and how long it took."""
    stages = ", ".join(f"{name} {took:.1f}" for name, took in stage_ms(answer).items() if took >= 1)
    ended = finish_reason(answer)
    text = printable(answer.text) + ("" if ended == "stop" else f" [cut: {ended}]")
    return question, text, serve_mode(answer), f"{ms:.1f}", stages


def table(rows: Iterator[Row]) -> None:
    """Prints rows as they come, long cells wrapped and cut."""
    heads = ("question", "answer", "mode", "ms", "ms by stage")
    print_row(heads)
    print_row(tuple("-" * width for width in WIDTHS))
    for cells in rows:
        print_row(cells)


def print_row(cells: Row) -> None:
    """Prints one row on as many lines as its longest cell needs, a few at most."""
    wrapped = [
        textwrap.wrap(cell, width, max_lines=LINES, placeholder=" …") or [""]
        for cell, width in zip(cells, WIDTHS, strict=True)
    ]
    for number in range(max(len(lines) for lines in wrapped)):
        line = (lines[number] if number < len(lines) else "" for lines in wrapped)
        padded = (text.ljust(width) for text, width in zip(line, WIDTHS, strict=True))
        print("  ".join(padded).rstrip(), flush=True)


def tell_log(place: Path) -> None:
    """Shows the end of the daemon's log."""
    lines = (place / "log").read_text(errors="replace").splitlines()
    print(*lines[-20:], sep="\n", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
