"""The cardiac engine: action potentials that travel through heart tissue."""
