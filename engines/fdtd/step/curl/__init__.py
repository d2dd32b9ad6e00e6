"""A step of both fields by their curls, with what absorbing layers and poles add to these."""
