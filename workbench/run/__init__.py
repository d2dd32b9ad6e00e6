"""A run: the thread that owns a simulation, what passes to its viewers, its checkpoints, its record in a folder."""
