"""Lithium diffusion in spherical particles: finite volumes (explicit, implicit) and eigenmodes, on either backend."""
