"""Tables of the diffusion step: convergence, orders and clusters of cells."""
