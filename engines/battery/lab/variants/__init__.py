"""Battery kernels in the ways that people write them, with what they are compared with."""
