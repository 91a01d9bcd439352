"""Whether a new capture shows a known page, as far as a wanted answer needs to know."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from edge_clm.page.align import aligned
from edge_clm.page.anchor import Anchor
from edge_clm.page.geometry import Ribbon, as_quad, crop
from edge_clm.page.identity import claims_at, whole_lines
from edge_clm.page.keypoints import Keypoints, keypoints_of
from edge_clm.page.landmarks import NO_LANDMARKS, Landmarks, landmarks
from edge_clm.page.look import Look
from edge_clm.page.looking import before, far, near
from edge_clm.page.prove import LOOKS, Claim, Proof, prove
from edge_clm.page.register import register
from edge_clm.page.rule import Signals, Thresholds
from edge_clm.page.symbols import Symbols
from edge_clm.paper import PageText, Quad
from edge_clm.ports import TextReader
from edge_clm.types import Pixels

_SAMPLE = 10
"""Lines that stand for the words of a page."""
_GLANCE = 1
"""Looks at each of them: of ten lines a few are enough, and each look costs as much as a value's."""
_LEGIBLE = 3
"""Letters and digits of a line that says something about the page."""
_THERE = 0.5
"""Likeness to the known line from which on a place is taken to be that of the line."""
_NONE = -99.0
"""Ratio of what is needed and cannot be compared."""
_NOTHING = 99.0
"""Ratio where there is nothing to be compared."""


class Judge:
    """Compares captures with known pages. Not thread-safe: one comparison at a time."""

    def __init__(self, reader: TextReader, look: Look) -> None:
        self._reader = reader
        self._look = look
        self._symbols = Symbols(reader.alphabet)

    def compare(
        self,
        anchor: Anchor,
        capture: Pixels,
        text: PageText | None = None,
        keypoints: Keypoints | None = None,
    ) -> Comparison:
        """Finds a known page on the canonical pixels of a capture, which may lie any way.

        `text`: what was read of the capture, where it was: its words tell where paper is bent most.
        `keypoints`: the capture's, where they were made before.
        """
        marks = landmarks(anchor.text, text) if text else NO_LANDMARKS
        place = (marks, keypoints)
        return Comparison(anchor, capture, place, self._reader, self._symbols, self._look)


class Comparison:
    """A known page and a new capture; proves what is asked for, and nothing twice."""

    def __init__(
        self,
        anchor: Anchor,
        capture: Pixels,
        place: tuple[Landmarks, Keypoints | None],
        reader: TextReader,
        symbols: Symbols,
        look: Look,
    ) -> None:
        self.stages: dict[str, float] = {}
        """Milliseconds by stage, so far."""
        self._anchor = anchor
        self._capture = capture
        self._reader = reader
        self._symbols = symbols
        self._look = look
        self._places: dict[int, tuple[Ribbon, float]] = {}
        self._proofs: dict[tuple[Claim, int], Proof] = {}
        self._marks: dict[Claim, float] = {}
        self._signs: dict[Claim, float] = {}
        with self._timed("register"):
            marks, keypoints = place
            self._registration = register(
                anchor.keypoints, keypoints or keypoints_of(capture), marks
            )

    def signals(self, evidence: Sequence[Quad] | None, needed: Thresholds | None = None) -> Signals:
        """What the capture tells of the page and of an answer that rests on boxes of the anchor.

        None for an answer about the whole page, which rests on every line; with no box at all the page
        alone is asked for. `needed`: thresholds that nothing more is worth looking for below; what was not
        looked for then speaks neither for nor against the page.
        """
        anchor = self._anchor
        if self._registration is None:
            return Signals(
                0,
                ",".join(anchor.identity.fields),
                _NONE,
                _NOTHING,
                _NONE,
                0,
                0,
                0,
                0,
                evidence is None,
            )
        wanted = self._whole if evidence is None else claims_at(anchor.text, evidence)
        naming = self._proven(anchor.identity.naming)
        if needed and _least(naming, _NONE) < needed.naming:
            return self._unnamed(_least(naming, _NONE), whole=evidence is None)
        others = [one for one in self._proven(anchor.identity.others) if self._is_there(one)]
        words = self._proven(self._sample, _GLANCE)
        return Signals(
            matches=len(self._registration.points),
            names=",".join(anchor.identity.fields),
            naming=_least(naming, _NONE),
            others=_least(others, _NOTHING),
            evidence=_least(self._proven(wanted), _NONE if evidence is None else _NOTHING),
            words=float(np.mean([one.ratio > 0 for one in words])) if words else 0.0,
            near=self._most(self._marks, (*anchor.identity.naming, *wanted), self._marked, _NONE),
            sign=self._most(self._signs, wanted, self._signed, 0.0),
            far=self._far if evidence is None else 0.0,
            whole=evidence is None,
        )

    def _unnamed(self, naming: float, *, whole: bool) -> Signals:
        """What is told where the page is not the known one for want of its name."""
        matches = len(self._registration.points) if self._registration else 0
        names = ",".join(self._anchor.identity.fields)
        nothing = (_NOTHING, _NOTHING, 1.0, _NONE, 0.0, _NONE)
        return Signals(matches, names, naming, *nothing, whole)

    def found(self, quads: Sequence[Quad]) -> tuple[Quad, ...]:
        """Where boxes of the known page lie on the capture, in its canonical pixels, as they were proven there.

        None where the page was not found.
        """
        if self._registration is None or not quads:
            return ()
        corners = np.array(quads, np.float64).reshape(-1, 2)
        placed = self._registration.places(corners).astype(np.float32).reshape(-1, 4, 2)
        moved = [self._moved(claim.line) for claim in claims_at(self._anchor.text, quads)]
        return tuple(as_quad(points + by) for points, by in zip(placed, moved, strict=True))

    def _moved(self, line: int) -> NDArray[np.float32]:
        """By how much a line lies off where the page's registration has it: (2,), pixels."""
        if line < 0 or self._registration is None:
            return np.zeros(2, np.float32)
        expected = self._registration.ribbon(self._anchor.text.lines[line].quad)
        by = (self._place(line)[0] - expected).mean(axis=(0, 1))
        return np.asarray(by, np.float32)

    @property
    def turn(self) -> int:
        """Degrees clockwise, a quarter or none, that set the page upright on the capture; 0 where it was
        not found."""
        if self._registration is None:
            return 0
        known = self._anchor.keypoints
        ends = np.array([[0.25, 0.5], [0.75, 0.5]]) * (known.width, known.height)
        left, right = self._registration.places(ends)
        leads = np.degrees(np.arctan2(*(right - left)[::-1]))
        return round(-float(leads) / 90) * 90 % 360

    def _most(
        self,
        kept: dict[Claim, float],
        claims: Sequence[Claim],
        measure: Callable[[Claim], float],
        without: float,
    ) -> float:
        """The most that looking at some values tells; none is looked at twice."""
        with self._timed("look"):
            for claim in claims:
                if claim not in kept:
                    kept[claim] = measure(claim)
        return max((kept[claim] for claim in claims), default=without)

    def _signed(self, claim: Claim) -> float:
        """How much ink was added before a value that is a number."""
        if claim.line < 0 or self._registration is None:
            return 0.0
        return before(self._anchor, self._capture, self._registration, claim)

    def _marked(self, claim: Claim) -> float:
        """The log odds of a mark beside a value."""
        if claim.line < 0 or self._registration is None:
            return _NOTHING
        return near(self._look, self._anchor, self._capture, self._registration, claim)

    @cached_property
    def _far(self) -> float:
        """The log odds of a mark anywhere on the page."""
        if self._registration is None:
            return _NOTHING
        with self._timed("look_over"):
            return far(self._look, self._anchor, self._capture, self._registration)

    def lines(self) -> tuple[tuple[Quad, Ribbon, float], ...]:
        """Each line of the page: where it lies there and on the capture, and its ratio in nats.

        None where the page was not found.
        """
        if self._registration is None:
            return ()
        places = [line.quad for line in self._anchor.text.lines]
        return tuple(
            (quad, self._place(at)[0], proof.ratio)
            for at, (quad, proof) in enumerate(zip(places, self._proven(self._whole), strict=True))
        )

    def _proven(self, claims: Sequence[Claim], looks: int = LOOKS) -> list[Proof]:
        """The proofs of claims, in order; only those that were not asked before cost anything."""
        new = [claim for claim in dict.fromkeys(claims) if (claim, looks) not in self._proofs]
        proofs = [Proof(claim, None) for claim in new if claim.line < 0]
        with self._timed("prove"):
            placed = [(claim, self._place(claim.line)[0]) for claim in new if claim.line >= 0]
            proofs += prove(placed, self._capture, self._reader.recognise, self._symbols, looks)
        self._proofs |= {(one.claim, looks): one for one in proofs}
        return [self._proofs[claim, looks] for claim in claims]

    def _place(self, line: int) -> tuple[Ribbon, float]:
        """Where a line of the page lies on the capture, and how alike it looks there."""
        if line not in self._places and self._registration is not None:
            quad = self._anchor.text.lines[line].quad
            expected = self._registration.ribbon(quad)
            known = crop(self._anchor.picture, quad)
            self._places[line] = aligned(known, self._capture, expected)
        return self._places[line]

    def _is_there(self, proof: Proof) -> bool:
        return self._place(proof.claim.line)[1] >= _THERE

    @cached_property
    def _whole(self) -> tuple[Claim, ...]:
        return whole_lines(self._anchor.text, range(len(self._anchor.text.lines)))

    @cached_property
    def _sample(self) -> tuple[Claim, ...]:
        """Lines spread over the page."""
        lines = [
            at
            for at, line in enumerate(self._anchor.text.lines)
            if sum(char.isalnum() for char in line.text) >= _LEGIBLE
        ]
        step = max(len(lines) / _SAMPLE, 1.0)
        picked = [lines[int(at * step)] for at in range(min(_SAMPLE, len(lines)))]
        return whole_lines(self._anchor.text, picked)

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        spent = 1000 * (time.perf_counter() - started)
        self.stages[stage] = self.stages.get(stage, 0.0) + spent


def _least(proofs: Iterable[Proof], without: float) -> float:
    return min((one.ratio for one in proofs), default=without)
