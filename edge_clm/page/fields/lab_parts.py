"""Which of a row's items is the value, the unit, the range, the flag."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from edge_clm.page.fields.lab_items import VALUES, Item, Sort, items_in
from edge_clm.page.fields.layout import Span
from edge_clm.page.fields.passage import Passage

_LONGEST_FREE = 40

Passages = Mapping[str, Passage]
"""What stands in each column of a row, by the column's role."""


def has_value(passages: Passages) -> bool:
    """Whether a result stands in the columns that one may stand in."""
    return any(
        item.sort in VALUES
        for role in ("value", "flag", "unit")
        if role in passages
        for item in items_in(passages[role].text)[0]
    )


def parts_of(passages: Passages) -> dict[str, tuple[Span, ...]]:
    """What is value, unit, range and flag in the texts of a row's columns; {} without a value."""
    items = {role: items_in(passage.text)[0] for role, passage in passages.items()}
    value = _value(passages, items)
    if value is None:
        return {}
    role, taken = value
    found = {"value": tuple(passages[role].cut(taken.start, taken.end))}
    left = {
        name: [it for it in each if it != taken or name != role] for name, each in items.items()
    }
    for part, pick in (("range", _range), ("unit", _unit), ("flag", _flag)):
        spans = pick(passages, left)
        if spans:
            found[part] = spans
    return found


def _value(passages: Passages, items: dict[str, list[Item]]) -> tuple[str, Item] | None:
    for role in ("value", "flag", "unit"):
        for item in items.get(role, []):
            if item.sort in VALUES or (role == "value" and item.sort is Sort.RANGE):
                return role, item
    # A text of its own in the column of results is a result, whatever it says.
    text = passages["value"].text if "value" in passages else ""
    if 0 < len(text) <= _LONGEST_FREE and not items.get("value"):
        return "value", Item(Sort.WORD, 0, len(text))
    return None


def _range(passages: Passages, items: dict[str, list[Item]]) -> tuple[Span, ...]:
    own = passages.get("range")
    if own:
        told = [it for it in items["range"] if it.sort not in (Sort.FLAG, Sort.UNIT)]
        # "Low: < 40" and "Male: 13 - 17" say of whom or what the range is.
        start = told[0].start if told and ":" not in own.text[: told[0].start] else 0
        _, whole = items_in(own.text)
        end = told[-1].end if told and whole else len(own.text)
        return tuple(own.cut(start, end))
    for role in ("value", "unit", "flag"):
        for item in items.get(role, []):
            if item.sort in (Sort.RANGE, Sort.BOUND, Sort.WORD):
                return tuple(passages[role].cut(item.start, item.end))
    return ()


def _unit(passages: Passages, items: dict[str, list[Item]]) -> tuple[Span, ...]:
    found = _first(passages, items, Sort.UNIT, ("unit", "value", "flag", "range"))
    own = passages.get("unit")
    if found or not own or items.get("unit"):
        return found
    return tuple(own.cut(0, len(own.text)))


def _flag(passages: Passages, items: dict[str, list[Item]]) -> tuple[Span, ...]:
    own = passages.get("flag")
    if own and own.text and not any(map(str.isdigit, own.text)):
        return tuple(own.cut(0, len(own.text)))
    loose = {
        role: [it for it in each if not passages[role].text[it.end :].lstrip().startswith(":")]
        for role, each in items.items()
    }
    return _first(passages, loose, Sort.FLAG, ("value", "unit", "flag", "range"))


def _first(
    passages: Passages,
    items: dict[str, list[Item]],
    sort: Sort,
    roles: Iterable[str],
) -> tuple[Span, ...]:
    for role in roles:
        for item in items.get(role, []):
            if item.sort is sort:
                return tuple(passages[role].cut(item.start, item.end))
    return ()
