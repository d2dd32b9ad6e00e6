"""A grid on several ranks: each takes the steps of a slab of it, with what lies beyond its ends."""
