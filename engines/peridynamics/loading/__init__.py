"""What acts on a body: loads and their histories, velocities at the start, and slow loading through states of rest."""
