"""The plain network: equal leaky integrate-and-fire neurons with exponential synaptic currents, joined at random."""
