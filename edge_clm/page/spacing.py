"""A day and a time of day that are read without the space between them."""

from __future__ import annotations

import re

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_YEAR = r"(?:19|20)\d\d"
_DAY_AND_TIME = re.compile(
    rf"""(?<![\d/.\-])(
      \d{{1,2}}[-/.]\d{{1,2}}[-/.]{_YEAR} | {_YEAR}[-/.]\d{{1,2}}[-/.]\d{{1,2}}
    | \d{{1,2}}[-/.]?\s?{_MONTH}[-/.,']?\s?{_YEAR}
    | \d{{1,2}}[-/.]\d{{1,2}}[-/.](?!(?:19|20)\d\d:)\d\d
    )(?=\d{{1,2}}:\d\d(?!\d))""",
    re.VERBOSE | re.IGNORECASE,
)


def spaced(text: str) -> str:
    """The text with a space wherever a time of day follows a date without one."""
    return _DAY_AND_TIME.sub(r"\1 ", text)
