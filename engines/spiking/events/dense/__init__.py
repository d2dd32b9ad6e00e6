"""Dense matrices: rows of the neurons that fired are gathered."""
