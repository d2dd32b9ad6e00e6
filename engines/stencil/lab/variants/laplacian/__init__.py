"""Laplacians in one, two and three dimensions."""
