"""The whole daemon with recall on: new photographs of a page that it knows, and of near twins of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from bench.daemon import Daemon
from edge_clm.client import Client
from edge_clm.config import models_home
from edge_clm.types import Pixels
from edge_clm.v1 import edge_clm_pb2 as pb
from tests.page.test_judge import ROWS
from tests.page.test_judge import shown as invoice

TOTAL = "What is the total?"


def shown(*changed: tuple[str, str]) -> Pixels:
    """The invoice with some of its print changed, and a little of the table that it lies on."""
    rows = ROWS
    for before, after in changed:
        rows = tuple(row.replace(before, after) for row in rows)
    return invoice(*rows)


def photograph(pixels: Pixels, turn: int = 0, share: float = 0.9, light: float = 0.85) -> bytes:
    """A JPEG of it, turned clockwise, smaller and darker."""
    picture = Image.fromarray(np.rot90(pixels, -turn // 90))
    picture = picture.resize((int(picture.width * share), int(picture.height * share)))
    data = BytesIO()
    picture.point(lambda value: int(value * light)).save(data, "JPEG", quality=88)
    return data.getvalue()


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    with Daemon(models_home(), "nano", {"recall.model": "docclip"}) as started:
        yield started


@pytest.fixture(scope="module")
def client(daemon: Daemon) -> Iterator[Client]:
    """A client of a daemon that knows the invoice."""
    with daemon.client(timeout_s=120) as opened:
        cold = opened.ask(TOTAL, image=photograph(shown(), share=1, light=1))
        assert cold.serve_mode == pb.SERVE_MODE_COLD
        assert "142.25" in cold.text
        while opened.stats().kept.anchors < 1:
            time.sleep(0.05)
        yield opened


@pytest.mark.parametrize("turn", [0, 90])
def test_a_second_photograph_is_answered_without_being_read(client: Client, turn: int) -> None:
    """Confirmed by the model, over the known page, with evidence where the total stands on this photograph."""
    pixels = shown()
    warm = client.ask(TOTAL, image=photograph(pixels, turn))
    assert warm.serve_mode == pb.SERVE_MODE_VERIFIED
    assert warm.tokens.accepted == warm.tokens.answer > 0
    assert "142.25" in warm.text
    names = {stage.name for stage in warm.stages}
    assert {"identify.recall", "identify.register", "identify.prove"} <= names
    assert not {"ocr", "prefill"} & names
    (evidence,) = warm.evidence
    middle = sum(point.y for point in evidence.quad) / 4
    rows = np.flatnonzero(pixels[:, 70:600].min(axis=(1, 2)) < 80)
    last = 0.9 * float(rows[(rows > 50) & (rows < len(pixels) - 50)].max())
    assert last - 40 < middle < last + 5
    again = client.ask(TOTAL, handle=warm.page.handle)
    assert again.serve_mode == pb.SERVE_MODE_REPLAY
    assert (again.text, list(again.evidence)) == (warm.text, list(warm.evidence))


@pytest.mark.parametrize(
    ("changed", "total"),
    [
        (("142.25", "142.75"), "142.75"),
        (("10428", "10423"), "142.25"),
        (("142.25", "192.25"), "192.25"),
    ],
)
def test_a_twin_gets_its_own_answer(client: Client, changed: tuple[str, str], total: str) -> None:
    """One digit of total or number changed: the page is read, and the answer is what stands on it."""
    cold = client.ask(TOTAL, image=photograph(shown(changed), share=0.95))
    assert cold.serve_mode == pb.SERVE_MODE_COLD
    assert total in cold.text
