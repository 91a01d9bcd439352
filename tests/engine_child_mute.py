"""A child in the workshop's place that never comes up."""

from __future__ import annotations

import threading

if __name__ == "__main__":
    threading.Event().wait()
