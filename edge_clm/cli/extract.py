"""`edge-clm extract`: the fields and tables of documents, one or whole folders."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from edge_clm.cli.connection import Target, connected
from edge_clm.cli.documents import Document, documents_of
from edge_clm.cli.extraction import Key, Record, failed_record, record_of
from edge_clm.cli.failures import REFUSED, Failure
from edge_clm.cli.file import read_file
from edge_clm.cli.naming import escaped
from edge_clm.cli.options import LARGEST, daemon_options, json_option, reuse_options
from edge_clm.cli.output import Csv, Form, JsonLines, Printed, Written
from edge_clm.cli.progress import ProgressLine
from edge_clm.cli.sheet import text_of
from edge_clm.cli.spreadsheet import CELLS
from edge_clm.errors import EdgeClmError

if TYPE_CHECKING:
    from edge_clm.client import Client, ClientError

_BY_SUFFIX = {".csv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json"}
_OF_THE_CALLER = frozenset({"UNAUTHENTICATED", "PERMISSION_DENIED", "UNIMPLEMENTED"})


class Sink(Protocol):
    """Where records go."""

    def has(self, key: Key) -> bool:
        """Whether the very document is there already."""
        ...

    def put(self, record: Record) -> None:
        """Takes the record of one document."""
        ...


class Shown:
    """Records as a person reads them; those of failures go to standard error."""

    def __init__(self) -> None:
        self._begun = False

    def has(self, key: Key) -> bool:
        """Nothing of an earlier run is there."""
        return False

    def put(self, record: Record) -> None:
        """Shows one document, with an empty line before all but the first."""
        if "error" not in record:
            click.echo(("\n" if self._begun else "") + text_of(record))
            self._begun = True


@dataclass(slots=True)
class Tally:
    """What became of the documents of a run."""

    read: int = 0
    doubtful: int = 0
    """Of those read: with something to look at again, a sum that fails or a bad picture."""
    done: int = 0
    failed: list[Record] = field(default_factory=list)

    def count(self, record: Record | None) -> None:
        """Counts one document; None for one that was done before."""
        if record is None:
            self.done += 1
        elif "error" in record:
            self.failed.append(record)
        else:
            self.read += 1
            failing = not all(check["holds"] for check in record["checks"])
            self.doubtful += bool(record["look_again"] or record["flaws"] or failing)

    def say(self, left_out: int) -> None:
        """One line on standard error for each failure, and one for the run."""
        for record in self.failed:
            error = record["error"]
            line = f"{record['file']}: {error['reason']}: {error['message']}"
            click.echo(escaped(line), err=True)
        parts = (
            (self.read, "read"),
            (self.doubtful, "of them to look at"),
            (self.done, "done before"),
            (len(self.failed), "failed"),
            (left_out, "other files left out"),
        )
        told = ", ".join(f"{number} {what}" for number, what in parts if number)
        click.echo(told or "no documents there", err=True)


@click.command()
@daemon_options
@reuse_options
@click.option("--again", is_flag=True, help="With --out: read finished documents again, too.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write here, and go on from what is there; .csv, .json and .jsonl say the format.",
)
@click.option(
    "--page",
    type=click.IntRange(min=0, max=LARGEST),
    default=0,
    metavar="N",
    help="Page of a PDF or TIFF; all of them otherwise.",
)
@click.option(
    "--table",
    type=click.Choice(list(CELLS)),
    help="CSV with one row for each row of this table.",
)
@click.option("--csv", "as_csv", is_flag=True, help="CSV with one row for each document.")
@json_option
@click.argument(
    "paths",
    metavar="PATH...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, readable=True, allow_dash=True),
)
def extract(
    paths: tuple[str, ...],
    as_json: bool,
    as_csv: bool,
    table: str | None,
    page: int,
    out: Path | None,
    again: bool,
    **flags: Any,
) -> None:
    """Read the fields and tables of documents: sellers, dates, totals, lines, results.

    PATH is a file, a folder with everything readable in it, or '-' for standard input. JSON is one
    object a line for each document. With --out a run that was broken off goes on where it stopped,
    and only new, changed and failed documents are read. In the name of a file a line end is written
    \\n, a byte that is no text \\xff and a backslash twice. Ends with 1 where a document failed.
    """
    form = _form(as_json, as_csv, table, out)
    if again and not out:
        raise click.UsageError("--again goes with --out")
    documents, left_out = documents_of(paths)
    target = Target.of(flags)
    alone = len(documents) == 1 and form is None
    tally = Tally()
    with _sink(form, out, again) as sink, connected(target) as client:
        run = _Run(client, sink, {**flags, "page": page})
        with _progress(len(documents), out) as progress:
            for at, document in enumerate(documents):
                progress(f"{at + 1}/{len(documents)} {document.name}", at / len(documents))
                tally.count(run.extract(document))
    if alone and tally.failed:
        raise _failure(tally.failed[0])
    if not alone:
        tally.say(left_out)
    if tally.failed:
        click.get_current_context().exit(REFUSED)


def _form(as_json: bool, as_csv: bool, table: str | None, out: Path | None) -> Form | None:
    """The format that was asked for; None for the one that people read."""
    if as_json and (as_csv or table):
        raise click.UsageError("--json goes with neither --csv nor --table, and has all tables")
    kind = "json" if as_json else "csv" if as_csv or table else ""
    if out and not kind:
        kind = _BY_SUFFIX.get(out.suffix.lower(), "")
        if not kind:
            raise click.UsageError("--out needs --json or --csv, or a name that ends like one")
    if kind == "json":
        return JsonLines()
    return Csv(table or "") if kind else None


def _sink(form: Form | None, out: Path | None, again: bool) -> AbstractContextManager[Sink]:
    if form is None:
        return nullcontext(Shown())
    return Written(out, form, again) if out else nullcontext(Printed(form))


@contextmanager
def _progress(count: int, out: Path | None) -> Iterator[Callable[[str, float], None]]:
    """A moving line, where there is something to wait for and nothing else moves on the terminal."""
    if count > 1 and (out or not sys.stdout.isatty()):
        with ProgressLine("extract") as line:
            yield line
    else:
        yield lambda what, share: None


class _Run:
    """Reads one document after the other."""

    def __init__(self, client: Client, sink: Sink, wish: dict[str, Any]) -> None:
        self._client = client
        self._sink = sink
        self._wish = wish

    def extract(self, document: Document) -> Record | None:
        """Reads a document and hands its record on; None where it is there already.

        Raises ClientError for what no other document would fare better with.
        """
        key = Key(document.name, "", self._wish["page"])
        try:
            data = read_file(document.source, self._limit)
            key = replace(key, sha256=hashlib.sha256(data).hexdigest())
            if self._sink.has(key):
                return None
            record = self._ask(key, data)
        except Failure as error:
            record = failed_record(key, error.reason, error.message, error.remedy)
        except EdgeClmError as error:
            record = failed_record(key, error.reason, error.message, error.remedy)
        self._sink.put(record)
        return record

    def _ask(self, key: Key, data: bytes) -> Record:
        from edge_clm.client import ClientError

        try:
            return record_of(key, self._client.extract(image=data, **self._wish))
        except ClientError as error:
            if _concerns_all(error):
                raise
            return failed_record(key, error.reason, error.message, error.remedy)

    def _limit(self) -> int:
        return self._client.info().limits.max_bytes


def _concerns_all(error: ClientError) -> bool:
    """Whether the daemon would refuse every document; a lost engine may be one document's doing."""
    gone = error.code == "UNAVAILABLE" and error.reason != "ENGINE_LOST"
    return gone or error.code in _OF_THE_CALLER


def _failure(record: Record) -> Failure:
    error = record["error"]
    return Failure(
        reason=error["reason"],
        code="INVALID_ARGUMENT",
        message=error["message"],
        remedy=error["remedy"],
    )
