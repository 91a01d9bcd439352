"""The other engine: RapidOCR, in an environment of its own, on the same models.

PaddleOCR and RapidOCR bring an OpenCV each, in the same place, so the environment of the tests has
but one of them. The other is made with pip under the user's cache, once (some 15 s, 410 MB); where
pip cannot, those tests are skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from bench.failure import BenchError
from bench.ocr_venv import make_venv
from edge_clm.config import Ocr
from edge_clm.errors import ConfigInvalid, ModelDamaged
from edge_clm.page.layout import read_glance, read_spelling
from edge_clm.page.ocr import PageReader
from edge_clm.page.reader import open_reader
from edge_clm.weights import fingerprint
from tests.page.conftest import invoice_words, recall, receipt_words

_ROOT = Path(__file__).parents[2]
_MODELS = ("PP-OCRv6_small_det", "PP-OCRv6_small_rec", "PP-LCNet_x1_0_doc_ori")

_REFUSE_SOCKETS = """
import sys
def refuse(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.bind"):
        raise PermissionError(f"no sockets here: {event}")
sys.addaudithook(refuse)
"""

_READ = (
    _REFUSE_SOCKETS
    + """
import json, pathlib
import numpy as np
from PIL import Image
from edge_clm.config import Ocr
from edge_clm.page.geometry import crop, turned
from edge_clm.page.reader import open_reader

models, data = map(pathlib.Path, sys.argv[1:])
reader = open_reader(Ocr(engine="rapidocr", threads=2), models)
told = {"fingerprint": reader.fingerprint, "alphabet": len(reader.alphabet), "pages": {}}
for name, turn in (
    ("inv3d/00411/flat_document.png", 0),
    ("inv3d/06288/warped_document_crumpleshard_bright.jpg", 180),
    ("sroie/img/000.jpg", 0),
):
    with Image.open(data / name) as image:
        image = image.convert("RGB")
        image.thumbnail((1400, 1400))
    pixels = turned(np.array(image), turn)
    page = reader.read(pixels)
    inside = all(
        -2 <= x <= page.width + 2 and -2 <= y <= page.height + 2
        for line in page.lines for x, y in line.quad
    )
    texts = [line.text for line in page.lines]
    told["pages"][name] = {"turn": page.turn, "texts": texts, "inside": inside}
upright = turned(pixels, page.turn)
readings = reader.recognise([crop(upright, line.quad) for line in page.lines])
told["again"] = [reading.text.strip() for reading in readings]
told["sums"] = [float(abs(r.probabilities.sum(axis=1) - 1).max()) for r in readings]
told["classes"] = sorted({r.probabilities.shape[1] for r in readings})
told["blank"] = []
for height, width in ((1, 1), (1, 70), (33, 1900), (1900, 33), (300, 300)):
    blank = reader.read(np.full((height, width, 3), 255, np.uint8))
    told["blank"].append([len(blank.lines), blank.turn, blank.width == width, blank.height == height])
print(json.dumps(told))
"""
)

_OPEN = """
import pathlib, sys
from edge_clm.config import Ocr
from edge_clm.errors import EdgeClmError
from edge_clm.page.reader import open_reader
try:
    open_reader(Ocr(engine=sys.argv[1], threads=1), pathlib.Path(sys.argv[2]))
except EdgeClmError as error:
    print(error.reason, error.message)
"""

_BUILD = """
import pathlib, sys
from edge_clm.page.weights import build_ocr
build_ocr(pathlib.Path(sys.argv[1]), lambda *_: None)
"""


def _run(python: Path | str, script: str, *arguments: object, path: Path = _ROOT) -> str:
    """What a script says, run with warnings as errors and nothing of this environment in reach."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("ORT_")}
    done = subprocess.run(
        [str(python), "-W", "error", "-c", script, *map(str, arguments)],
        env={**kept, "PYTHONPATH": os.pathsep.join([str(path), str(_ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def rapid() -> Path:
    """An interpreter with RapidOCR and without PaddleOCR."""
    try:
        return make_venv("rapid")
    except BenchError as error:
        pytest.skip(f"no environment with RapidOCR: {error}")


@pytest.fixture(scope="module")
def told(rapid: Path, models: Path, documents: Path) -> dict[str, Any]:
    """What RapidOCR made of real pages, without a network."""
    found: dict[str, Any] = json.loads(_run(rapid, _READ, models, documents))
    return found


@pytest.mark.skipif(find_spec("rapidocr") is not None, reason="RapidOCR is installed")
def test_a_missing_rapidocr_is_named_with_its_remedy(models: Path) -> None:
    """The engine without its package is a configuration error, not a traceback."""
    with pytest.raises(ConfigInvalid, match=r"RapidOCR cannot be imported .* without PaddleOCR"):
        open_reader(Ocr(engine="rapidocr"), models)


def test_two_opencvs_are_refused(models: Path, tmp_path: Path) -> None:
    """Where a second OpenCV is installed over the first, the engine refuses and names both."""
    names = ("opencv-python", "opencv-contrib-python-headless")
    for name in names:
        place = tmp_path / f"{name.replace('-', '_')}-5.0.dist-info"
        place.mkdir()
        (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 5.0\n")
    said = _run(sys.executable, _OPEN, "rapidocr", models, path=tmp_path)
    assert said.startswith("CONFIG_INVALID ") and "cv2" in said
    assert all(name in said for name in names)


def test_paddleocr_is_not_needed_and_missed_by_name(rapid: Path, models: Path) -> None:
    """With RapidOCR alone, it opens without a word; PaddleOCR's engine is refused with its remedy."""
    assert _run(rapid, _OPEN, "rapidocr", models) == ""
    said = _run(rapid, _OPEN, "onnxruntime", models)
    assert said.startswith("CONFIG_INVALID ") and "PaddleOCR cannot be imported" in said


def test_real_pages_are_read(told: dict[str, Any], documents: Path) -> None:
    """A flat page, a crumpled one upside down and a receipt: most words are read, upright."""
    flat, crumpled, receipt = told["pages"].values()
    assert recall(flat["texts"], invoice_words(documents / "inv3d/00411")) >= 0.95
    assert recall(crumpled["texts"], invoice_words(documents / "inv3d/06288")) >= 0.85
    assert recall(receipt["texts"], receipt_words(documents, "000")) >= 0.85
    assert [page["turn"] for page in told["pages"].values()] == [0, 180, 0]
    assert all(page["inside"] for page in told["pages"].values())


def test_given_crops_read_as_on_the_page(told: dict[str, Any], reader: PageReader) -> None:
    """`recognise` reads what `read` read, with distributions over the alphabet of the other engine."""
    assert told["again"] == told["pages"]["sroie/img/000.jpg"]["texts"]
    assert max(told["sums"]) < 1e-3
    assert told["alphabet"] == len(reader.alphabet) and told["classes"] == [told["alphabet"] + 1]


def test_blank_pages_are_empty(told: dict[str, Any]) -> None:
    """Pages without text, of any shape, are empty results, not errors, and are not turned."""
    assert told["blank"] == [[0, 0, True, True]] * 5


def test_the_engines_have_fingerprints_of_their_own(
    told: dict[str, Any], reader: PageReader
) -> None:
    """What one engine has read is never taken for what the other would read."""
    assert len(told["fingerprint"]) == 64 and told["fingerprint"] != reader.fingerprint


def test_unusable_models_are_named(rapid: Path, tmp_path: Path, models: Path) -> None:
    """Weights that do not load are damage, absent ones are missing, both with the place."""
    assert _run(rapid, _OPEN, "rapidocr", tmp_path).startswith("MODEL_MISSING ")
    for name in _MODELS:
        (tmp_path / name).mkdir()
    said = _run(rapid, _OPEN, "rapidocr", tmp_path)
    assert said.startswith("CONFIG_INVALID ") and "inference.onnx" in said
    for name in _MODELS:
        (tmp_path / name / "inference.onnx").write_bytes(b"\x00 no model")
        (tmp_path / name / "inference.yml").write_bytes(
            (models / name / "inference.yml").read_bytes()
        )
    said = _run(rapid, _OPEN, "rapidocr", tmp_path)
    assert said.startswith("MODEL_DAMAGED ") and "PP-OCRv6_small_det" in said


def test_models_are_built_without_paddleocr(rapid: Path, tmp_path: Path, models: Path) -> None:
    """An environment with RapidOCR alone makes the very models that one with PaddleOCR makes."""
    _run(rapid, _BUILD, tmp_path)
    for name in _MODELS:
        assert fingerprint(tmp_path / name) == fingerprint(models / name)


@pytest.mark.parametrize(
    "text", ["", "a: [", "PreProcess: 1", "PreProcess: {transform_ops: [{RecResizeImg: {}}]}"]
)
def test_a_configuration_that_says_nothing_is_damage(tmp_path: Path, text: str) -> None:
    """An inference.yml without what is needed is named, whatever is wrong with it."""
    (tmp_path / "inference.yml").write_text(text)
    for read in (read_spelling, read_glance):
        with pytest.raises(ModelDamaged, match=r"inference\.yml"):
            read(tmp_path)


def test_the_alphabet_is_paddleocrs(models: Path, reader: PageReader) -> None:
    """The characters read from the directory are those that PaddleOCR reads from it, in its order."""
    assert read_spelling(models / "PP-OCRv6_small_rec").alphabet == tuple(reader.alphabet)
