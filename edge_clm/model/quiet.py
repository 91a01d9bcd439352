"""The one way in which this wing reaches transformers: offline, and without drawing on the terminal."""

from __future__ import annotations

import importlib
import os
from typing import Any


def transformers() -> Any:
    """The transformers package, told to stay off the network and to log errors only."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    package: Any = importlib.import_module("transformers")
    package.utils.logging.disable_progress_bar()
    package.utils.logging.set_verbosity_error()
    return package
