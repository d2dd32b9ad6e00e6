"""What the models share: names, numbers and headers of their kernels."""
