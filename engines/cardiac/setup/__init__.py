"""From a problem to the cells that it asks for: which model, kinds and start, and what they cost on a device."""
