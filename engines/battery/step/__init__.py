"""What the models share: what the engine asks of each, and names, numbers and headers of their kernels."""
