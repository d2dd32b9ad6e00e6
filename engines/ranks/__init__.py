"""One problem on several ranks: who they are (MPI), what they send each other, and one of them that speaks for all.

``world`` is the processes, ``halos`` what goes from part to part while kernels run (MPI on the host, NCCL on GPUs),
``slabs`` a grid cut across its slowest axis. ``leading`` makes the parts look like one simulation to whoever runs it on
rank 0, ``following`` is what the other ranks do. No engine is known here.
"""
