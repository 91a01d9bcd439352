"""Number, dates and references of an invoice."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from edge_clm.train.pages.blocks import (
    Block,
    boxed,
    columns,
    stack,
)
from edge_clm.train.pages.content import Content
from edge_clm.train.pages.pairs import Pair, pairs
from edge_clm.train.pages.setting import Setting
from edge_clm.train.pages.type import Style

_HEADED = ("cells", "above", "across")
"""Ways in which a value without a label would stand under nothing."""


def references(setting: Setting, content: Content) -> Block:
    """Number, dates and references."""
    style, how = setting.style(content.size), setting.layout["meta"]
    items = _found(setting, content)
    heavy = setting.odds(0.45)
    if how == "boxed":
        inner = pairs(items, style, "aligned", setting.mark, heavy)
        return boxed(
            inner, content.size * 0.6, setting.ink, setting.rng.choice((None, (242, 244, 247)))
        )
    if how == "cells" and len(items) > 4:
        return stack(
            [
                pairs(items[:3], style, "cells", "", heavy),
                pairs(items[3:], style, "cells", "", heavy),
            ],
            0,
        )
    if how == "across":
        return _across(items, style, heavy)
    return pairs(items, style, how, setting.mark, heavy)  # type: ignore[arg-type]


def _across(items: Sequence[Pair], style: Style, heavy: bool) -> Block:
    """Three to a row, labels over values."""
    single = [(1.0, pairs([one], style, "above", "", heavy)) for one in items]
    rows = [single[at : at + 3] for at in range(0, len(single), 3)]
    return stack([columns(row, style.size) for row in rows], style.size * 0.5)


def _found(setting: Setting, content: Content) -> list[Pair]:
    rng, labels = setting.rng, setting.labels
    due = content.issued + timedelta(days=rng.choice((0, 7, 10, 14, 15, 21, 28, 30, 45, 60, 90)))
    found = [
        _numbered(setting, content),
        _dated(setting, content.issued),
        Pair(labels.of("due"), [setting.day("due_date", due)]) if setting.odds(0.5) else None,
        Pair(labels.of("order"), [setting.said("order_number", setting.code(ordered=True))])
        if setting.odds(0.35)
        else None,
        Pair(labels.of("customer_no"), str(rng.randint(100, 9999999)))
        if setting.odds(0.35)
        else None,
        Pair(labels.of("reference"), setting.code()) if setting.odds(0.25) else None,
        Pair(labels.of("terms"), setting.phrase("terms")) if setting.odds(0.25) else None,
        Pair(labels.of("person"), setting.names.person()) if setting.odds(0.15) else None,
    ]
    # Without its label, only the number and a date still tell what they are.
    kept = [one for one in found if one and (one.label or _is_plain(one))]
    if setting.odds(0.4):
        rng.shuffle(kept)
    return kept


def number_in_title(setting: Setting) -> bool:
    """Whether the number stands behind the title and is not listed."""
    layout = setting.layout
    banner = layout["head"] == "band" and layout["order"] != "facing"
    return layout["number"] == "titled" and not banner


def _numbered(setting: Setting, content: Content) -> Pair | None:
    """The number, seldom missing; now and then a sign is all that tells it."""
    if number_in_title(setting) or setting.odds(0.05):
        return None
    if setting.layout["number"] == "bare" and setting.layout["meta"] not in _HEADED:
        return Pair("", [setting.said("number", f"#{content.number.lstrip('#')}")])
    return Pair(setting.labels.of("number"), [setting.said("number", content.number)])


def _dated(setting: Setting, issued: date) -> Pair | None:
    """The date, seldom missing; now and then without a label."""
    if setting.odds(0.04):
        return None
    bare = setting.odds(0.07) and setting.layout["meta"] not in _HEADED
    return Pair("" if bare else setting.labels.of("date"), [setting.day("date", issued)])


def _is_plain(pair: Pair) -> bool:
    return isinstance(pair.value, list) and pair.value[0].key in ("date", "number")
