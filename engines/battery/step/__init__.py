"""What the models share: what the engine asks of each, and what their kernels include."""
