"""What goes on step by step: particles on a device, a run of one body, and batches of bodies."""
