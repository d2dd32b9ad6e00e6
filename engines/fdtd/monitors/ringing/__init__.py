"""Resonances of what rings down."""
