"""What the comparison of OCR engines counts, and how it ends where it cannot be made."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from bench.__main__ import main
from bench.documents import Document
from bench.failure import BenchError
from bench.ocr import figures_of
from bench.ocr_child import OcrChild
from bench.ocr_score import is_read, labelled_words, words


@pytest.mark.parametrize(
    ("field", "label", "line"),
    [
        ("total", "$ 14.13", "$ 14.13"),
        ("total", "9.00", "Total (RM): 9.00"),
        ("total", "9.00", "TOTAL RM9.00"),
        ("total", "1,234.50", "Amount due 1,234.50 EUR"),
        ("total", "1 234,50", "Summe 1 234,50 EUR"),
        ("total", "-4.29", "Discount -4.29"),
        ("date", "25/12/2018", "DATE:25/12/2018 8:13 PM"),
        ("date", "06 Oct, 1999", "Issued 06 Oct, 1999 in Paris"),
        ("date", "2016-07-21 00:00:00", "due 2016-07-21"),
        ("number", "#415808", "Invoice no. 415808"),
        ("seller", "MR. D.I.Y. (M) SDN BHD", "* MR D.I.Y. (M) SDN. BHD. *"),
    ],
)
def test_a_value_on_a_line_is_read(field: str, label: str, line: str) -> None:
    """Whatever stands before and after it, and however it is set off."""
    assert is_read(field, label, ["another line", line])


@pytest.mark.parametrize(
    ("field", "label", "line"),
    [
        ("total", "9.00", "Total 19.00"),
        ("total", "9.00", "Total 9.001"),
        ("total", "239.00", "Total 1,239.00"),
        ("total", "19.00", "Qty 1 at 9.00"),
        ("total", "29.50", "2@9.50"),
        ("total", "4.29", "Discount -4.29"),
        ("date", "5/12/2018", "25/12/2018"),
        ("date", "25/12/2018", "25/12/2016"),
        ("date", "19-03-2018", "19-03-201818:08:38"),
        ("number", "#415808", "#4158081"),
        ("seller", "Brown-Rivers", "Brown"),
    ],
)
def test_another_value_on_a_line_is_not_taken_for_it(field: str, label: str, line: str) -> None:
    """A part of a number, two numbers put together or most of a name are not the value."""
    assert not is_read(field, label, [line])


def test_a_value_broken_over_lines_is_not_read() -> None:
    """Runs end with their line."""
    assert not is_read("seller", "Gates, Myers and Stone", ["Gates, Myers", "and Stone"])


def test_words_are_counted_as_often_as_they_occur() -> None:
    """Case and marks aside; an amount is the words around its point."""
    assert words(["Total: 9.00", "TOTAL"]) == {"total": 2, "9": 1, "00": 1}


def test_the_sets_know_their_words(tmp_path: Path) -> None:
    """Of a receipt the texts of its boxes, commas and all; of an invoice its values; else a refusal."""
    receipt = _document("sroie", tmp_path / "img" / "000.jpg", {})
    with pytest.raises(BenchError, match="000"):
        labelled_words(receipt)
    (tmp_path / "box").mkdir()
    (tmp_path / "box" / "000.csv").write_text('1,2,3,4,5,6,7,8,NO.53 "A", JALAN\n')
    assert labelled_words(receipt) == {"no": 1, "53": 1, "a": 1, "jalan": 1}
    (tmp_path / "ground_truth_tags.json").write_text('[{"tag": "x", "value": "Ada Ltd"}]')
    assert labelled_words(_document("inv3d", tmp_path / "a.jpg", {})) == {"ada": 1, "ltd": 1}


def test_figures_of_known_readings(tmp_path: Path) -> None:
    """Shares, percentiles and the ratio come from the engine that they are named after."""
    (tmp_path / "box").mkdir()
    (tmp_path / "box" / "000.csv").write_text("1,2,3,4,5,6,7,8,Total 9.00\n")
    document = _document("sroie", tmp_path / "img" / "000.jpg", {"total": "9.00"})
    figures = figures_of(
        {
            "paddle": [(document, _page(["Total 9.00"], 200.0))],
            "rapid": [(document, _page(["Total 9.80 x"], 100.0))],
        }
    )
    values = {key: figure.value for key, figure in figures.items()}
    assert values["ocr.paddle.words.recall"] == values["ocr.paddle.fields.total"] == 1
    assert values["ocr.rapid.words.recall"] == pytest.approx(2 / 3)
    assert values["ocr.rapid.words.precision"] == pytest.approx(2 / 4)
    assert values["ocr.rapid.fields.total"] == 0
    assert values["ocr.rapid.rss_mib"] == 500
    assert values["ocr.rapid_over_paddle.read.p50"] == pytest.approx(0.5)
    assert "ocr.paddle.fields.date" not in figures


def test_without_interpreters_the_bench_says_what_to_give(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is installed unasked."""
    for part in ("img", "key"):
        (tmp_path / "sroie" / part).mkdir(parents=True)
    (tmp_path / "sroie" / "img" / "000.jpg").touch()
    (tmp_path / "sroie" / "key" / "000.json").write_text("{}")
    assert main(["ocr", "--n", "1", "--data", str(tmp_path)]) == 2
    assert "--paddle" in capsys.readouterr().err


def test_an_interpreter_that_is_none_is_refused(tmp_path: Path) -> None:
    """A path that cannot be started is a refusal in words."""
    with pytest.raises(BenchError, match="does not start"):
        OcrChild(tmp_path / "python", "rapidocr", tmp_path)


@pytest.mark.skipif(find_spec("rapidocr") is not None, reason="RapidOCR is installed")
def test_an_engine_that_is_not_there_ends_the_bench(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Where the environment lacks the engine, or the models are missing, its own words are shown."""
    with (
        pytest.raises(BenchError, match="rapidocr ended"),
        OcrChild(Path(sys.executable), "rapidocr", tmp_path),
    ):
        pass
    assert "PP-OCRv6_small_det" in capfd.readouterr().err


def _document(dataset: str, path: Path, labels: dict[str, str]) -> Document:
    return Document(dataset, path.stem, "flat", "scan", path, labels)


def _page(lines: list[str], ms: float) -> dict[str, Any]:
    return {"lines": lines, "ms": ms, "cpu_s": 1.0, "rss_mib": 500.0}
