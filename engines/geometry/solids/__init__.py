"""Solids: bodies in space that tell which points they hold."""
