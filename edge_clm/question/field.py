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
_CHINESE_BEFORE = re.compile(
    r"^(?:请问一下|请问|请告诉我|告诉我|请给出|我想知道|帮我看一下)?"
    r"(?:[这该此本]?[张份个页]?(?:发票|收据|小票|账单|单据|文件|文档|报告|页面|合同|单子)[上里中]?的)?"
)
_CHINESE_AFTER = re.compile(
    r"(?:是多少钱|是多少|是什么时候|是什么|是谁|是哪一天|是哪天|是哪家公司|是哪家|是几号|是几|"
    r"多少钱|多少|在哪里|在哪|呢)$"
)
_WORD = re.compile(r"[\w.'-]*\w")
_ASKING = frozenset(
    [
        "what",
        "what's",
        "which",
        "who",
        "is",
        "are",
        "was",
        "does",
        "do",
        "can",
        "could",
        "would",
        "please",
        "tell",
        "give",
        "read",
        "find",
        "state",
        "show",
        "look",
        "see",
        "say",
        "says",
        "know",
        "need",
        "want",
        "like",
        "i",
        "you",
        "me",
        "we",
        "it",
        "out",
        "up",
        "to",
        "as",
        "the",
        "a",
        "an",
        "of",
        "on",
        "in",
        "for",
        "by",
        "this",
        "that",
        "there",
        "here",
        "printed",
        "shown",
        "stated",
        "given",
        "written",
        "document",
        "page",
        "invoice",
        "receipt",
        "bill",
        "slip",
        "report",
        "sheet",
        "form",
        "ticket",
        "paper",
        "photo",
        "picture",
    ]
)
"""Words of a question that name nothing."""
_ROUND = re.compile(r"^what (?:the )?(.+) (?:is|was|are)$")
"""Please tell me what the total is."""


def asked_field(question: str) -> str:
    """The field's name, as extractions have it; empty where the question is not surely for one."""
    words = suffix_of(question).text.casefold()
    for form in (words, _AFTER.sub("", words)):
        bare = _BEFORE.sub("", form)
        chinese = _CHINESE_BEFORE.sub("", form)
        short = _CHINESE_AFTER.sub("", chinese)
        for asked in (form, bare, _ROUND.sub(r"\1", bare), chinese, short):
            if name := _names().get(asked):
                return name
    return ""


def likely_field(question: str) -> str:
    """The field that a question is likely for: a guess that may lead the model and prove nothing.

    What `asked_field` says; else the field whose wording stands in the question among words that only ask.
    The longest wording counts.
    """
    if name := asked_field(question):
        return name
    words = _WORD.findall(suffix_of(question).text.casefold())
    for length in range(len(words), 0, -1):
        for start in range(len(words) - length + 1):
            name = _names().get(" ".join(words[start : start + length]), "")
            if name and _ASKING.issuperset(words[:start] + words[start + length :]):
                return name
    return ""


@cache
def _names() -> dict[str, str]:
    """Every wording, and the field it stands for."""
    text = files("edge_clm.question").joinpath("fields.toml").read_text(encoding="utf-8")
    return {form: name for name, forms in tomllib.loads(text).items() for form in forms}
