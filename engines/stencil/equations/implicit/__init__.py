"""Diffusion that is taken implicitly: which terms of the lines it is, and how a step solves for it."""
