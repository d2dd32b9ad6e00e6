"""Formulas as graphs: read, rewritten, differentiated, counted, and written as CUDA, as Numba and as NumPy.

Nothing here knows an engine: an engine says what its symbols are and what the values are for. ``graph`` has the
expressions, ``rules`` to ``quotients`` the passes over them, ``emit_…`` the twins that are written from one graph.
"""
