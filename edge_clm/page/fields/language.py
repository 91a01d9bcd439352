"""The language that a page is written in, told by its small words and its labels."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cache

from edge_clm.page.fields.wording import fold, is_ideographic, word_list
from edge_clm.paper import PageText
from edge_clm.values.dates import Order

_DAY_FIRST = ("de", "fr", "es", "it", "nl", "pt", "ms", "id")
_PAID_THERE = frozenset(
    [
        "ARS",
        "AUD",
        "BND",
        "BRL",
        "CHF",
        "CLP",
        "COP",
        "CZK",
        "DKK",
        "EGP",
        "EUR",
        "GBP",
        "IDR",
        "ILS",
        "INR",
        "KES",
        "MXN",
        "MYR",
        "NGN",
        "NOK",
        "NZD",
        "PKR",
        "PLN",
        "RON",
        "RUB",
        "SGD",
        "THB",
        "TRY",
        "UAH",
        "VND",
        "ZAR",
    ]
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_IDEOGRAPHS = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_KANA = re.compile(r"[\u3040-\u30ff]")
# A word repeated in every row of a table is no more than this many words.
_OFTEN = 3
# Fewer different words of a language than this are an accident.
_FEW = 3
# How much the runner-up may come to for the best to be believed.
_CLOSE = 0.85
# Characters that say about as much as a word in letters.
_CHARACTERS_A_WORD = 2


def language_of(text: PageText) -> str:
    """ISO 639-1 code of the language of most of the page's words; "" if they do not tell.

    Told apart are English, Chinese, German, French, Spanish, Italian, Dutch, Portuguese, Malay and
    Indonesian. Names, addresses and numbers count for none.
    """
    page = "\n".join(line.text for line in text.lines)
    words = Counter(word for word in _WORD.findall(fold(page)) if not is_ideographic(word))
    ideographs = len(_IDEOGRAPHS.findall(page))
    chinese = "zh" if ideographs >= _FEW and len(_KANA.findall(page)) * 10 < ideographs else ""
    if ideographs >= _CHARACTERS_A_WORD * sum(n for word, n in words.items() if len(word) > 2):
        return chinese
    return _of_words(words) or chinese


def usual_order(language: str, currency: str = "") -> Order | None:
    """The order of numeric dates where a language is spoken or a currency (ISO 4217) paid.

    None where that tells nothing: English is written with either, and a dollar may be anybody's.
    """
    return "dmy" if language in _DAY_FIRST or currency in _PAID_THERE else None


def _of_words(words: Counter[str]) -> str:
    scores: defaultdict[str, float] = defaultdict(float)
    different: Counter[str] = Counter()
    for word, times in words.items():
        languages = _lists().get(word, ())
        for language in languages:
            scores[language] += min(times, _OFTEN) / len(languages)
            different[language] += 1
    ranked = sorted(scores.items(), key=lambda item: -item[1])[:2]
    if not ranked or different[ranked[0][0]] < _FEW:
        return ""
    if len(ranked) == 2 and ranked[1][1] > _CLOSE * ranked[0][1]:
        return ""
    return ranked[0][0]


@cache
def _lists() -> dict[str, tuple[str, ...]]:
    """For each word the languages that have it."""
    having: dict[str, set[str]] = {}
    for language, words in word_list("language").items():
        for word in _WORD.findall(fold(words)):
            having.setdefault(word, set()).add(language)
    return {word: tuple(sorted(languages)) for word, languages in having.items()}
