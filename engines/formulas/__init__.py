"""Formulas as graphs: read, rewritten, differentiated, counted, and written as CUDA, as Numba and as NumPy.

Nothing here knows an engine: an engine says what its symbols are and what the values are for. ``graph`` has the
expressions, ``parse`` makes them of text, ``rules`` and ``passes`` rewrite them, ``emit_cuda`` and ``emit_numba``
write both twins from one graph, ``emit_scalar`` code for one number at a time, and ``emit_numpy`` is what those are
held against.
"""
