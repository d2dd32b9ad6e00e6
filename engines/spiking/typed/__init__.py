"""Neurons whose equations a person types: read, checked, integrated, and written for either backend."""
