"""Synapses whose equations a person types: read, planned, and written for either backend."""
