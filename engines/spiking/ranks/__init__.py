"""A network on several ranks: each steps a range of its neurons and delivers to them the spikes of all."""
