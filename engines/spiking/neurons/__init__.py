"""Neuron models, as rows of constants on the host and as a step of each on a device."""
