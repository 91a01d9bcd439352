"""`edge-clm extract` over a real socket, into terminals, pipes and files."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st

from edge_clm.cli.extraction import Key, failed_record, record_of
from edge_clm.cli.naming import written
from edge_clm.cli.output import Csv, Form, JsonLines, Written
from edge_clm.cli.spreadsheet import guarded
from edge_clm.errors import (
    EngineLost,
    ImageTruncated,
    StoreUnavailable,
    TokenMissing,
)
from edge_clm.v1 import edge_clm_pb2 as pb
from tests.cli.conftest import Run, Start
from tests.cli.desk import Desk, extraction_of, field_of

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three documents, one of them in a folder within, beside files that are none."""
    place = tmp_path / "scans"
    (place / "more").mkdir(parents=True)
    (place / "a.jpg").write_bytes(b"\xff\xd8\xff a")
    (place / "b.PDF").write_bytes(b"%PDF-1.7 b")
    (place / "more" / "taken").write_bytes(PNG + b"c")
    (place / "notes.txt").write_text("no document")
    (place / ".hidden.jpg").write_bytes(b"\xff\xd8\xff")
    return place


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def images(desk: Desk) -> list[bytes]:
    return [request.page.image for request in desk.asked if isinstance(request, pb.ExtractRequest)]


def test_a_person_reads_fields_tables_sums_and_hints(run: Run, desk: Desk, photo: Path) -> None:
    """Every field with how sure it is, tables in columns, what does not add up, and what to do."""
    other = pb.Candidate(raw="47,12", value=pb.Value(money=pb.Money(amount="47.12")))
    money = [pb.Value(money=pb.Money(amount=amount)) for amount in ("41.17", "42.17")]
    page = pb.PageInfo(number=2, count=3, flaws=[pb.FLAW_BLURRED, pb.FLAW_CUT_OFF])
    desk.extraction = extraction_of(
        fields=[
            field_of("seller", "株式会社 ねじ", pb.Value(text="株式会社 ねじ")),
            field_of("total", "42,17", money[1], ambiguous=True, alternatives=[other]),
            field_of("date", "1 Foo", None, confidence=0.31, look_again=True),
        ],
        checks=[
            pb.Check(name="lines_subtotal", holds=False, expected=money[0], found=money[1]),
            pb.Check(name="paid_change_total", holds=True),
        ],
        pages=[pb.PageInfo(number=1, count=3), page, pb.PageInfo(number=3, count=3)],
    )
    result = run("extract", photo)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        f"{photo} · invoice · en · 3 pages",
        "  seller   97%  株式会社 ねじ",
        "  total    97%  42.17   <- or as likely 47.12",
        "  date     31%  1 Foo   <- look again",
        "",
        "lines",
        "  description  quantity  amount",
        "  Screws       2         40.00",
        "  Nuts         2         2.17",
        "",
        "sums that fail",
        "  lines_subtotal: the parts come to 41.17, 42.17 is printed",
        "",
        "take the picture again",
        "  page 2: out of focus or moved: hold still, tap to focus",
        "  page 2: print runs over the edge: step back until the whole page shows",
    ]


def test_a_document_cannot_steer_the_terminal(run: Run, desk: Desk, photo: Path) -> None:
    """Control characters and line ends in a value neither move the cursor nor make lines."""
    evil = "1\x1b]0;owned\x07\n\u202eend"
    desk.extraction = extraction_of(fields=[field_of("seller", evil, pb.Value(text=evil))])
    shown = run("extract", photo).stdout
    assert "  seller   97%  1]0;owned end\n" in shown


def test_a_whole_document_is_read_unless_a_page_is_named(run: Run, desk: Desk, photo: Path) -> None:
    """Page and reuse are sent as given; nothing said means every page."""
    assert run("extract", photo).exit_code == 0
    words = ["--page", 3, "--fresh", "--no-store", "--max-age", 60]
    assert run("extract", photo, *words).exit_code == 0
    whole, one = desk.asked
    assert (whole.page.number, whole.page.image) == (0, photo.read_bytes())
    assert one.page.number == 3
    assert (one.reuse.fresh, one.reuse.no_store, one.reuse.max_age_s) == (True, True, 60.0)


NOTICE = pb.Notice(
    kind=pb.NOTICE_KIND_CHANGED,
    handle="c_0",
    number=2,
    seen=Timestamp(seconds=1_794_477_780),
    differences=[pb.Difference(field="mark", now="PAID")],
)
SAID = "changed since: mark nothing -> PAID (2026-11-12 10:03 UTC, c_0 page 2)"


def test_a_known_page_is_shown_as_such(run: Run, desk: Desk, photo: Path) -> None:
    """Below the fields, with what differs and where it was seen."""
    desk.extraction = extraction_of(pages=[pb.PageInfo(number=1, count=1, notices=[NOTICE])])
    assert run("extract", photo).stdout.splitlines()[-2:] == ["known", f"  {SAID}"]


def test_json_holds_typed_values_with_their_places(run: Run, desk: Desk, photo: Path) -> None:
    """One object: values by type, boxes, confidences, other readings, sums, flaws, pages."""
    readings = pb.Value(dates=pb.Dates(readings=["2026-04-05", "2026-05-04"]))
    other = pb.Candidate(raw="April 5", value=pb.Value(date="2026-04-05"), confidence=0.5)
    bound = pb.Value(quantity=pb.Quantity(number="0.5", unit="mg/L", comparison="<"))
    money = pb.Value(money=pb.Money(amount="42.17", currency="EUR"))
    desk.extraction = extraction_of(
        fields=[
            field_of("date", "04/05/2026", readings, ambiguous=True, alternatives=[other]),
            field_of("paid", "yes", pb.Value(truth=True), look_again=True),
            field_of("crp", "< 0,5 mg/L", bound),
            field_of("number", "?", None),
        ],
        checks=[pb.Check(name="sum", holds=False, expected=money, found=pb.Value(text="x"))],
        pages=[
            pb.PageInfo(
                handle="h",
                number=1,
                count=1,
                turn=90,
                flaws=[pb.FLAW_DARK, 99],
                notices=[NOTICE],
            )
        ],
    )
    result = run("extract", photo, "--json")
    record = json.loads(result.stdout)
    assert result.stdout.count("\n") == 1
    digest = hashlib.sha256(photo.read_bytes()).hexdigest()
    assert (record["file"], record["sha256"], record["page"]) == (str(photo), digest, 0)
    assert (record["kind"], record["language"], record["serve_mode"]) == ("invoice", "en", "cold")
    fields = record["fields"]
    assert fields["date"] == {
        "raw": "04/05/2026",
        "value": {"type": "date", "readings": ["2026-04-05", "2026-05-04"]},
        "confidence": 0.97,
        "evidence": [{"text": "04/05/2026", "page": 1, "quad": [[1, 2], [30, 2], [30, 4], [1, 4]]}],
        "ambiguous": True,
        "look_again": False,
        "alternatives": [
            {
                "raw": "April 5",
                "value": {"type": "date", "date": "2026-04-05"},
                "confidence": 0.5,
                "evidence": [],
            }
        ],
    }
    assert fields["paid"]["value"] == {"type": "truth", "truth": True}
    assert fields["crp"]["value"] == {
        "type": "quantity",
        "number": "0.5",
        "unit": "mg/L",
        "comparison": "<",
    }
    assert fields["number"]["value"] is None
    assert [row["amount"]["value"]["amount"] for row in record["tables"]["lines"]] == [
        "40.00",
        "2.17",
    ]
    assert record["checks"] == [
        {
            "name": "sum",
            "holds": False,
            "expected": {"type": "money", "amount": "42.17", "currency": "EUR"},
            "found": {"type": "text", "text": "x"},
        }
    ]
    assert record["look_again"] == ["paid"]
    assert record["flaws"] == ["dark", "99"]
    assert record["pages"][0] == {
        **{"number": 1, "count": 1, "handle": "h", "width": 0, "height": 0, "turn": 90},
        "flaws": ["dark", "99"],
        "notices": [
            {
                "kind": "changed",
                "handle": "c_0",
                "page": 2,
                "seen": "2026-11-12T10:03:00+00:00",
                "differences": [{"field": "mark", "before": "", "now": "PAID"}],
            }
        ],
    }
    assert record["stages"] == {"ocr": 1234.5}


def test_csv_is_one_row_a_document_in_columns_that_never_change(
    run: Run, desk: Desk, folder: Path
) -> None:
    """Values are bare numbers and dates; what has no column is in 'other', what is unsure is named."""
    rival = pb.Candidate(raw="7", value=pb.Value(text="7"))
    desk.extraction = extraction_of(
        fields=[
            field_of(
                "total", "42,17 EUR", pb.Value(money=pb.Money(amount="42.17", currency="EUR"))
            ),
            field_of("date", "5 April 2026", pb.Value(date="2026-04-05"), look_again=True),
            field_of("number", "1", pb.Value(text="1"), ambiguous=True, alternatives=[rival]),
            field_of("mood", "good", pb.Value(text="good")),
        ],
        checks=[
            pb.Check(name="sum", holds=False, expected=pb.Value(text="1"), found=pb.Value(text="2"))
        ],
        pages=[pb.PageInfo(number=1, count=1, flaws=[pb.FLAW_DARK], notices=[NOTICE])],
    )
    text = run("extract", folder, "--csv").stdout
    desk.extraction = extraction_of(fields=[], tables=[])
    assert run("extract", folder, "--csv").stdout.splitlines()[0] == text.splitlines()[0]
    rows = rows_of(text)
    assert [Path(row["file"]).name for row in rows] == ["a.jpg", "b.PDF", "taken"]
    row = rows[0]
    assert (row["kind"], row["total"], row["currency"]) == ("invoice", "42.17", "EUR")
    assert (row["date"], row["number"], row["seller"]) == ("2026-04-05", "", "")
    assert (row["other"], row["ambiguous"], row["look_again"]) == (
        "mood=good",
        "number=1 or 7",
        "date",
    )
    assert (row["checks_failed"], row["flaws"]) == ("sum: 1 expected, 2 printed", "dark")
    assert row["notices"] == SAID
    assert row["error"] == ""


def test_a_table_is_one_row_a_row(run: Run, desk: Desk, folder: Path) -> None:
    """Rows are counted, and a document without the table keeps one empty row."""
    rows = rows_of(run("extract", folder / "a.jpg", "--table", "lines").stdout)
    assert [(row["row"], row["rows"], row["description"], row["amount"]) for row in rows] == [
        ("1", "2", "Screws", "40.00"),
        ("2", "2", "Nuts", "2.17"),
    ]
    (row,) = rows_of(run("extract", folder / "a.jpg", "--table", "analytes").stdout)
    assert (row["row"], row["rows"], row["analyte"], row["error"]) == ("0", "0", "", "")


def sized(*numbers: str, **changes: Any) -> pb.Row:
    """A row of measurements: what, each dimension in mm, and where."""
    names = ("value", "value_2", "value_3")
    values = [
        field_of(
            name,
            " x ".join(numbers) + " mm",
            pb.Value(quantity=pb.Quantity(number=number, unit="mm")),
            **changes,
        )
        for name, number in zip(names, numbers, strict=False)
    ]
    words = [field_of(name, name, pb.Value(text=name)) for name in ("what", "where")]
    return pb.Row(cells=[words[0], *values, words[1]])


def test_every_dimension_of_a_size_is_shown(run: Run, desk: Desk, photo: Path) -> None:
    """Of 12 x 8 mm both are in CSV, JSON and on the terminal, in reading order."""
    table = pb.Table(name="measurements", rows=[sized("4"), sized("12", "8")])
    desk.extraction = extraction_of(fields=[], tables=[table])
    _, row = rows_of(run("extract", photo, "--table", "measurements").stdout)
    assert (row["value"], row["value_2"], row["value_3"], row["other"]) == ("12 mm", "8 mm", "", "")
    record = json.loads(run("extract", photo, "--json").stdout)
    cells = record["tables"]["measurements"][1]
    assert [cells[name]["value"]["number"] for name in ("value", "value_2")] == ["12", "8"]
    shown = [line.split() for line in run("extract", photo).stdout.splitlines()]
    assert ["what", "value", "value_2", "where"] in shown
    assert ["what", "12", "mm", "8", "mm", "where"] in shown


def test_cells_to_look_at_are_listed_and_counted(run: Run, desk: Desk, folder: Path) -> None:
    """A cell is named by its table and row, counted from 1; its document is one to look at."""
    table = pb.Table(name="measurements", rows=[sized("4"), sized("12", "8", look_again=True)])
    desk.extraction = extraction_of(tables=[table])
    names = ["measurements[2].value", "measurements[2].value_2"]
    result = run("extract", folder, "--json")
    assert json.loads(result.stdout.splitlines()[0])["look_again"] == names
    assert result.stderr.splitlines()[-1].startswith("3 read, 3 of them to look at")
    rows = rows_of(run("extract", folder, "--csv").stdout)
    assert rows[0]["look_again"] == " | ".join(names)


@pytest.mark.parametrize(
    ("printed", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("  =1+1", "'=1+1"),
        ("\t@SUM(A1)", "'@SUM(A1)"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-2+3", "'-2+3"),
        ("＝1+1", "'＝1+1"),
        ("\x00=1", "'=1"),
        ("\u200b=1", "'=1"),
        ("-42.17", "-42.17"),
        ("+1,234.50", "+1,234.50"),
        ("-5 %", "'-5 %"),
        ('Say "a, b"\nand c', 'Say "a, b" and c'),
        ("﹦1+1", "'﹦1+1"),
        ("﹫SUM(A1)", "'﹫SUM(A1)"),
        ("nuts;=1+1", "nuts;'=1+1"),
        ("nuts; -2;\t＋3", "nuts; '-2; '＋3"),
        ('nuts;"@A1"', 'nuts;"\'@A1"'),
        ("'=1", "''=1"),
        ("nuts; 3 = 3", "nuts; 3 = 3"),
    ],
)
def test_no_cell_is_a_formula(run: Run, desk: Desk, photo: Path, printed: str, cell: str) -> None:
    """What a spreadsheet would work out is marked as text; numbers stay numbers, rows stay rows."""
    desk.extraction = extraction_of(
        fields=[field_of("seller", printed, None)],
        tables=[
            pb.Table(name="lines", rows=[pb.Row(cells=[field_of("description", printed, None)])])
        ],
    )
    (row,) = rows_of(run("extract", photo, "--csv").stdout)
    assert row["seller"] == cell
    (row,) = rows_of(run("extract", photo, "--table", "lines").stdout)
    assert row["description"] == cell


def test_the_name_of_a_file_is_no_formula(run: Run, desk: Desk, photo: Path) -> None:
    """A file called like a formula is marked as well, and is known again all the same."""
    evil = photo.with_name("=cmd.jpg")
    photo.rename(evil)
    out = evil.with_name("out.csv")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(evil.parent)
        for _ in range(2):
            assert run("extract", "=cmd.jpg", "--out", out).exit_code == 0
    (row,) = rows_of(out.read_text())
    assert row["file"] == "'=cmd.jpg"
    assert len(images(desk)) == 1


def test_cells_of_several_values_begin_no_formula(run: Run, desk: Desk, photo: Path) -> None:
    """What is listed in one cell is parted by no semicolon, which parts cells in some countries."""
    evil = pb.Value(text="=1")
    rival = pb.Candidate(raw="=2", value=pb.Value(text="=2"))
    desk.extraction = extraction_of(
        fields=[
            *(field_of(name, "=1", evil) for name in ("mood", "=place")),
            *(
                field_of(name, "=1", evil, ambiguous=True, alternatives=[rival])
                for name in ("number", "=date")
            ),
        ],
        checks=[
            pb.Check(name=name, holds=False, expected=evil, found=evil) for name in ("sum", "=tax")
        ],
        pages=[pb.PageInfo(number=1, count=1, flaws=[pb.FLAW_DARK, pb.FLAW_BLURRED])],
    )
    (row,) = rows_of(run("extract", photo, "--csv").stdout)
    assert row["other"] == "mood==1 | =place==1"
    assert row["ambiguous"] == "number==1 or =2 | =date==1 or =2"
    assert row["checks_failed"] == "sum: =1 expected, =1 printed | =tax: =1 expected, =1 printed"
    assert row["flaws"] == "dark | blurred"


ODD_NAMES = {
    "a b.png": "a b.png",
    "a  b.png": "a  b.png",
    "a\nb.png": "a\\nb.png",
    "a\\nb.png": "a\\\\nb.png",
    "a\u3000b.png": "a\u3000b.png",
    "a\u202eb.png": "a\\u202eb.png",
    os.fsdecode(b"\xff.png"): "\\xff.png",
    os.fsdecode(b"\xfe.png"): "\\xfe.png",
    "\ufffd.png": "\ufffd.png",
    "\x1b[2Jc.png": "\\x1b[2Jc.png",
    "=d.png": "=d.png",
    "'=d.png": "'=d.png",
    "e;=f.png": "e;=f.png",
    "-": "./-",
}
"""Names of files that a folder can hold, and how they are written."""


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv"])
def test_names_that_differ_have_records_of_their_own(
    run: Run, desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Blanks, line ends, bytes that are no text and formulas make no two files one, in no run."""
    folder = tmp_path / "odd"
    folder.mkdir()
    for at, odd in enumerate(ODD_NAMES):
        (folder / odd).write_bytes(PNG + bytes([at]))
    monkeypatch.chdir(folder)
    out = tmp_path / name
    for read_now in (len(ODD_NAMES), 0):
        desk.asked.clear()
        result = run("extract", ".", "--out", out)
        assert (result.exit_code, len(images(desk))) == (0, read_now)
        records = {record["file"]: record["sha256"] for record in read(out)}
        assert len(records) == len(ODD_NAMES)
        assert all(char.isprintable() or char in "\n\u3000" for char in result.stderr)
    if out.suffix == ".jsonl":
        digests = {
            shown: hashlib.sha256((folder / odd).read_bytes()).hexdigest()
            for odd, shown in ODD_NAMES.items()
        }
        assert records == digests


@given(st.lists(st.text("a \\\n\x1bxfn;='\"-\udcff\u202e\ufffd1", min_size=1), unique=True))
def test_every_name_is_written_in_its_own_way(names: list[str]) -> None:
    """No two names are one, neither as text nor as a cell; each is one line that can be encoded."""
    texts = {written(name) for name in names}
    assert len(texts) == len(names)
    assert len({guarded(text) for text in texts}) == len(names)
    assert all(text.encode() and len(text.splitlines()) == 1 for text in texts)


def test_failures_cannot_steer_the_terminal(run: Run, desk: Desk, tmp_path: Path) -> None:
    """Neither a file's name nor what the daemon says of it moves the cursor or makes lines."""
    evil = tmp_path / "\x1b]0;owned\x07\n.png"
    evil.write_bytes(PNG)
    (tmp_path / "other.png").touch()
    desk.refusals = {PNG: ImageTruncated("it\x1b[2J ends\nearly")}
    result = run("extract", evil, tmp_path / "other.png")
    lines = [line.removeprefix(f"{tmp_path}/") for line in result.stderr.splitlines()]
    assert lines[-3] == "\\x1b]0;owned\\x07\\n.png: IMAGE_TRUNCATED: it\\x1b[2J ends\\nearly"
    evil.write_bytes(b"")
    result = run("extract", evil)
    assert "owned\\x07\\n.png: the file is empty\n" in result.stderr
    assert "\x1b" not in result.stderr


def test_a_folder_is_read_with_progress_and_a_summary(run: Run, desk: Desk, folder: Path) -> None:
    """What is called or begins like a document is read; progress and sums go to standard error."""
    result = run("extract", folder, folder / "a.jpg", "--json")
    names = [json.loads(line)["file"] for line in result.stdout.splitlines()]
    assert names == [str(folder / name) for name in ("a.jpg", "b.PDF", "more/taken")]
    lines = result.stderr.splitlines()
    assert lines[0] == f"extract: 1/3 {folder / 'a.jpg'}"
    assert lines[-1] == "3 read, 1 other files left out"


def test_several_documents_are_shown_one_below_the_other(
    run: Run, desk: Desk, folder: Path
) -> None:
    """Without a format each document is a block under its name."""
    shown = run("extract", folder).stdout
    heads = [block.splitlines()[0].partition(" · ")[0] for block in shown.split("\n\n/")]
    assert [Path(head).name for head in heads] == ["a.jpg", "b.PDF", "taken"]


def test_one_bad_document_does_not_end_the_run(run: Run, desk: Desk, folder: Path) -> None:
    """Its record says why, the others are read, and the exit code says that not all went well."""
    (folder / "empty.png").touch()
    desk.refusals = {
        (folder / "a.jpg").read_bytes(): ImageTruncated("the file ends early"),
        (folder / "b.PDF").read_bytes(): EngineLost("the engine was lost"),
    }
    result = run("extract", folder, "--json", "--timeout", "0.5")
    assert result.exit_code == 1
    first, second, third, fourth = map(json.loads, result.stdout.splitlines())
    assert first["error"] == {
        "reason": "IMAGE_TRUNCATED",
        "message": "the file ends early",
        "remedy": ImageTruncated.remedy,
    }
    assert second["error"]["reason"] == "ENGINE_LOST"
    assert third["error"]["reason"] == "IMAGE_MISSING"
    assert fourth["fields"]
    assert f"{folder / 'a.jpg'}: IMAGE_TRUNCATED: the file ends early\n" in result.stderr
    assert result.stderr.endswith("1 read, 3 failed, 1 other files left out\n")
    rows = rows_of(run("extract", folder / "a.jpg", "--csv").stdout)
    assert [row["error"] for row in rows] == ["IMAGE_TRUNCATED: the file ends early"]


def test_one_document_that_fails_fails_like_a_question(run: Run, desk: Desk, photo: Path) -> None:
    """Reason, message and remedy in two lines, as everywhere."""
    desk.error = ImageTruncated("the file ends early")
    result = run("extract", photo)
    assert (result.exit_code, result.stdout) == (1, "")
    first, second = result.stderr.splitlines()
    assert first == "edge-clm: IMAGE_TRUNCATED: the file ends early"
    assert second == f"remedy: {ImageTruncated.remedy}"


@pytest.mark.parametrize(
    ("error", "code"), [(TokenMissing("who?"), 1), (StoreUnavailable("locked"), 3)]
)
def test_what_every_document_would_meet_ends_the_run(
    run: Run, desk: Desk, folder: Path, error: Any, code: int
) -> None:
    """A caller who is not known and a daemon that cannot work end the run at the first document."""
    desk.error = error
    result = run("extract", folder, "--json", "--timeout", "0.5")
    assert (result.exit_code, result.stdout) == (code, "")
    assert f"edge-clm: {error.reason}: " in result.stderr
    assert len(set(images(desk))) == 1


def test_without_a_daemon_nothing_is_written(run: Run, folder: Path, tmp_path: Path) -> None:
    """Nobody at the socket ends with 3, and no document is called bad for it."""
    out = tmp_path / "out.csv"
    result = run("extract", folder, "--out", out, "--timeout", "2")
    assert result.exit_code == 3
    assert not out.read_text()


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv"])
def test_a_finished_document_is_not_read_twice(
    run: Run, desk: Desk, folder: Path, tmp_path: Path, name: str
) -> None:
    """A second run reads what is new, what changed and what failed, and leaves one record of each."""
    out = tmp_path / name
    bad = (folder / "b.PDF").read_bytes()
    desk.refusals = {bad: ImageTruncated("the file ends early")}
    assert run("extract", folder, "--out", out).exit_code == 1
    desk.refusals = {}
    (folder / "a.jpg").write_bytes(b"\xff\xd8\xff changed")
    (folder / "new.jpg").write_bytes(b"\xff\xd8\xff new")
    desk.asked.clear()
    result = run("extract", folder, "--out", out)
    assert (result.exit_code, result.stdout) == (0, "")
    assert images(desk) == [b"\xff\xd8\xff changed", bad, b"\xff\xd8\xff new"]
    assert result.stderr.endswith("3 read, 1 done before, 1 other files left out\n")
    records = read(out)
    assert sorted(Path(record["file"]).name for record in records) == [
        "a.jpg",
        "b.PDF",
        "new.jpg",
        "taken",
    ]
    assert not any(record.get("error") for record in records)
    before = out.read_bytes()
    desk.asked.clear()
    assert run("extract", folder, "--out", out).exit_code == 0
    assert (images(desk), out.read_bytes()) == ([], before)


def read(out: Path) -> list[dict[str, Any]]:
    if out.suffix == ".csv":
        return [dict(row) for row in rows_of(out.read_text())]
    return [json.loads(line) for line in out.read_text().splitlines()]


def test_again_reads_everything_again(run: Run, desk: Desk, folder: Path, tmp_path: Path) -> None:
    """--again replaces the records of these documents and keeps those of others."""
    out = tmp_path / "out.jsonl"
    run("extract", folder, "--out", out)
    desk.asked.clear()
    desk.extraction = extraction_of(language="de")
    assert run("extract", folder / "a.jpg", "--out", out, "--again").exit_code == 0
    assert len(images(desk)) == 1
    languages = {Path(record["file"]).name: record["language"] for record in read(out)}
    assert languages == {"a.jpg": "de", "b.PDF": "en", "taken": "en"}


def test_a_page_and_the_whole_are_two_things(
    run: Run, desk: Desk, photo: Path, tmp_path: Path
) -> None:
    """What was read of one page does not stand for the document."""
    out = tmp_path / "out.csv"
    for words in ([], ["--page", 2], [], ["--page", 2]):
        assert run("extract", photo, "--out", out, *words).exit_code == 0
    assert [request.page.number for request in desk.asked] == [0, 2]
    assert [row["page"] for row in rows_of(out.read_text())] == ["0", "2"]


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv"])
def test_a_killed_run_goes_on(
    start: Start, run: Run, desk: Desk, tmp_path: Path, name: str
) -> None:
    """kill -9 costs the document under way, however often; nothing else is read or written twice."""
    out, pages = tmp_path / name, scans(tmp_path / "scans", 7)
    for at, killed in enumerate((2, 2, 5)):
        before = out.read_bytes() if at else b""
        hold = reaching(desk, pages[killed])
        process = start("extract", tmp_path / "scans", "--out", out)
        assert desk.arrived.wait(60)
        process.kill()
        process.wait()
        hold.set()
        assert out.read_bytes().startswith(before)
        assert len(read(out)) == killed
    desk.held = b""
    assert run("extract", tmp_path / "scans", "--out", out).exit_code == 0
    assert images(desk) == [pages[at] for at in (0, 1, 2, 2, 2, 3, 4, 5, 5, 6)]
    assert [Path(record["file"]).name for record in read(out)] == [f"{at}.png" for at in range(7)]


def scans(place: Path, count: int) -> list[bytes]:
    """Makes a folder of documents, and tells their bytes in the order in which they are read."""
    place.mkdir()
    contents = [PNG + bytes([at]) for at in range(count)]
    for at, content in enumerate(contents):
        (place / f"{at}.png").write_bytes(content)
    return contents


def reaching(desk: Desk, content: bytes) -> threading.Event:
    """Has the desk hold the document of these bytes, and tell when it arrives."""
    desk.arrived.clear()
    desk.held, desk.hold = content, threading.Event()
    return desk.hold


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv"])
def test_two_runs_do_not_write_one_file(
    start: Start, run: Run, desk: Desk, tmp_path: Path, name: str
) -> None:
    """A second run on the same output ends at once and says why; the first finishes as if alone.

    That the first has replaced the file by a settled one, without half a record, changes nothing.
    """
    out, pages = tmp_path / name, scans(tmp_path / "scans", 3)
    assert run("extract", tmp_path / "scans" / "0.png", "--out", out).exit_code == 0
    out.write_bytes(out.read_bytes() + b"{")
    hold = reaching(desk, pages[1])
    first = start("extract", tmp_path / "scans", "--out", out)
    assert desk.arrived.wait(60)
    before = out.read_bytes()
    second = run("extract", tmp_path / "scans", "--out", out)
    assert (second.exit_code, second.stdout) == (1, "")
    assert f"edge-clm: OUTPUT_BUSY: another run is writing {out}\n" in second.stderr
    assert out.read_bytes() == before
    hold.set()
    _, told = first.communicate(timeout=60)
    assert (first.returncode, told.splitlines()[-1]) == (0, b"2 read, 1 done before")
    assert images(desk) == pages
    assert [Path(record["file"]).name for record in read(out)] == ["0.png", "1.png", "2.png"]
    assert run("extract", tmp_path / "scans", "--out", out).exit_code == 0


def test_a_settled_output_keeps_its_link_and_its_mode(
    run: Run, desk: Desk, photo: Path, tmp_path: Path
) -> None:
    """Taking older lines out neither opens the records to others nor leaves the file elsewhere."""
    (tmp_path / "elsewhere").mkdir()
    out, link = tmp_path / "elsewhere" / "records.csv", tmp_path / "out.csv"
    out.touch(0o600)
    link.symlink_to(out)
    for words in ([], ["--again"]):
        assert run("extract", photo, "--out", link, *words).exit_code == 0
    assert link.is_symlink()
    assert len(read(out)) == 1
    assert out.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in out.parent.iterdir()] == ["records.csv"]


def test_an_output_that_is_no_file_is_refused(run: Run, desk: Desk, photo: Path) -> None:
    """A pipe at the place of the output is not waited for, and holds none of these records."""
    pipe = photo.with_name("out.csv")
    os.mkfifo(pipe)
    result = run("extract", photo, "--out", pipe)
    assert (result.exit_code, images(desk)) == (1, [])
    assert "edge-clm: OUTPUT_FOREIGN: " in result.stderr


@pytest.mark.parametrize("form", [JsonLines(), Csv(), Csv("lines")], ids=["json", "csv", "lines"])
def test_half_a_record_is_taken_away(tmp_path: Path, form: Form) -> None:
    """Wherever the writing was cut off, whole documents stay and the next run goes on behind them."""
    out = tmp_path / "out"
    keys = [Key(f"{name}.jpg", name * 64, 0) for name in "abc"]
    records = [record_of(key, extraction_of(language="é\u2028")) for key in keys[:2]]
    records.append(failed_record(keys[2], "IMAGE_TRUNCATED", "ends", ""))
    write(out, form, records)
    whole = out.read_bytes()
    second = whole.index(form.lines(records[1]).encode())
    for cut in range(0, len(whole), 7):
        out.write_bytes(whole[:cut])
        with Written(out, form) as written:
            found = [written.has(key) for key in keys]
            for record, has in zip(records, found, strict=True):
                if not has:
                    written.put(record)
        assert found[0] is (cut >= second)
        assert found[2] is False
        assert out.read_bytes() == whole


def write(out: Path, form: Form, records: Sequence[dict[str, Any]]) -> None:
    with Written(out, form) as written:
        for record in records:
            written.put(record)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("out.csv", "my,own,table\n1,2,3\n"),
        ("out.csv", "my notes"),
        ("out.jsonl", '{"some": "thing"}\n'),
        ("out.jsonl", "[1]\n"),
        ("out.jsonl", "my notes"),
        ("out.csv", '{"file": "a", "sha256": "", "page": 0}\n'),
    ],
)
def test_what_is_not_ours_is_left_alone(
    run: Run, desk: Desk, photo: Path, tmp_path: Path, name: str, content: str
) -> None:
    """A file that holds anything else is refused, and stays as it is."""
    out = tmp_path / name
    out.write_text(content)
    result = run("extract", photo, "--out", out)
    assert result.exit_code == 1
    assert "edge-clm: OUTPUT_FOREIGN: " in result.stderr
    assert (out.read_text(), desk.asked) == (content, [])


@pytest.mark.parametrize(
    "words",
    [
        ["{photo}", "--json", "--csv"],
        ["{photo}", "--json", "--table", "lines"],
        ["{photo}", "--table", "chairs"],
        ["{photo}", "--out", "{photo}.txt"],
        ["{photo}", "--again"],
        ["{photo}", "--page", "-1"],
        ["absent.jpg"],
        [],
    ],
)
def test_what_does_not_go_together_is_wrong_usage(
    run: Run, desk: Desk, photo: Path, words: list[str]
) -> None:
    """Two formats, an unknown table, an output without a format and no path end with 2."""
    assert run("extract", *(word.format(photo=photo) for word in words)).exit_code == 2
    assert desk.asked == []


def test_dash_is_standard_input(run: Run, desk: Desk) -> None:
    """'-' reads a document from standard input, byte for byte."""
    data = bytes(range(256))
    result = run("extract", "-", "--json", input=data)
    assert images(desk) == [data]
    assert json.loads(result.stdout)["file"] == "-"


def test_a_folder_without_documents_is_told(run: Run, desk: Desk, tmp_path: Path) -> None:
    """Nothing to read is no failure, and nothing is asked."""
    empty = tmp_path / "empty"
    empty.mkdir()
    result = run("extract", empty)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "no documents there\n")
