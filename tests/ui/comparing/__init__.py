"""Runs side by side, in the real window."""
