"""The files that users start from."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

from PIL import Image

from edge_clm.config import Config, load

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_example_configuration_is_right() -> None:
    """Every key of it is known and every value possible, and each differs from or explains a default."""
    path = EXAMPLES / "edge-clm.toml"
    config = load(path)
    assert isinstance(config, Config)
    assert set(tomllib.loads(path.read_text())) <= set(Config.model_fields)
    assert config.server.tokens and config.server.tcp.startswith("127.0.0.1:")
    # The socket's group holds programs, not administrators.
    assert config.server.socket_role == "device"


def test_the_example_photo_is_small_and_real() -> None:
    """A JPEG of at most 250 kB, large enough to be read, without metadata, with its licence beside it."""
    path = EXAMPLES / "invoice.jpg"
    assert path.stat().st_size <= 250_000
    with Image.open(path) as photo:
        assert photo.format == "JPEG" and max(photo.size) == 1600
        assert not photo.getexif()
    assert (EXAMPLES / "LICENSE-inv3d").read_text().startswith("MIT License")


def test_the_tour_parses() -> None:
    """The tour is a program that says what it does; 'make run' runs it."""
    assert ast.get_docstring(ast.parse((EXAMPLES / "tour.py").read_text()))
