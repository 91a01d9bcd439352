"""What is asked about a document: its labelled fields, the same in Chinese, and what is not on it."""

from __future__ import annotations

import random

from bench.documents import ADBUY, KINDS, Asked, Document
from bench.score import Kind
from bench.wording import CHINESE, FIELDS, FOREIGN


def asked_of(document: Document, seed: int) -> list[Asked]:
    """All that is asked about a document, the same for the same seed."""
    labels = document.labels
    found = [
        Asked(f"{document.dataset}.{name}", KINDS[name], FIELDS[name], label)
        for name, label in labels.items()
    ]
    if labels and document.dataset != ADBUY:
        chinese = [name for name in CHINESE if name in labels]
        found += [Asked(f"zh.{name}", KINDS[name], CHINESE[name], labels[name]) for name in chinese]
        foreign = random.Random(f"{seed} {document.name}").choice(FOREIGN)
        found.append(Asked("", Kind.PASSAGE, foreign, ""))
    return [*found, *document.asked]
