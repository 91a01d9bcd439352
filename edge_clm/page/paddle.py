"""PaddleOCR as an OCR engine, on onnxruntime or on paddle."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from edge_clm.config import Ocr
from edge_clm.page.engine import OcrEngine, Places
from edge_clm.page.geometry import Quads
from edge_clm.page.runtime import Kind, load_predictor, threads_of
from edge_clm.types import Pixels

_PACKAGES = ("paddleocr", "paddlex", "cv2", "numpy")


def load_paddle(config: Ocr, places: Places) -> OcrEngine:
    """Loads the models; raises ModelDamaged or ConfigInvalid.

    PaddleOCR's modules are driven one by one and not through its pipeline, which turns pages over on
    the word of its classifier, hides the recogniser's probabilities and pads every crop to 320
    pixels. Each model is in memory once.
    """

    def load(kind: Kind, place: Path) -> Any:
        return load_predictor(kind, place, config.engine, threads_of(config.threads))

    detector = load("detector", places.detector)
    # Its own `predict` decodes the probabilities and drops them: the engine's session is run directly.
    recogniser = load("recogniser", places.recogniser).paddlex_predictor
    orienter = load("orienter", places.orienter) if places.orienter else None
    run = recogniser.runner
    return OcrEngine(
        find=lambda picture: _find(detector, picture, config.side),
        spell=lambda crops: run(x=[crops])[0],
        classify=(lambda picture: _classify(orienter, picture)) if orienter else None,
        alphabet=tuple(recogniser.post_op.character[1:]),
        height=_height(recogniser.config),
        packages={name: import_module(name).__version__ for name in (*_PACKAGES, config.engine)},
    )


def _find(detector: Any, picture: Pixels, side: int) -> Quads:
    """With the thresholds of the directory's inference.yml."""
    found = detector.predict(picture, limit_side_len=side, limit_type="max")
    return np.asarray(found[0]["dt_polys"], np.float32).reshape(-1, 4, 2)


def _classify(orienter: Any, picture: Pixels) -> tuple[int, float]:
    found = orienter.predict(picture, topk=1)[0]
    return int(found["label_names"][0]), float(found["scores"][0])


def _height(config: dict[str, Any]) -> int:
    operations = config["PreProcess"]["transform_ops"]
    resize = next(op["RecResizeImg"] for op in operations if "RecResizeImg" in op)
    return int(resize["image_shape"][1])
