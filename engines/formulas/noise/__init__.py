"""Normal random numbers of a counter and a key alone: the same bits in NumPy, in a CPU's vectors and in CUDA."""
