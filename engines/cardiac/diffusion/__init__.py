"""The diffusion half of the monodomain equation: finite volumes on tetrahedra, one sparse product per step."""
