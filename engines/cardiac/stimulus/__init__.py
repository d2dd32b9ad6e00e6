"""Currents into the tissue: when they flow, which cells they reach, and how a kernel is given them."""
