"""The many-particle model (MPM): particles of different sizes at one potential per electrode, on either backend."""
