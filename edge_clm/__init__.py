"""Answers questions about photographed documents, and remembers what it has worked out."""

__version__ = "0.1.0"
