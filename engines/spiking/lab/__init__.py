"""What the Kernel Lab measures: weights times spikes, and networks that others publish times of."""
