"""Vertex-centred linear finite elements: about five and a half times fewer unknowns than tetrahedra."""
