"""What the Kernel Lab measures of the FDTD engine: whole steps by size, and the choices that its kernels made."""
