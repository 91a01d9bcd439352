"""Accounts of the last answers: how each came about and why it was not come by more cheaply."""

from __future__ import annotations

import itertools
import time
from collections import OrderedDict
from dataclasses import dataclass

from edge_clm.errors import AccountUnknown
from edge_clm.server.call import Call
from edge_clm.types import Answer, Reason, ServeMode, Stage

_MOST = 2000
"""Answers that are remembered, the last; none outlives the daemon."""


@dataclass(frozen=True, slots=True)
class Account:
    """How an answer came about; nothing of page, question or answer is in it."""

    request_id: str
    tenant: str
    method: str
    given: float
    """Unix seconds."""
    answer_id: str
    mode: ServeMode
    stages: tuple[Stage, ...]
    reasons: tuple[Reason, ...]


class Accounts:
    """Remembers the last answers by the request's id and by their own."""

    def __init__(self) -> None:
        self._numbers = itertools.count()
        self._kept: OrderedDict[int, Account] = OrderedDict()
        self._latest: dict[str, int] = {}
        """The last account of each request's id and of each answer's. Callers choose the former: two may choose one."""

    def add(self, call: Call, answer: Answer) -> None:
        """Remembers an answer that is given now; of those with one id the last."""
        about = (call.request_id, call.tenant, call.method.rpartition("/")[2], time.time())
        account = Account(*about, answer.id, answer.mode, answer.stages, answer.reasons)
        number = next(self._numbers)
        self._kept[number] = account
        self._latest |= dict.fromkeys(_ids(account), number)
        while len(self._kept) > _MOST:
            oldest, gone = self._kept.popitem(last=False)
            for name in _ids(gone):
                if self._latest.get(name) == oldest:
                    del self._latest[name]

    def of(self, name: str) -> Account:
        """The account of that request, or of the last request that was given that answer.

        Raises AccountUnknown.
        """
        if name not in self._latest:
            raise AccountUnknown("no account of that answer is kept", field="id")
        return self._kept[self._latest[name]]


def _ids(account: Account) -> set[str]:
    return {account.request_id, account.answer_id} - {""}
