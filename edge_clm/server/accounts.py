"""Accounts of the last answers: how each came about and why it was not come by more cheaply."""

from __future__ import annotations

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
        self._by_request: OrderedDict[str, Account] = OrderedDict()
        self._latest: dict[str, str] = {}

    def add(self, call: Call, answer: Answer) -> None:
        """Remembers an answer that is given now; of those with one id the last."""
        about = (call.request_id, call.tenant, call.method.rpartition("/")[2], time.time())
        account = Account(*about, answer.id, answer.mode, answer.stages, answer.reasons)
        self._by_request[call.request_id] = account
        self._by_request.move_to_end(call.request_id)
        if answer.id:
            self._latest[answer.id] = call.request_id
        while len(self._by_request) > _MOST:
            _, old = self._by_request.popitem(last=False)
            if self._latest.get(old.answer_id) == old.request_id:
                del self._latest[old.answer_id]

    def of(self, name: str) -> Account:
        """The account of that request, or of the last request that was given that answer.

        Raises AccountUnknown.
        """
        account = self._by_request.get(self._latest.get(name, name))
        if account is None:
            raise AccountUnknown("no account of that answer is kept", field="id")
        return account
