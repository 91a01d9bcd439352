"""The error that a bench ends with when it cannot give a figure it would stand by."""

from __future__ import annotations


class BenchError(Exception):
    """Why there is no figure, in words for whoever ran the bench."""
