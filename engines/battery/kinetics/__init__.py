"""Butler-Volmer kinetics over arrays: current densities from overpotentials and back, on either backend."""
