"""The compiler of cell models."""
