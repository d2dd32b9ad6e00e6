"""Sparse matrices, stored in one of several formats or drawn at each use."""
