"""PaddleOCR as this daemon runs it: silent, offline, on a known number of threads."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from edge_clm.errors import ConfigInvalid, InternalFault, ModelDamaged

Kind = Literal["detector", "recogniser", "orienter"]


def silence_onnxruntime() -> None:
    """Must run before onnxruntime is imported; running it again changes nothing.

    Raises InternalFault where it is loaded already with its telemetry on.
    """
    if "onnxruntime" in sys.modules and os.environ.get("ORT_DISABLE_TELEMETRY") != "1":
        raise InternalFault("onnxruntime was loaded before its telemetry was turned off")
    # onnxruntime 1.32 reports home from native threads, on Linux too, unless told not to.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"


def prepare() -> None:
    """Must run before paddleocr is imported; running it again changes nothing.

    Raises InternalFault as `silence_onnxruntime` does.
    """
    silence_onnxruntime()
    os.environ["PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK"] = "True"
    if "PADDLE_PDX_CACHE_HOME" not in os.environ:
        os.environ["PADDLE_PDX_CACHE_HOME"] = str(_cache_home())


def threads_of(configured: int) -> int:
    """How many threads to use: as configured, or as many as this process may run on."""
    return configured or len(os.sched_getaffinity(0))


def load_predictor(kind: Kind, directory: Path, engine: str, threads: int) -> Any:
    """Loads a PP-OCR model directory into a PaddleOCR module on `threads` CPU threads.

    Raises ConfigInvalid where the engine is not installed or has no weights in the directory,
    ModelDamaged where the directory does not load.
    """
    prepare()
    _check_engine(engine, directory)
    module = _modules(engine)[kind]
    options = {"engine": engine, "device": "cpu", "engine_config": _options(engine, threads)}
    try:
        return module(model_name=_name_of(directory), model_dir=str(directory), **options)
    except Exception as error:
        # Damaged weights surface as whatever the engine happens to raise on them.
        raise ModelDamaged(f"the OCR model in {directory} does not load") from error


def _check_engine(engine: str, directory: Path) -> None:
    try:
        import_module(engine)
    except ImportError as error:
        package = "paddlepaddle" if engine == "paddle" else engine
        raise ConfigInvalid(
            f"ocr.engine is {engine!r} but {package} cannot be imported ({error.msg}): install it, "
            "or choose another engine"
        ) from error
    check_weights(engine, directory)


def check_weights(engine: str, directory: Path) -> None:
    """Raises ConfigInvalid where a model directory has no weights for an engine."""
    suffix = ".pdiparams" if engine == "paddle" else ".onnx"
    if not (directory / f"inference{suffix}").is_file():
        raise ConfigInvalid(f"{directory} holds no inference{suffix} for ocr.engine {engine!r}")


def _options(engine: str, threads: int) -> dict[str, object]:
    if engine == "paddle":
        # Plain kernels: with oneDNN paddlepaddle 3.3 fails on PP-OCR models, "Unimplemented".
        return {"paddle_static": {"cpu_threads": threads, "run_mode": "paddle"}}
    return {
        "intra_op_num_threads": threads,
        # Without the arena a page of another size does not leave its peak behind,
        "enable_cpu_mem_arena": False,
        # nor every new size a plan of its memory, kept for ever (7 KiB a shape).
        "enable_mem_pattern": False,
    }


def _modules(engine: str) -> dict[Kind, Any]:
    try:
        import cv2
        import paddleocr
    except ImportError as error:
        raise ConfigInvalid(
            f"ocr.engine is {engine!r} but PaddleOCR cannot be imported ({error.msg}): install it "
            "into an environment without RapidOCR, or choose the engine 'rapidocr'"
        ) from error
    # OpenCV would take every core for itself, however few OCR was given.
    cv2.setNumThreads(1)
    for name in ("paddlex", "paddleocr"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
        logger.setLevel(logging.ERROR)
    return {
        "detector": paddleocr.TextDetection,
        "recogniser": paddleocr.TextRecognition,
        "orienter": paddleocr.DocImgOrientationClassification,
    }


def _name_of(directory: Path) -> str:
    """PaddleOCR wants to be told the name that the directory's own configuration states."""
    from paddlex.inference.utils.io import YAMLReader

    try:
        config = YAMLReader().read(directory / "inference.yml")
        return str(config["Global"]["model_name"])
    except Exception as error:
        raise ModelDamaged(f"{directory / 'inference.yml'} cannot be read") from error


def _cache_home() -> Path:
    """PaddleX makes directories where it is imported; a service's home may be read-only."""
    cache = os.environ.get("CACHE_DIRECTORY") or os.environ.get("XDG_CACHE_HOME")
    home = Path(cache.split(":")[0]) if cache else Path.home() / ".cache"
    try:
        (home / "edge-clm" / "paddlex").mkdir(parents=True, exist_ok=True)
    except OSError:
        # Private, since PaddleX unpickles what it finds there.
        scratch = Path(tempfile.mkdtemp(prefix="edge-clm-"))
        atexit.register(shutil.rmtree, scratch, ignore_errors=True)
        return scratch
    return home / "edge-clm" / "paddlex"
