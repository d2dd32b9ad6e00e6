"""From parameters to a checked network: what can run, what fits, and the network of them on a device."""
