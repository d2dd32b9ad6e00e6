"""What the Kernel Lab measures of batteries: studies of kernels, and benchmarks of whole problems."""
