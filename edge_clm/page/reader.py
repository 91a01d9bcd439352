"""From a configuration to a reader of pages, on the OCR engine that it names."""

from __future__ import annotations

from pathlib import Path

from edge_clm.config import Ocr
from edge_clm.page.engine import OcrEngine, Places
from edge_clm.page.ocr import PageReader
from edge_clm.weights import locate


def open_reader(config: Ocr, models: Path) -> PageReader:
    """Loads the models named by `config` under `models` into the engine named by it.

    Raises ModelMissing or ModelDamaged, or ConfigInvalid where the engine is not installed. Only
    the engine that is named is imported: the other need not be installed.
    """
    places = Places(
        locate(models, config.detector),
        locate(models, config.recogniser),
        locate(models, config.orienter) if config.orienter else None,
    )
    return PageReader(config, _load(config, places), places)


def _load(config: Ocr, places: Places) -> OcrEngine:
    if config.engine == "rapidocr":
        from edge_clm.page.rapid import load_rapid

        return load_rapid(config, places)
    from edge_clm.page.paddle import load_paddle

    return load_paddle(config, places)
