"""Devices, disks and files that fail at any moment, and what is left then."""
