"""What of a page an OCR engine has read: its words, and the values that stand on its lines.

*Words* are runs of letters and digits, casefolded, counted as often as they occur. A value is *read*
where a run of one line equals it by `bench.normalise`: the run may begin and end at any letter or
digit, but not inside a number, nor may it hold more numbers than the value does.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from bench.documents import KINDS, Document
from bench.failure import BenchError
from bench.normalise import plain
from bench.score import Kind, equal_amounts, equal_dates, equal_identifiers, equal_names

_WORD = re.compile(r"[^\W_]+")
_PART = re.compile(r"[^\W\d_]+|\d+")
_NUMBER = re.compile(r"\d+(?:[.,'’]\d+)*")
_IN_NUMBER_BEFORE = re.compile(r"\d[.,'’/\-]?$")
_IN_NUMBER_AFTER = re.compile(r"[.,'’/\-]?\d")
_EQUAL = {
    Kind.DATE: equal_dates,
    Kind.AMOUNT: equal_amounts,
    Kind.IDENTIFIER: equal_identifiers,
    Kind.NAME: equal_names,
}


def words(texts: Iterable[str]) -> Counter[str]:
    """Words with how often each occurs."""
    return Counter(word for text in texts for word in _WORD.findall(plain(text)))


def labelled_words(document: Document) -> Counter[str]:
    """The words that a document's set knows of: all of a receipt's, an invoice's values without its captions.

    Raises BenchError where the set does not say.
    """
    try:
        return words(_invoice(document) if document.dataset == "inv3d" else _receipt(document))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BenchError(f"{document.name} has no words: {error!r}") from error


def is_read(field: str, label: str, lines: Iterable[str]) -> bool:
    """Whether a labelled value stands on one of the lines."""
    kind = KINDS[field]
    equal, numbers = _EQUAL[kind], len(_NUMBER.findall(label))
    for line in lines:
        for run in _runs(line, 2 * len(label) + 8):
            if kind is Kind.AMOUNT and len(_NUMBER.findall(run)) != numbers:
                continue
            if equal(label, run):
                return True
    return False


def _runs(line: str, longest: int) -> Iterator[str]:
    """Runs of a line of at most about `longest` characters, with the marks that touch them."""
    spans = [match.span() for match in _PART.finditer(line)]
    for at, (start, _) in enumerate(spans):
        if line[start].isdigit() and _IN_NUMBER_BEFORE.search(line[:start]):
            continue
        for _, end in spans[at:]:
            if end - start > longest:
                break
            if not (line[end - 1].isdigit() and _IN_NUMBER_AFTER.match(line[end:])):
                yield line[_reach(line, start, -1) : _reach(line, end - 1, 1) + 1]


def _reach(line: str, at: int, step: int) -> int:
    """How far marks such as a sign, a currency or a bracket go on beside a place."""
    while 0 <= at + step < len(line) and not (line[at + step].isalnum() or line[at + step] == " "):
        at += step
    return at


def _invoice(document: Document) -> list[str]:
    tags = (document.path.parent / "ground_truth_tags.json").read_text(encoding="utf-8")
    return [tag["value"] for tag in json.loads(tags)]


def _receipt(document: Document) -> list[str]:
    boxes = document.path.parent.parent / "box" / f"{document.path.stem}.csv"
    # Eight coordinates, then the text, in which commas are not quoted.
    with boxes.open(encoding="utf-8", errors="replace", newline="") as file:
        return [",".join(row[8:]) for row in csv.reader(file, quoting=csv.QUOTE_NONE)]
