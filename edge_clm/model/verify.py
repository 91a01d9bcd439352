"""Drafts verified: what was answered before is not decoded again but checked, many tokens in one pass.

After Y. Leviathan, M. Kalman and Y. Matias, Fast Inference from Transformers via Speculative Decoding, 2023,
with an answer from memory where they have a smaller model. A token is accepted where the model, asked this
question, would have chosen it, and nowhere else: a wrong draft costs time, never truth. Where two tokens are all but
equally likely, which many tokens in one pass may round otherwise than one after another, the answer is decoded from its
start as it would have been without a draft: then nothing differs, and the draft has saved nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

import torch

from edge_clm.errors import Cancelled
from edge_clm.types import Drafted, Stop

_TAIL = 2
"""Tokens said in a row that must stand in the draft for it to be taken up again behind them."""
_MISFIRES = 3
"""Proposals in a row of which nothing is accepted, after which the draft is let go."""
_MARGINS = {torch.float32: 1e-3}
_MARGIN = 0.25
"""By how much the likeliest token's logit must exceed the next one's for a pass over many tokens to decide between
them, in float32 and in lower precision: there such a pass rounds otherwise than one over a single token."""
_MOST = 128
"""Tokens proposed at once: what goes through the model in one pass cannot be stopped."""


class Forward(Protocol):
    """Forward passes of one request."""

    def __call__(self, ids: Sequence[int], keep: int = 1) -> torch.Tensor:
        """Logits, (keep, vocabulary), for what follows each of the last `keep` of these tokens."""
        ...

    def forget(self, count: int) -> None:
        """Takes the last `count` tokens back."""
        ...


class Proposals:
    """A stored answer's tokens, of which some may come next."""

    def __init__(self, tokens: Sequence[int]) -> None:
        self._tokens = tuple(tokens)
        self._next = 0
        self._misfires = 0
        self._accepted = 0
        self._hit: bool | None = None
        """Whether any of the tokens proposed last was accepted; None where that says nothing."""

    @property
    def drafted(self) -> Drafted | None:
        """What became of it; None where there was nothing to propose."""
        if not self._tokens:
            return None
        return Drafted(self._accepted, len(self._tokens) - self._accepted)

    def propose(self, said: Sequence[int], room: int) -> tuple[int, ...]:
        """The tokens that may follow those said, at most `room`.

        At first, and while the answer follows the draft, what comes next in it; once it has left the draft,
        what comes behind the place where it has joined it again.
        """
        if self._hit is not None:
            self._misfires = 0 if self._hit else self._misfires + 1
        self._hit = None
        place = self._place(said) if self._misfires < _MISFIRES else None
        if place is None:
            return ()
        self._next = place
        proposed = self._tokens[place:][: max(0, min(room, _MOST))]
        self._hit = False if proposed else None
        return proposed

    def accept(self) -> None:
        """The next of the tokens proposed is what the model says."""
        self._accepted += 1
        self._next += 1
        self._hit = True

    def let_go(self) -> None:
        """Proposes nothing more."""
        self._misfires, self._hit = _MISFIRES, None

    def _place(self, said: Sequence[int]) -> int | None:
        """Where in the draft the answer goes on, as far as can be told."""
        if not said:
            return 0
        if self._tokens[self._next : self._next + 1] == (said[-1],):
            # Said behind all that was proposed, or decoded singly: the model's own word all the same.
            self._accepted += 1
            return self._next + 1
        tail = tuple(said[-_TAIL:])
        for end in range(max(self._next + 1, _TAIL), len(self._tokens)):
            if self._tokens[end - _TAIL : end] == tail:
                return end
        return None


class Speech:
    """The tokens of one greedy or sampled answer, one after another, those of a draft checked together."""

    def __init__(
        self,
        forward: Forward,
        choose: Callable[[torch.Tensor], int],
        question: Sequence[int],
        proposals: Proposals,
        most: int,
        stop: Stop,
    ) -> None:
        """`question`: its tokens that have not gone through the model, at least one; `most`: of the answer.

        `stop` is asked before each pass over what was said before.
        """
        self._forward = forward
        self._choose = choose
        self._new = list(question)
        self._proposals = proposals
        self._most = most
        self._stop = stop
        self._question = tuple(question)
        self._fed = 0
        self._as_without = True
        """Whether all that has gone through the model did so as it would have without a draft."""
        self._said: list[int] = []
        self._rows: deque[torch.Tensor] = deque()
        self._ahead: deque[int] = deque()

    def next(self) -> int:
        """The next token, end markers among them; raises Cancelled where nobody waits for a second start."""
        if not self._rows:
            self._pass()
        if not self._as_without and _is_near_tie(self._rows[0]):
            self._start_over()
        token = self._choose(self._rows.popleft())
        if self._ahead and token == self._ahead[0]:
            self._ahead.popleft()
            self._proposals.accept()
        else:
            self._leave()
        self._said.append(token)
        self._new = [token]
        return token

    def _pass(self) -> None:
        proposed = self._proposals.propose(self._said, self._most - len(self._said))
        self._ahead = deque(proposed)
        self._as_without = self._as_without and not proposed
        logits = self._feed([*self._new, *proposed], 1 + len(proposed))
        self._rows = deque(logits[at : at + 1] for at in range(len(logits)))

    def _start_over(self) -> None:
        """Two tokens are too near a tie for what was rounded otherwise to decide between them: all that was said
        goes through once more, as it would have without a draft, and so does what follows."""
        self._proposals.let_go()
        self._ahead.clear()
        self._forget(self._fed)
        row = self._feed(self._question)
        for token in self._said:
            if self._stop():
                raise Cancelled("nobody waits for the answer any more")
            row = self._feed([token])
        self._rows = deque([row])
        self._as_without = True

    def _leave(self) -> None:
        """The answer goes another way than what was proposed."""
        if self._ahead:
            self._forget(len(self._ahead))
            self._ahead.clear()
        self._rows.clear()

    def _feed(self, ids: Sequence[int], keep: int = 1) -> torch.Tensor:
        self._fed += len(ids)
        return self._forward(ids, keep)

    def _forget(self, count: int) -> None:
        self._fed -= count
        self._forward.forget(count)


def _is_near_tie(row: torch.Tensor) -> bool:
    best, next_ = row.float().topk(2).values[0].tolist()
    return bool(best - next_ < _MARGINS.get(row.dtype, _MARGIN))
