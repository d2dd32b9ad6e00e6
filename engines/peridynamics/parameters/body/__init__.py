"""The shape of a body, its regions, notches and points."""
