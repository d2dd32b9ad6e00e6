"""Diffusion steps: alone, fused with their border, several per launch."""
