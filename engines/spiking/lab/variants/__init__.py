"""The product of a dense weight matrix with spikes in the ways that people write it."""
