"""What is wrong with a picture, told on drawn pages spoilt in one way each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from bench.spoil import WAYS
from edge_clm.page.flaws import flaws_of
from edge_clm.page.ocr import PageReader
from edge_clm.paper import Flaw, Line
from edge_clm.types import Pixels
from tests.page.conftest import picture

PAPER, INK = 205, 45


@pytest.fixture(scope="module")
def page() -> tuple[Pixels, tuple[Line, ...]]:
    """A page of print as a camera has it, with the boxes that its lines have."""
    image = Image.new("L", (1300, 1700), PAPER)
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(30)
    lines = []
    for row in range(34):
        text = f"{row:02} Brass hinge, polished, by the pair, of {row * 7} to {row * 9}.40 EUR"
        top = 60 + 46 * row
        draw.text((110, top), text, INK, font)
        left, above, right, below = draw.textbbox((110, top), text, font)
        box = (left - 6, above - 5, right + 6, below + 5)
        quad = ((box[0], box[1]), (box[2], box[1]), (box[2], box[3]), (box[0], box[3]))
        lines.append(Line(text, quad, 0.98))
    light = np.random.default_rng(1).normal(0, 3, (1700, 1300)) + np.asarray(image, float)
    grey = np.clip(light, 0, 255).astype(np.uint8)
    return np.repeat(grey[:, :, None], 3, axis=2), tuple(lines)


def inside(lines: tuple[Line, ...], pixels: Pixels, left: float = 0) -> list[Line]:
    """The lines as a reader finds them on what is left of their picture."""
    width, kept = pixels.shape[1], []
    for line in lines:
        xs = [min(max(x - left, 0.0), float(width)) for x, _ in line.quad]
        a, b, c, d = zip(xs, (y for _, y in line.quad), strict=True)
        kept.append(Line(line.text, (a, b, c, d), line.confidence))
    return kept


def read(lines: tuple[Line, ...], pixels: Pixels) -> list[Line]:
    """The lines as a reader finds them on a spoilt picture: doubtfully, and none burnt out."""
    kept = []
    for line in lines:
        corners = np.array(line.quad)
        (left, top), (right, bottom) = corners[0].astype(int), corners[2].astype(int)
        if np.mean(pixels[top:bottom, left:right] > 250) < 0.2:
            kept.append(Line(line.text, line.quad, 0.7))
    return kept


def test_a_good_picture_has_no_flaw(page: tuple[Pixels, tuple[Line, ...]]) -> None:
    """Neither a photo nor white paper all over is anything to take again."""
    pixels, lines = page
    assert flaws_of(pixels, lines) == ()
    scan = np.where(pixels > 150, 255, pixels).astype(np.uint8)
    assert flaws_of(scan, lines) == ()


@pytest.mark.parametrize("way", ["blur", "smear", "glare", "darken", "fade"])
@pytest.mark.parametrize("seed", range(3))
def test_each_flaw_is_told_by_its_name(
    page: tuple[Pixels, tuple[Line, ...]], way: str, seed: int
) -> None:
    """Strong blur, smear, glare and want of light are found, and only what was done is told."""
    pixels, lines = page
    flaw, spoil, strengths = WAYS[way]
    strength = {"smear": 0.5, "glare": 0.06}.get(way, strengths[-1])
    spoilt = spoil(pixels, lines, strength, np.random.default_rng(seed))
    assert flaws_of(spoilt, read(lines, spoilt)) == (flaw,)


def test_print_that_is_too_small_is_not_called_blurred(
    page: tuple[Pixels, tuple[Line, ...]],
) -> None:
    """From too far away lines are low and soft; coming closer helps, focus does not."""
    pixels, lines = page
    _, spoil, _ = WAYS["shrink"]
    small = spoil(pixels, lines, 8, np.random.default_rng(0))
    share = small.shape[0] / pixels.shape[0]
    near = [
        Line(line.text, tuple((x * share, y * share) for x, y in line.quad), 0.7)  # type: ignore[arg-type]
        for line in lines
    ]
    assert flaws_of(small, near) == (Flaw.TOO_SMALL,)


@pytest.mark.parametrize("side", ["left", "right"])
def test_lines_that_run_over_the_edge_are_cut_off(
    page: tuple[Pixels, tuple[Line, ...]], side: str
) -> None:
    """Print that the picture's edge goes through is told, at either side."""
    pixels, lines = page
    part = pixels[:, 400:] if side == "left" else pixels[:, :700]
    kept = inside(lines, part, 400 if side == "left" else 0)
    assert flaws_of(np.ascontiguousarray(part), kept) == (Flaw.CUT_OFF,)


@pytest.mark.parametrize("end", ["top", "bottom"])
def test_print_cut_along_a_line_is_cut_off(page: tuple[Pixels, tuple[Line, ...]], end: str) -> None:
    """Columns of print that reach over the picture's upper or lower edge are told, turned or not."""
    pixels, lines = page
    across = np.ascontiguousarray(pixels[:, :700].transpose(1, 0, 2))
    across = np.ascontiguousarray(across[::-1]) if end == "top" else across
    kept = []
    for line in inside(lines, pixels[:, :700]):
        a, b, c, d = ((y, 700 - x if end == "top" else x) for x, y in line.quad)
        kept.append(Line(line.text, (a, b, c, d), 0.98))
    assert Flaw.CUT_OFF in flaws_of(across, kept)


def test_a_tight_crop_is_no_cut(page: tuple[Pixels, tuple[Line, ...]]) -> None:
    """A scan cropped to its print has boxes at its edges, and every letter all the same."""
    pixels, lines = page
    left = round(lines[0].quad[0][0]) + 3
    tight = np.ascontiguousarray(pixels[:, left:])
    assert flaws_of(tight, inside(lines, tight, left)) == ()


def test_a_white_box_is_no_glare(page: tuple[Pixels, tuple[Line, ...]]) -> None:
    """White with a hard edge on tinted paper was printed so."""
    pixels, lines = page
    boxed = pixels.copy()
    boxed[500:760, 300:900] = 255
    assert flaws_of(boxed, lines) == ()


def test_a_page_without_print_is_blank_dark_or_blurred(
    page: tuple[Pixels, tuple[Line, ...]],
) -> None:
    """Where no line was found, a blank sheet is no flaw, and what hides the print is told."""
    pixels, lines = page
    blank = np.random.default_rng(0).normal(230, 4, (900, 700, 3)).clip(0, 255).astype(np.uint8)
    shaded = (blank * np.linspace(0.6, 1, 900)[:, None, None]).astype(np.uint8)
    assert flaws_of(blank, ()) == flaws_of(shaded, ()) == ()
    assert flaws_of(blank // 8, ()) == (Flaw.DARK,)
    _, blur, _ = WAYS["blur"]
    assert flaws_of(blur(pixels, lines, 0.16, np.random.default_rng(0)), ()) == (Flaw.BLURRED,)
    assert flaws_of(pixels, ()) == ()


@pytest.mark.parametrize("shape", [(1, 1), (1, 900), (900, 1), (40, 40_000)])
@pytest.mark.parametrize("found", [0, 1, 5])
def test_any_shape_of_picture_can_be_looked_at(shape: tuple[int, int], found: int) -> None:
    """Slivers, and boxes beyond their edges or without any extent, are no error."""
    pixels = np.full((*shape, 3), 200, np.uint8)
    quad = ((-3.0, -3.0), (5.0, -3.0), (5.0, 2.0), (-3.0, 2.0))
    point = ((0.0, 0.0),) * 4
    lines = [Line("ab", quad if at % 2 else point, 0.5) for at in range(found)]
    assert isinstance(flaws_of(pixels, lines), tuple)


@pytest.mark.parametrize(
    ("name", "flaws"),
    [
        ("inv3d/00411/warped_document_curled_color.jpg", ()),
        ("sroie/img/000.jpg", ()),
    ],
)
def test_a_reader_tells_the_flaws_of_what_it_read(
    reader: PageReader, documents: Path, name: str, flaws: tuple[Flaw, ...]
) -> None:
    """A good photo has none, and the same photo out of focus is called blurred."""
    pixels = picture(documents / name)
    text = reader.read(pixels)
    assert text.flaws == flaws
    _, blur, (_, middle, _) = WAYS["blur"]
    spoilt = blur(pixels, text.lines, middle, np.random.default_rng(0))
    assert Flaw.BLURRED in reader.read(spoilt).flaws
