"""Equations that a person types: fields on a grid, their rates of change as formulas, stepped by kernels made of
them."""
