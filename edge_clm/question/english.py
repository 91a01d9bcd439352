"""A question in another script, put to a model that reads only English, and the answer put back.

Only a question that is surely for a field is put in other words; anything else goes as it is.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

from edge_clm.question.field import asked_field
from edge_clm.types import Outcome

_HAN = re.compile(r"[㐀-䶿一-鿿]")
_SAID_IN_CHINESE = {
    Outcome.NOT_ON_PAGE: "页面上没有。",
    Outcome.UNREADABLE: "无法辨认。",
}


def is_chinese(question: str) -> bool:
    """Whether any of a question is in Chinese characters."""
    return _HAN.search(question) is not None


def in_english(question: str) -> str:
    """What a Chinese question asks, in English; empty where it is not surely understood."""
    return _questions().get(asked_field(question), "") if is_chinese(question) else ""


def back_in_chinese(outcome: Outcome, text: str) -> str:
    """An answer as it is said in Chinese: a value stays as it is printed on the page."""
    return _SAID_IN_CHINESE.get(outcome, text)


@cache
def _questions() -> dict[str, str]:
    """The English question for each field."""
    text = files("edge_clm.question").joinpath("english.toml").read_text(encoding="utf-8")
    return {name: str(question) for name, question in tomllib.loads(text).items()}
