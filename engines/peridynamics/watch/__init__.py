"""What is seen of a run: energies, gauges, load and displacement, the path of the crack, strain and stress."""
