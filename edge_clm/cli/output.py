"""Where the records of documents go, one whole record at a time, so that a broken-off run goes on."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import IO

import click

from edge_clm.cli import spreadsheet
from edge_clm.cli.extraction import Key, Record
from edge_clm.cli.failures import Failure
from edge_clm.cli.lock import open_alone, replace_alone
from edge_clm.cli.naming import written
from edge_clm.cli.render import json_line


@dataclass(frozen=True, slots=True)
class Piece:
    """The lines of one document in an output."""

    key: Key
    done: bool
    """False where they say why it could not be read."""
    text: str


class JsonLines:
    """One JSON object a line."""

    header = ""

    def key(self, key: Key) -> Key:
        """A key as it stands in the output."""
        return key

    def lines(self, record: Record) -> str:
        """The line of one document."""
        return f"{json_line(record)}\n"

    def pieces(self, whole: list[str]) -> Iterator[Piece]:
        """The documents of whole lines; raises ValueError, KeyError or TypeError for other text."""
        for line in whole:
            record = json.loads(line)
            key = Key(*(record[name] for name in spreadsheet.KEY))
            yield Piece(key, "error" not in record, f"{line}\n")

    def begins(self, line: str) -> bool:
        """Whether a line that is not whole may be the beginning of one of these."""
        start = '{"file": "'
        return line.startswith(start) or start.startswith(line)


class Csv:
    """CSV with a header: rows are documents, or the rows of one of their tables."""

    def __init__(self, table: str = "") -> None:
        self._table = table
        self._columns = spreadsheet.table_columns(table) if table else spreadsheet.DOCUMENT
        self.header = spreadsheet.header(table)

    def key(self, key: Key) -> Key:
        """A key as it stands in the output."""
        return replace(key, file=spreadsheet.guarded(key.file))

    def lines(self, record: Record) -> str:
        """The lines of one document."""
        return spreadsheet.lines(record, self._table)

    def pieces(self, whole: list[str]) -> Iterator[Piece]:
        """The documents of whole lines, without one whose last rows are missing.

        Raises ValueError for other text.
        """
        if f"{whole[0]}\n" != self.header:
            raise ValueError("another header")
        gathered: list[str] = []
        for line, row in zip(whole[1:], csv.reader(whole[1:], strict=True), strict=True):
            cells = dict(zip(self._columns, row, strict=True))
            gathered = [*gathered, line] if cells.get("row", "1") not in ("0", "1") else [line]
            if cells.get("row") == cells.get("rows"):
                key = Key(cells["file"], cells["sha256"], int(cells["page"]))
                yield Piece(key, not cells["error"], "".join(f"{one}\n" for one in gathered))

    def begins(self, line: str) -> bool:
        """Whether a line that is not whole may be the beginning of the header."""
        return self.header.startswith(line)


Form = JsonLines | Csv


class Printed:
    """Records on standard output."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self._begun = False

    def has(self, key: Key) -> bool:
        """Nothing of an earlier run is there."""
        return False

    def put(self, record: Record) -> None:
        """Prints the record of one document."""
        click.echo(("" if self._begun else self._form.header) + self._form.lines(record), nl=False)
        self._begun = True


class Written:
    """Records in a file, a context manager; what an earlier run has written there stays.

    Each document is appended as a whole and reaches the disk before the next is begun. A run that
    is killed leaves a part of one document's lines at most, and the next run takes that away. A
    document that changed, or that could not be read and now can, is appended, and its older lines
    go when the run ends. Until then no other run writes there.
    """

    def __init__(self, path: Path, form: Form, again: bool = False) -> None:
        """`again` forgets what is done.

        Raises Failure, when entered, where the file holds something else or another run writes it.
        """
        self._path = path
        self._form = form
        self._again = again
        self._done: set[Key] = set()

    def __enter__(self) -> Written:
        """Opens the file for more, and reads what is there."""
        self._file = self._opened()
        try:
            kept = self._settle()
        except BaseException:
            self._file.close()
            raise
        if not self._again:
            self._done = {piece.key for piece in kept if piece.done}
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Takes out what newer lines have replaced, and closes the file."""
        try:
            if error is None:
                self._settle()
        finally:
            self._file.close()

    def has(self, key: Key) -> bool:
        """Whether the very document was read before."""
        return self._form.key(key) in self._done

    def put(self, record: Record) -> None:
        """Appends the record of one document."""
        header = "" if self._file.tell() else self._form.header
        self._file.write((header + self._form.lines(record)).encode())
        self._file.flush()
        os.fsync(self._file.fileno())

    def _opened(self) -> IO[bytes]:
        if self._path.exists() and not self._path.is_file():
            raise self._foreign()
        try:
            return open_alone(self._path)
        except BlockingIOError as error:
            raise Failure(
                reason="OUTPUT_BUSY",
                code="FAILED_PRECONDITION",
                message=f"another run is writing {written(self._path)}",
                remedy="Wait until it ends, or name another file with --out.",
            ) from error

    def _settle(self) -> list[Piece]:
        """Leaves the last whole lines of every document in the file, and returns them."""
        content = self._content()
        last = {(piece.key.file, piece.key.page): piece for piece in self._pieces(content)}
        kept = list(last.values())
        settled = "".join([self._form.header if content else "", *(piece.text for piece in kept)])
        if settled != content:
            replaced, self._file = self._file, replace_alone(self._path, settled.encode())
            replaced.close()
        return kept

    def _content(self) -> str:
        """What is in the file; bytes of a character that was cut count as no text."""
        return self._path.read_bytes().decode(errors="replace")

    def _pieces(self, content: str) -> Iterable[Piece]:
        *whole, cut = content.split("\n")
        try:
            if not whole and not self._form.begins(cut):
                raise self._foreign()
            return list(self._form.pieces(whole)) if whole else []
        except (ValueError, KeyError, TypeError, csv.Error) as error:
            raise self._foreign() from error

    def _foreign(self) -> Failure:
        return Failure(
            reason="OUTPUT_FOREIGN",
            code="FAILED_PRECONDITION",
            message=f"{written(self._path)} holds something else than these records",
            remedy="Name another file with --out, or the format that this one was begun in.",
        )
