"""The general network: populations of any neurons, spikes with delays through a ring of integer inputs."""
