"""A network on several ranks: each steps a range of its neurons, and hears the others' spikes once a window."""
