"""What the Kernel Lab measures: studies of kernels, and problems that are timed."""
