"""A compiler of cell models: from a CellML or ``.mmt`` file to a CUDA kernel and to a Numba kernel.

``importing`` reads a file with Myokit (extra ``cellml``), ``optimise`` rewrites the equations, ``schemes`` makes a step
of them, ``emit_cuda`` and ``emit_numba`` the kernels, ``tissue`` runs them. See the engine's README.
"""
