"""Periodic faces with a phase."""
