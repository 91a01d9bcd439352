"""What holds for every test."""

from __future__ import annotations

from hypothesis import settings

# Timing never decides a test: a machine may be as slow as it likes.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
