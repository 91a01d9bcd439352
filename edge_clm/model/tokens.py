"""Text to token ids and back, for byte-level tokenizers, with no way for text to become a marker."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from edge_clm.errors import ConfigInvalid


class Tokens:
    """A tokenizer for data: what a page or a question prints is never a chat or picture marker."""

    def __init__(self, tokenizer: Any) -> None:
        """Raises ConfigInvalid for a tokenizer that is not byte-level."""
        self._tokenizer = tokenizer
        added = tokenizer.added_tokens_decoder
        self._special = frozenset(i for i, token in added.items() if token.special)
        self._added: dict[int, str] = {i: str(token) for i, token in added.items()}
        self._cut = _between(self._added.values())
        if "ByteLevel" not in repr(tokenizer.backend_tokenizer.decoder):
            raise ConfigInvalid("the model's tokenizer is not a byte-level one")

    def plain(self, text: str) -> list[int]:
        """Token ids of text as data; markers printed in it are spelled out letter by letter."""
        # Composed first: after it, nothing the tokenizer normalises can turn into a marker.
        parts = self._cut.split(unicodedata.normalize("NFC", text))
        return [i for part in parts if part for i in self._encode(part)]

    def marker(self, name: str) -> int:
        """The id of a marker such as `<|im_end|>`; raises ConfigInvalid where the model has none."""
        for i, token in self._added.items():
            if token == name:
                return i
        raise ConfigInvalid(f"the model's tokenizer has no token {name}")

    def spelled(self, token: int) -> bytes:
        """The bytes that a token adds to an answer; none for a special token or an unused id."""
        if token in self._special:
            return b""
        if token in self._added:
            return self._added[token].encode()
        piece = self._tokenizer.convert_ids_to_tokens(token)
        return bytes(_byte_of()[letter] for letter in piece) if piece else b""

    def _encode(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False)
        return ids


class TextStream:
    """Turns tokens into text as they come, never half a character.

    The deltas joined are what decoding all tokens at once gives, but for a character that the
    tokens left unfinished at the end.
    """

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def push(self, ids: Iterable[int]) -> str:
        """The text that became whole with these tokens."""
        return self._decoder.decode(b"".join(self._tokens.spelled(i) for i in ids))


def _between(added: Iterable[str]) -> re.Pattern[str]:
    """Matches the empty place behind the first character of each printed marker."""
    places = [
        f"(?<={re.escape(token[0])})(?={re.escape(token[1:])})" for token in added if len(token) > 1
    ]
    return re.compile("|".join(places) or r"(?!)")


@lru_cache(maxsize=1)
def _byte_of() -> dict[str, int]:
    """The byte that each letter of a byte-level vocabulary stands for."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {chr(byte): byte for byte in shown} | {
        chr(256 + i): byte for i, byte in enumerate(hidden)
    }
