"""What the equations share in a run: the simulation, launch shapes, paint, the reference."""
