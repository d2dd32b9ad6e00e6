"""Fibre and sheet directions of a heart: read from files, or made by rules."""
