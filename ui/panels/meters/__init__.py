"""The meters: how close the kernels run to what the memory of this machine can deliver."""
