"""Diffusion, reaction-diffusion and Poisson problems on grids of two and three dimensions."""
