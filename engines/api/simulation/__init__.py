"""What a simulation on a device is, and what viewers are told of it."""
