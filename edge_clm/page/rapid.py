"""RapidOCR as an OCR engine: its detector, and its sessions on onnxruntime."""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edge_clm.config import Ocr
from edge_clm.errors import ConfigInvalid, ModelDamaged
from edge_clm.page.engine import OcrEngine, Places
from edge_clm.page.geometry import Quads
from edge_clm.page.layout import read_glance, read_spelling
from edge_clm.page.runtime import check_weights, silence_onnxruntime, threads_of
from edge_clm.types import Pixels

Session = Callable[[NDArray[np.float32]], NDArray[np.float32]]

# What shapes the text; the last two grow and simplify the detector's boxes.
_PACKAGES = ("rapidocr", "onnxruntime", "numpy", "pyclipper", "shapely")
_OPENCVS = tuple(
    f"opencv-{kind}python{head}" for kind in ("", "contrib-") for head in ("", "-headless")
)
# The detector halves five times; what is thinner than this it does not look at.
_THINNEST = 32


def load_rapid(config: Ocr, places: Places) -> OcrEngine:
    """Loads the models; raises ModelDamaged or ConfigInvalid.

    RapidOCR's pipeline is not used: it asks for the models that it names itself, and fetches them
    where they are not; it turns lines over one by one, and hides the recogniser's probabilities.
    """
    opencv = _check_installed()
    for place in places.all():
        check_weights(config.engine, place)
    options = _Options(threads_of(config.threads))
    spelling = read_spelling(places.recogniser)
    return OcrEngine(
        find=_finder(options, places.detector, config.side),
        spell=options.session(places.recogniser),
        classify=_classifier(options, places.orienter) if places.orienter else None,
        alphabet=spelling.alphabet,
        height=spelling.height,
        packages={name: metadata.version(name) for name in _PACKAGES} | {"cv2": opencv},
    )


class _Options:
    """RapidOCR's own settings, but for threads and where the models are."""

    def __init__(self, threads: int) -> None:
        from rapidocr.main import DEFAULT_CFG_PATH
        from rapidocr.utils.parse_parameters import ParseParams

        self._config = ParseParams.load(DEFAULT_CFG_PATH)
        self._config.EngineConfig.onnxruntime.intra_op_num_threads = threads

    def detector(self, place: Path, side: int) -> Any:
        from rapidocr.ch_ppocr_det import TextDetector

        changes = {"limit_side_len": side, "limit_type": "max"}
        return _loaded(TextDetector, place, self._settings(place, {**self._config.Det, **changes}))

    def session(self, place: Path) -> Session:
        """The one model in a directory: what it makes of an array."""
        from rapidocr.inference_engine.onnxruntime import OrtInferSession

        session: Session = _loaded(OrtInferSession, place, self._settings(place, {}))
        return session

    def _settings(self, place: Path, settings: dict[str, Any]) -> Any:
        from omegaconf import OmegaConf

        engine = {"engine_cfg": self._config.EngineConfig.onnxruntime}
        return OmegaConf.create({**settings, **engine, "model_path": str(place / "inference.onnx")})


def _loaded(kind: Callable[[Any], Any], place: Path, settings: Any) -> Any:
    try:
        return kind(settings)
    except Exception as error:
        # Damaged weights surface as whatever onnxruntime happens to raise on them.
        raise ModelDamaged(f"the OCR model in {place} does not load") from error


def _finder(options: _Options, place: Path, side: int) -> Callable[[Pixels], Quads]:
    detector = options.detector(place, side)

    def find(picture: Pixels) -> Quads:
        found = detector(_thickened(picture)).boxes
        return np.asarray([] if found is None else found, np.float32).reshape(-1, 4, 2)

    return find


def _thickened(picture: Pixels) -> Pixels:
    """The picture with its lower and right edge repeated until the detector looks at it."""
    import cv2

    height, width = picture.shape[:2]
    down, right = max(0, _THINNEST - height), max(0, _THINNEST - width)
    if not (down or right):
        return picture
    return np.asarray(
        cv2.copyMakeBorder(picture, 0, down, 0, right, cv2.BORDER_REPLICATE), np.uint8
    )


def _classifier(options: _Options, place: Path) -> Callable[[Pixels], tuple[int, float]]:
    """RapidOCR has no classifier of pages: PaddleOCR's is run here, on RapidOCR's session."""
    session, glance = options.session(place), read_glance(place)

    def classify(picture: Pixels) -> tuple[int, float]:
        scores = session(glance.of(picture))[0]
        best = int(scores.argmax())
        return glance.labels[best], float(scores[best])

    return classify


def _check_installed() -> str:
    """Readies RapidOCR and tells which OpenCV is installed; raises ConfigInvalid."""
    silence_onnxruntime()
    found = {name: _version(name) for name in _OPENCVS if _version(name)}
    if len(found) > 1:
        raise ConfigInvalid(
            f"ocr.engine is 'rapidocr' but {' and '.join(found)} are installed, each with a cv2 over the other's: "
            "install edge_clm with RapidOCR into an environment without PaddleOCR"
        )
    try:
        import cv2
        from rapidocr.main import logger
    except ImportError as error:
        raise ConfigInvalid(
            f"ocr.engine is 'rapidocr' but RapidOCR cannot be imported ({error.msg}): install it "
            "into an environment without PaddleOCR, or choose another engine"
        ) from error
    # OpenCV would take every core for itself, however few OCR was given.
    cv2.setNumThreads(1)
    logger.handlers.clear()
    logger.propagate = True
    logger.setLevel(logging.ERROR)
    return str(cv2.__version__)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
