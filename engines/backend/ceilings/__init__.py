"""What this machine's memory and caches can move: the bandwidths that kernels are held against."""
