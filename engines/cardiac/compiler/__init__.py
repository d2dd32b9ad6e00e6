"""A compiler of cell models: from a CellML or ``.mmt`` file to a CUDA kernel and to a Numba kernel.

``importing`` reads a file with Myokit (extra ``cellml``), ``schemes`` makes a step of its equations by the passes of
:mod:`engines.formulas`, ``cuda_kernel`` and ``cpu_kernels`` the kernels, ``tissue`` runs them. See the engine's README.
"""
