"""How likely a string is on a line of print, against every string that is one edit away.

From the recogniser's probabilities by step, with the forward and backward sums of CTC: A. Graves et al.,
Connectionist Temporal Classification, 2006. All rivals share those sums, so that together they cost
little more than the string itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Log = NDArray[np.float64]
_NEVER = -1e30
"""Log of a probability that is none; finite, so that sums of it stay quiet."""
_LEAST = 1e-12
"""Probabilities are taken for at least that: no recogniser is surer."""


class Edit(StrEnum):
    """What makes a rival of a string."""

    CHANGED = "changed"
    LOST = "lost"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Odds:
    """A string against its likeliest rival."""

    string: float
    """Natural log of its probability."""
    rival: float
    """That of the likeliest string one edit away."""
    edit: Edit
    at: int
    """Where the rival differs: an index of the string, or its length for something added at the end."""
    other: int
    """The class that stands there in the rival; 0 where something is lost."""

    @property
    def ratio(self) -> float:
        """By how many nats the string is likelier than its rival; negative where the rival is."""
        return self.string - self.rival


def odds(
    probabilities: NDArray[np.float32],
    string: Sequence[int],
    rivals: Sequence[int],
    within: tuple[int, int] | None = None,
) -> Odds:
    """The odds of a string of classes, none of them the blank 0.

    `probabilities`: (steps, classes), rows sum to 1. `rivals`: the classes that may stand in a rival.
    `within`: from which label to before which one a rival may differ; None for all of them.
    Raises ValueError for an empty string, and where there is nothing within.
    """
    first, last = within or (0, len(string))
    if not 0 <= first < last <= len(string):
        raise ValueError("an empty string has no odds")
    log = np.log(np.maximum(probabilities.astype(np.float64), _LEAST))
    sums = _Sums.of(log, np.asarray(string, np.int64))
    others = np.asarray(rivals, np.int64)
    labels, gaps = np.arange(first, last), np.arange(first, last + 1)
    found = [sums.changed(others, labels), sums.added(others, gaps), sums.lost(labels)]
    rival, edit, at, other = max(found, key=lambda one: one[0])
    return Odds(sums.whole, rival, edit, at, other)


_Rival = tuple[float, Edit, int, int]


@dataclass(frozen=True, slots=True)
class _Sums:
    """Forward and backward sums of one string; blank `i` stands before its label `i`."""

    log: Log
    string: NDArray[np.int64]
    blank_before: Log
    """(steps, labels + 1): all ways to stand in a blank after a step."""
    label_before: Log
    """(steps, labels): all ways to stand in a label after a step."""
    blank_after: Log
    """(steps + 1, labels + 1): all ways to the end from a blank that is entered at a step."""
    label_after: Log
    """(steps + 1, labels + 1): likewise from a label; past the last one there is none."""

    @classmethod
    def of(cls, log: Log, string: NDArray[np.int64]) -> _Sums:
        steps, count = len(log), len(string)
        same = np.zeros(count, bool)
        same[1:] = string[1:] == string[:-1]
        before = _forward(log, string, same)
        # From the end: the string reversed, its blanks in reverse as well.
        back = np.zeros(count, bool)
        back[1:] = same[1:][::-1]
        blank, label = _forward(log[::-1], string[::-1], back)
        blank_after = np.full((steps + 1, count + 1), _NEVER)
        label_after = np.full((steps + 1, count + 1), _NEVER)
        blank_after[:steps] = blank[::-1, ::-1]
        label_after[:steps, :count] = label[::-1, ::-1]
        return cls(log, string, *before, blank_after, label_after)

    @property
    def whole(self) -> float:
        return float(np.logaddexp(self.blank_before[-1, -1], self.label_before[-1, -1]))

    def changed(self, rivals: NDArray[np.int64], labels: NDArray[np.int64]) -> _Rival:
        """Another class in the place of one of some labels."""
        told = self._through(rivals, labels, self._after(rivals, labels + 1), len(self.string) - 1)
        told[self.string[labels, None] == rivals[None, :]] = _NEVER
        return _best(told, Edit.CHANGED, labels, rivals)

    def added(self, rivals: NDArray[np.int64], gaps: NDArray[np.int64]) -> _Rival:
        """A class before a label, or at the end."""
        told = self._through(rivals, gaps, self._after(rivals, gaps), len(self.string))
        return _best(told, Edit.ADDED, gaps, rivals)

    def lost(self, labels: NDArray[np.int64]) -> _Rival:
        """One of some labels gone; of a string of one label nothing would be left but blanks."""
        count = len(self.string)
        told = np.full(count, -np.inf)
        for at in labels:
            into = self.blank_before[:, at]
            label = self.label_before[:, at - 1] if at else np.full(len(self.log), _NEVER)
            if at == count - 1:
                told[at] = np.logaddexp(into[-1], label[-1])
                continue
            if at and self.string[at - 1] == self.string[at + 1]:
                label = np.full(len(self.log), _NEVER)
            onward = self.label_after[1:, at + 1]
            told[at] = np.logaddexp.reduce(np.logaddexp(into, label) + onward)
            if not at:
                # The string may begin with its second label at once.
                told[at] = np.logaddexp(told[at], self.label_after[0, 1])
        at = int(told.argmax())
        return float(told[at]), Edit.LOST, at, 0

    def _after(self, rivals: NDArray[np.int64], places: NDArray[np.int64]) -> Log:
        """(steps + 1, places, rivals): ways to the end once a rival before label `place` has been left."""
        following = np.append(self.string, 0)[places]
        label = np.where(
            following[:, None] == rivals[None, :], _NEVER, self.label_after[:, places, None]
        )
        return np.asarray(np.logaddexp(self.blank_after[:, places, None], label))

    def _through(
        self, rivals: NDArray[np.int64], places: NDArray[np.int64], after: Log, end: int
    ) -> Log:
        """(places, rivals): all ways through a rival that is entered where label `place` would be.

        `end`: the place of a rival after which nothing follows.
        """
        previous = np.concatenate([[0], self.string])[places]
        apart = previous[:, None] != rivals[None, :]
        label = np.concatenate([np.full((len(self.log), 1), _NEVER), self.label_before], axis=1)
        inside = np.full((len(places), len(rivals)), _NEVER)
        whole = np.full((len(places), len(rivals)), _NEVER)
        for step, log in enumerate(self.log):
            if step:
                entered = np.where(apart, label[step - 1, places, None], _NEVER)
                entered = np.logaddexp(entered, self.blank_before[step - 1, places, None])
            else:
                # At the first step only the first label may be entered.
                entered = np.where(places[:, None] == 0, 0.0, _NEVER) + np.zeros_like(inside)
            inside = np.logaddexp(inside, entered) + log[rivals]
            onward = after[step + 1]
            if step == len(self.log) - 1:
                onward = np.where(places[:, None] == end, 0.0, _NEVER) + np.zeros_like(inside)
            whole = np.logaddexp(whole, inside + onward)
        return whole


def _best(told: Log, edit: Edit, places: NDArray[np.int64], rivals: NDArray[np.int64]) -> _Rival:
    at, other = np.unravel_index(int(told.argmax()), told.shape)
    return float(told[at, other]), edit, int(places[at]), int(rivals[other])


def _forward(log: Log, string: NDArray[np.int64], same: NDArray[np.bool_]) -> tuple[Log, Log]:
    """All ways to stand in each blank, (steps, labels + 1), and in each label, (steps, labels), after a step.

    `same`: for each label whether it equals the one before, so that a blank must part them.
    """
    steps, count = len(log), len(string)
    blank = np.full((steps, count + 1), _NEVER)
    label = np.full((steps, count), _NEVER)
    blank[0, 0], label[0, 0] = log[0, 0], log[0, string[0]]
    for step in range(1, steps):
        was_blank, was_label = blank[step - 1], label[step - 1]
        into = was_blank.copy()
        into[1:] = np.logaddexp(into[1:], was_label)
        blank[step] = into + log[step, 0]
        skipped = np.full(count, _NEVER)
        skipped[1:] = np.where(same[1:], _NEVER, was_label[:-1])
        entered = np.logaddexp(np.logaddexp(was_label, was_blank[:-1]), skipped)
        label[step] = entered + log[step, string]
    return blank, label
