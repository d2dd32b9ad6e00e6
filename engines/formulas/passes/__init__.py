"""Rewrites of whole graphs: exponentials shared, quotients merged, singularities removed."""
