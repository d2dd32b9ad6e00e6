"""The forces of a body in the ways that people write them, each beside the others."""
