"""Typed values and what to do about a bad picture, in words for people and spreadsheets."""

from __future__ import annotations

from typing import Any

RETAKE = {
    "blurred": "out of focus or moved: hold still, tap to focus",
    "glare": "a reflection hides print: tilt the page or move the light",
    "dark": "too little light or contrast: find more light",
    "cut_off": "print runs over the edge: step back until the whole page shows",
    "too_small": "the print is too small: come closer, or take a part at a time",
}
"""What to do about each flaw of a picture."""


def plain(reading: dict[str, Any]) -> str:
    """A field, a cell or another reading in one line: its value, else what is printed.

    Amounts and numbers come in decimal notation without their currency, dates as YYYY-MM-DD; one
    that can be read in two ways as both.
    """
    value = reading["value"]
    return one_line(reading["raw"] if value is None else _said(value))


def with_currency(reading: dict[str, Any]) -> str:
    """As `plain`, with the currency behind an amount."""
    value = reading["value"] or {}
    return " ".join(filter(None, (plain(reading), value.get("currency", ""))))


def value_said(value: dict[str, Any] | None) -> str:
    """A typed value in one line; empty for none."""
    return one_line(_said(value)) if value else ""


def one_line(text: str) -> str:
    """Text in one line: line ends and other blanks become single spaces, control characters go."""
    return "".join(char for char in " ".join(text.split()) if char.isprintable())


def _said(value: dict[str, Any]) -> str:
    match value["type"]:
        case "money":
            return str(value["amount"])
        case "date":
            return str(value.get("date") or " or ".join(value["readings"]))
        case "quantity":
            number = value["comparison"] + value["number"]
            return " ".join(filter(None, (number, value["unit"])))
        case "truth":
            return "yes" if value["truth"] else "no"
        case _:
            return str(value["text"])
