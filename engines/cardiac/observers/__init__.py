"""What is read from the tissue while it runs: maps, electrograms, phase."""

from engines.cardiac.observers.base import Observer

__all__ = ["Observer"]
