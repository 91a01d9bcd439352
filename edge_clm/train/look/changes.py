"""One thing that changes on a stretch of paper between two looks at it: ink added, print lost or exchanged."""

from __future__ import annotations

import colorsys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from edge_clm.train.look.pens import FINE, Mask, lowered, penned, written
from edge_clm.train.pages.fonts import families
from edge_clm.train.pages.inks import INKS
from edge_clm.train.pages.page import Box, Split
from edge_clm.train.pages.type import Style

Paper = NDArray[np.float32]
"""float32, (height, width, 3), 0…255: a stretch before anything is made of its light."""
_BLACK = (20, 20, 20)
"""What print is dyed with."""
_LETTERS = "0123456789" * 2 + "ABCDEFHKLMNPRSTUaeghknorstu"
"""What one letter is made; mostly a digit."""
_STAMPS = {
    "train": (
        "PAID",
        "VOID",
        "COPY",
        "RECEIVED",
        "URGENT",
        "FINAL",
        "OVERDUE",
        "REVIEWED",
        "30 DAYS",
    ),
    "test": ("CANCELLED", "APPROVED", "REFUNDED", "DUPLICATE", "12 MAR"),
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where something changes."""

    word: Box
    """The print there, pixels of the stretch; empty paper where there is none."""
    high: float
    """Of a line, pixels."""
    split: Split


def change(paper: Paper, place: Place, rng: Random, sort: str = "") -> tuple[str, Paper]:
    """What was changed, more closely, and the paper with it.

    `sort`: pen, hand, stamp, print, lost, other, letter or sign; empty for any.
    """
    sort = sort or rng.choices(list(_CHANGES), [weight for weight, _ in _CHANGES.values()])[0]
    return _CHANGES[sort][1](paper, place, rng)


def _pen(paper: Paper, place: Place, rng: Random) -> tuple[str, Paper]:
    sort, mask = penned(_shape(paper), place.word, place.high, rng)
    return sort, dyed(paper, mask * _pressure(mask, rng, 0.75), ink(rng))


def _hand(paper: Paper, place: Place, rng: Random) -> tuple[str, Paper]:
    """Something written, mostly where something is struck out."""
    colour = ink(rng)
    if rng.random() < 0.5:
        _, mask = penned(_shape(paper), place.word, place.high, rng)
        paper = dyed(paper, mask * _pressure(mask, rng, 0.75), colour)
    sort, mask = written(_shape(paper), place.word, place.high, rng, place.split)
    return sort, dyed(paper, mask * _pressure(mask, rng, 0.75), colour)


def _stamp(paper: Paper, place: Place, rng: Random) -> tuple[str, Paper]:
    """Part of a stamp of any size and turn: letters and a frame, unevenly inked."""
    height, width = _shape(paper)
    size = round(FINE * place.high * rng.uniform(0.9, 5.0))
    style = Style(rng.choice(families(place.split, "sans", "display")), size, rng.random() < 0.7)
    tile = Image.fromarray(_tile(rng.choice(_STAMPS[place.split]), style, rng))
    turned = tile.rotate(rng.uniform(-40, 40), Image.Resampling.BILINEAR, expand=True)
    left, top, right, bottom = (FINE * side for side in place.word)
    x = (left + right) / 2 - turned.width * rng.uniform(0.15, 0.85)
    y = (top + bottom) / 2 - turned.height * rng.uniform(0.15, 0.85)
    image = Image.new("L", (width * FINE, height * FINE), 0)
    image.paste(turned, (round(x), round(y)))
    mask = lowered(np.asarray(image), (height, width))
    return "stamp", dyed(paper, mask * _pressure(mask, rng, 0.4), ink(rng))


def _tile(word: str, style: Style, rng: Random) -> NDArray[np.uint8]:
    left, top, right, bottom = (int(side) for side in style.font(word).getbbox(word))
    pad = round(style.size * rng.uniform(0.15, 0.5))
    tile = Image.new("L", (right - left + 2 * pad, bottom - top + 2 * pad), 0)
    pen = ImageDraw.Draw(tile)
    thick = max(2, round(style.size * rng.uniform(0.03, 0.12)))
    if rng.random() < 0.8:
        frame = (1, 1, tile.width - 2, tile.height - 2)
        pen.rounded_rectangle(frame, rng.choice((0, pad)), outline=255, width=thick)
    pen.text((pad - left, pad - top), word, fill=255, font=style.font(word))
    return np.asarray(tile)


def _print(paper: Paper, place: Place, rng: Random) -> tuple[str, Paper]:
    """Something printed where nothing was."""
    _, top, right, bottom = place.word
    x = min(right + rng.uniform(0.3, 1.0) * place.high, _shape(paper)[1] - 2 * place.high)
    y = (top + bottom) / 2 - place.high * rng.choice((0.5, 0.5, 1.6, -0.6))
    return "print", dyed(paper, _typed(paper, (x, y), place, rng), _BLACK)


def _lost(paper: Paper, place: Place, rng: Random) -> tuple[str, Paper]:
    """A word gone, or part of it."""
    left, top, right, bottom = place.word
    share = rng.choice((1.0, 1.0, rng.uniform(0.3, 1.0)))
    start = left + rng.uniform(0, 1 - share) * (right - left)
    return "lost", bare(paper, (start, top, start + share * (right - left), bottom))


def _other(paper: Paper, place: Place, rng: Random) -> tuple[str, Paper]:
    """Another word where one was."""
    left, top, _, _ = place.word
    blank = bare(paper, place.word)
    return "other", dyed(blank, _typed(paper, (left, top), place, rng), _BLACK)


def _letter(paper: Paper, place: Place, rng: Random) -> tuple[str, Paper]:
    """One letter of a word another one, as large as the word's are, or gone."""
    left, top, right, bottom = place.word
    wide = min(rng.uniform(0.45, 0.8) * (bottom - top), right - left)
    start = left + rng.uniform(0, right - left - wide)
    blank = bare(paper, (start, top, start + wide, bottom))
    if rng.random() < 0.15:
        return "letter", blank
    return "letter", dyed(
        blank, _set((start, top, start + wide, bottom), paper, place, rng), _BLACK
    )


def _sign(paper: Paper, place: Place, rng: Random) -> tuple[str, Paper]:
    """A sign, a point or a letter before a word or behind it, or a point between its letters."""
    left, top, right, bottom = place.word
    high = bottom - top
    apart, wide = rng.uniform(0.03, 0.3) * high, rng.uniform(0.3, 0.6) * high
    before = (left - apart - wide, top, left - apart, bottom)
    behind = (right + apart, top, right + apart + wide, bottom)
    if rng.random() < 0.3:
        where = rng.choice((before, behind))
        return "sign", dyed(paper, _set(where, paper, place, rng), _BLACK)
    thick = rng.uniform(0.06, 0.16) * high
    if rng.random() < 0.7:
        middle = top + rng.uniform(0.4, 0.65) * high
        x = rng.choice((before, before, behind))[0]
        dash = (x, middle, x + wide, middle + thick)
    else:
        x = rng.choice((before[2] - thick, behind[0], rng.uniform(left, right)))
        dash = (x, bottom - 1.3 * thick, x + 1.3 * thick, bottom)
    return "sign", dyed(paper, _filled(dash, paper, rng), _BLACK)


_CHANGES: dict[str, tuple[float, Callable[[Paper, Place, Random], tuple[str, Paper]]]] = {
    "pen": (5.5, _pen),
    "hand": (3.0, _hand),
    "stamp": (2.0, _stamp),
    "print": (0.8, _print),
    "lost": (1.0, _lost),
    "other": (0.8, _other),
    "letter": (1.6, _letter),
    "sign": (1.6, _sign),
}


def dyed(paper: Paper, mask: Mask, colour: Sequence[float]) -> Paper:
    """Ink darkens what is there, as much as the mask says and as its colour lets through."""
    share = mask[..., None]
    let = np.asarray(colour, np.float32) / np.float32(255)
    return np.asarray(paper * (1 - share + share * let), np.float32)


def bare(paper: Paper, about: Box) -> Paper:
    """The paper without the print in a box: what lies around it is carried over it."""
    left, top, right, bottom = (round(side) for side in about)
    mask = np.zeros(_shape(paper), np.uint8)
    mask[max(top - 1, 0) : max(bottom + 2, 0), max(left - 1, 0) : max(right + 2, 0)] = 1
    if not mask.any() or mask.all():
        return paper
    small = cv2.inpaint(np.clip(paper, 0, 255).astype(np.uint8), mask, 3, cv2.INPAINT_TELEA)
    soft = cv2.GaussianBlur(mask.astype(np.float32), (0, 0), 0.8)[..., None]
    return np.asarray(paper * (1 - soft) + small * soft, np.float32)


def ink(rng: Random) -> tuple[float, float, float]:
    """Of a pen or a pad: one that has a name, or any dark one."""
    if rng.random() < 0.5:
        return rng.choice(list(INKS.values()))
    light = rng.uniform(0.1, 0.75)
    red, green, blue = colorsys.hsv_to_rgb(rng.random(), rng.uniform(0, 1), light)
    return 255 * red, 255 * green, 255 * blue


def _typed(paper: Paper, at: tuple[float, float], place: Place, rng: Random) -> Mask:
    height, width = _shape(paper)
    size = max(6, round(FINE * place.high * rng.uniform(0.55, 0.8)))
    style = Style(rng.choice(families(place.split, "sans", "serif", "mono")), size)
    text = "".join(rng.choice("0123456789.,-/ABCEHKTaenrst") for _ in range(rng.randint(1, 12)))
    image = Image.new("L", (width * FINE, height * FINE), 0)
    where = FINE * at[0], FINE * at[1]
    ImageDraw.Draw(image).text(where, text, fill=rng.randint(150, 255), font=style.font(text))
    return lowered(np.asarray(image), (height, width))


def _set(about: Box, paper: Paper, place: Place, rng: Random) -> Mask:
    """One letter that stands in a box, on its floor."""
    left, top, right, bottom = (FINE * side for side in about)
    text = rng.choice(_LETTERS)
    style = Style(
        rng.choice(families(place.split, "sans", "serif", "mono")), 64, rng.random() < 0.3
    )
    font = style.font(text)
    sides = [int(side) for side in font.getbbox(text)]
    tile = Image.new("L", (sides[2] - sides[0], sides[3] - sides[1]), 0)
    ImageDraw.Draw(tile).text((-sides[0], -sides[1]), text, fill=255, font=font)
    high = (bottom - top) * rng.uniform(0.7, 1.0)
    wide = min(right - left, high * tile.width / tile.height)
    sized = tile.resize((max(2, round(wide)), max(2, round(high))), Image.Resampling.BILINEAR)
    height, width = _shape(paper)
    image = Image.new("L", (width * FINE, height * FINE), 0)
    image.paste(sized, (round((left + right - wide) / 2), round(bottom - high)))
    return lowered(np.asarray(image), (height, width)) * np.float32(rng.uniform(0.6, 1.0))


def _filled(about: Box, paper: Paper, rng: Random) -> Mask:
    """All of a box."""
    height, width = _shape(paper)
    image = Image.new("L", (width * FINE, height * FINE), 0)
    left, top, right, bottom = (FINE * side for side in about)
    ImageDraw.Draw(image).rectangle(
        (left, top, max(right, left + 1), max(bottom, top + 1)), fill=255
    )
    return lowered(np.asarray(image), (height, width)) * np.float32(rng.uniform(0.6, 1.0))


def _pressure(mask: Mask, rng: Random, least: float) -> Mask:
    """How much ink each place has got: patchy, and less than all of it."""
    noise = np.random.default_rng(rng.getrandbits(32))
    rows, columns = (max(2, round(side / rng.uniform(6, 30))) for side in mask.shape)
    patches = noise.uniform(least, 1.0, (rows, columns)).astype(np.float32)
    whole = cv2.resize(patches, mask.shape[::-1], interpolation=cv2.INTER_LINEAR)
    return np.asarray(whole * np.float32(rng.uniform(0.6, 1.0)), np.float32)


def _shape(paper: Paper) -> tuple[int, int]:
    height, width = paper.shape[:2]
    return height, width
