"""Gray-Scott reaction and diffusion of two substances on grids."""
