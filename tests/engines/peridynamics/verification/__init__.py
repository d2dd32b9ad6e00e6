"""Cases of the engine of peridynamics against their answers."""
