"""Whole steps of typed equations at a launch, on a GPU."""
