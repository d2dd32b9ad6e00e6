"""Diffusion in many spheres, step by step: explicit, implicit and by eigenmodes, on either backend."""
