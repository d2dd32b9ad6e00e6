"""Solids of the parameters' objects, and those that a Maxwell problem alone has."""
