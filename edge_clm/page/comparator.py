"""The network that compares two looks at one place of a page: where has one a mark that the other has not?

Features of both looks, each cell of the one laid over the cell near it in the other that it is likest to, as
in A. Dosovitskiy et al., FlowNet: Learning Optical Flow with Convolutional Networks, 2015; done both ways, so
that ink that is lost is found as well as ink that is added.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional

CELL = 8
"""Pixels a side of what one value of the map says."""
_AROUND = 9
"""Squares of four pixels a side of the surroundings that light is told from ink by."""
_DARK = 8.0
"""Grey levels below which a colour is noise."""
_FAINT = 0.03
"""Contrast below which print is noise."""
_REACH = 2
"""By how many squares of four pixels the paper may have moved."""


class Comparator(nn.Module):
    """Fully convolutional: any size of stretch, at any scale that it was trained at."""

    def __init__(self, width: int = 32, inner: int = 48) -> None:
        super().__init__()
        self.eye = nn.Sequential(
            _layer(4, 24, 3, 2), _layer(24, width, 3, 2), _Block(width), _Block(width)
        )
        self.key = nn.Conv2d(width, 16, 1)
        self.value = nn.Conv2d(width, 20, 1)
        self.sharpness = nn.Parameter(torch.tensor(8.0))
        self.judge = nn.Sequential(
            _layer(width + 2 * 20 + 1, inner, 1, 1),
            _layer(inner, inner, 3, 2),
            _Block(inner),
            nn.Conv2d(inner, 1, 1),
        )

    def forward(self, known: Tensor, seen: Tensor) -> Tensor:
        """float32, (pairs, 3, height, width), 0…255, both; logits, (pairs, ⌈height / 8⌉, ⌈width / 8⌉)."""
        features = self.eye(torch.cat([_even(known), _even(seen)]))
        keys = functional.normalize(self.key(features), dim=1)
        (one, other), (here, there) = features.chunk(2), keys.chunk(2)
        added = self._beyond(other, there, one, here)
        lost = self._beyond(one, here, other, there)
        return torch.maximum(added, lost)[:, 0]

    def _beyond(self, one: Tensor, here: Tensor, other: Tensor, there: Tensor) -> Tensor:
        """Where the one shows what nothing near it in the other explains."""
        known, sought = self.value(other), self.value(one)
        alike = torch.stack([(here * moved).sum(1) for moved in _moved(there)], 1)
        shares = torch.softmax(alike * self.sharpness, 1)
        laid = torch.zeros_like(known)
        for at, moved in enumerate(_moved(known)):
            laid = laid + shares[:, at : at + 1] * moved
        best = alike.amax(1, keepdim=True)
        judged: Tensor = self.judge(torch.cat([one, laid, (sought - laid).abs(), best], 1))
        return judged


class _Block(nn.Module):
    """Two layers, of which what comes in is added to what comes out."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = _layer(width, width, 3, 1)
        self.second = nn.Sequential(_conv(width, width, 3, 1), nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(x + self.second(self.first(x)))


def _layer(before: int, after: int, side: int, step: int) -> nn.Sequential:
    return nn.Sequential(_conv(before, after, side, step), nn.BatchNorm2d(after), nn.ReLU())


def _conv(before: int, after: int, side: int, step: int) -> nn.Conv2d:
    return nn.Conv2d(before, after, side, step, side // 2, bias=False)


def _even(pixels: Tensor) -> Tensor:
    """Without what light does: each colour against its surroundings, and grey against its contrast there."""
    ratio = torch.log((pixels + _DARK) / (_around(pixels) + _DARK))
    grey = ratio.mean(1, keepdim=True)
    contrast = torch.sqrt(_around(grey**2) + _FAINT**2)
    return torch.cat([2.5 * ratio, 0.7 * grey / contrast], 1)


def _around(values: Tensor) -> Tensor:
    """The mean over the surroundings of each pixel."""
    size, half = values.shape[2:], _AROUND // 2
    small = functional.avg_pool2d(values, 4, ceil_mode=True, count_include_pad=False)
    small = functional.avg_pool2d(small, _AROUND, 1, half, count_include_pad=False)
    return functional.interpolate(small, size, mode="bilinear", align_corners=False)


def _moved(values: Tensor) -> Iterator[Tensor]:
    """The same moved every way that paper may have moved."""
    height, width = values.shape[2:]
    wide = functional.pad(values, (_REACH, _REACH, _REACH, _REACH), mode="replicate")
    for down in range(2 * _REACH + 1):
        for right in range(2 * _REACH + 1):
            yield wide[:, :, down : down + height, right : right + width]
