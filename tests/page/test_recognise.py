"""What the recogniser sees on given crops."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from edge_clm.page.geometry import as_quad, crop
from edge_clm.page.ocr import PageReader
from edge_clm.page.runtime import load_predictor
from edge_clm.types import Pixels, Reading
from tests.page.conftest import picture


@pytest.fixture(scope="module")
def page(reader: PageReader, documents: Path) -> tuple[list[Pixels], list[str]]:
    """Line crops of a photo, short and long, with the texts that the page was read as."""
    pixels = picture(documents / "inv3d/04394/warped_document_perspective_bright.jpg", 1600)
    lines = reader.read(pixels).lines[:24]
    return [crop(pixels, line.quad) for line in lines], [line.text for line in lines]


@pytest.fixture(scope="module")
def readings(reader: PageReader, page: tuple[list[Pixels], list[str]]) -> list[Reading]:
    return reader.recognise(page[0])


def test_crops_read_as_they_did_on_the_page(
    page: tuple[list[Pixels], list[str]], readings: list[Reading]
) -> None:
    """Given the boxes of a page, `recognise` reads what `read` read, in the order given."""
    assert [reading.text.strip() for reading in readings] == page[1]


def test_crops_read_as_by_paddleocr_itself(
    models: Path, page: tuple[list[Pixels], list[str]], readings: list[Reading]
) -> None:
    """PaddleOCR's own module reads the same texts with nearly the same confidence."""
    module = load_predictor("recogniser", models / "PP-OCRv6_small_rec", "onnxruntime", 2)
    theirs = module.predict([np.ascontiguousarray(line[:, :, ::-1]) for line in page[0]])
    same = [own.text == other["rec_text"] for own, other in zip(readings, theirs, strict=True)]
    assert sum(same) >= len(same) - 1
    for own, other in zip(readings, theirs, strict=True):
        assert own.confidence == pytest.approx(other["rec_score"], abs=0.1)


def test_probabilities_are_probabilities(reader: PageReader, readings: list[Reading]) -> None:
    """Every step is a distribution over blank and alphabet."""
    for reading in readings:
        steps, classes = reading.probabilities.shape
        assert reading.probabilities.dtype == np.float32 and steps >= len(reading.text)
        assert classes == len(reader.alphabet) + 1
        assert reading.probabilities.min() >= 0
        np.testing.assert_allclose(reading.probabilities.sum(axis=1), 1, atol=1e-3)


def test_the_alphabet_decodes_the_probabilities(
    reader: PageReader, readings: list[Reading]
) -> None:
    """`alphabet[i]` is class i + 1: the best path spelt with it is the text."""
    assert len(set(reader.alphabet)) > 18_000 and " " in reader.alphabet
    for reading in readings:
        best = [int(index) for index in reading.probabilities.argmax(axis=1)]
        kept = [index for index, last in zip(best, [0, *best], strict=False) if index != last]
        assert "".join(reader.alphabet[index - 1] for index in kept if index) == reading.text


def test_a_crop_reads_the_same_in_any_company(
    reader: PageReader, page: tuple[list[Pixels], list[str]], readings: list[Reading]
) -> None:
    """Neither neighbours in a batch nor their order change what is seen on a crop."""
    alone = reader.recognise([page[0][3]])[0]
    backwards = reader.recognise(page[0][:6][::-1])[2]
    for reading in (alone, backwards):
        assert reading.text == readings[3].text
        np.testing.assert_allclose(reading.probabilities, readings[3].probabilities, atol=1e-3)


@pytest.mark.parametrize("shape", [(1, 1), (1, 500), (300, 2), (20, 4000)])
def test_odd_crops_are_read_as_something(reader: PageReader, shape: tuple[int, int]) -> None:
    """Slivers and specks do not fail."""
    reading = reader.recognise([np.full((*shape, 3), 200, np.uint8)])[0]
    assert len(reading.probabilities) > 0 and 0 <= reading.confidence <= 1


def test_no_crops_are_no_readings(reader: PageReader) -> None:
    """Nothing in, nothing out."""
    assert reader.recognise([]) == []


def test_text_that_runs_down_is_read(reader: PageReader, documents: Path) -> None:
    """A quad that starts at the text's top left straightens a line that runs down the picture."""
    pixels = picture(documents / "inv3d/00411/flat_document.png")
    line = next(line for line in reader.read(pixels).lines if "Kimberly Gaines" in line.text)
    down = np.ascontiguousarray(np.rot90(pixels, -1))
    # Clockwise by 90 degrees: (x, y) goes to (height - y, x).
    quad = as_quad(np.array([(pixels.shape[0] - y, x) for x, y in line.quad], np.float32))
    assert reader.recognise([crop(down, quad)])[0].text.strip() == line.text
