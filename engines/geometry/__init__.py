"""Geometry that engines work on: reading, checking, ordering and partitioning."""
