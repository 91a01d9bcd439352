"""Which field of a document a question asks for, where its wording leaves no doubt."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

from edge_clm.question.suffix import suffix_of

_BEFORE = re.compile(
    r"^(?:please )?(?:(?:can you )?(?:tell me|give me|read|find) )?"
    r"(?:(?:what|which|who)(?:'s| is| are| was) )?(?:the )?"
)
_AFTER = re.compile(
    r"(?: (?:printed |shown |stated |given )?(?:of|on|in|for) (?:this|the) "
    r"(?:page|document|invoice|receipt|bill|report|contract|paper|picture|image|photo))$"
)
_ROUND = re.compile(r"^what (?:the )?(.+) (?:is|was|are)$")
"""Please tell me what the total is."""


def asked_field(question: str) -> str:
    """The field's name, as extractions have it; empty where the question is not surely for one."""
    words = suffix_of(question).text.casefold()
    for form in (words, _AFTER.sub("", words)):
        bare = _BEFORE.sub("", form)
        for asked in (form, bare, _ROUND.sub(r"\1", bare)):
            if name := _names().get(asked):
                return name
    return ""


@cache
def _names() -> dict[str, str]:
    """Every wording, and the field it stands for."""
    text = files("edge_clm.question").joinpath("fields.toml").read_text(encoding="utf-8")
    return {form: name for name, forms in tomllib.loads(text).items() for form in forms}
