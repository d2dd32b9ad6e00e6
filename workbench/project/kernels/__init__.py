"""Which kernels each preset asks for until its first picture, so that several processes can compile them."""
