"""Matrices of synaptic weights times vectors of spikes, on both backends."""
