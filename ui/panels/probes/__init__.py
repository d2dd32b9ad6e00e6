"""The probes: the panel, its list, and the curves over time."""
