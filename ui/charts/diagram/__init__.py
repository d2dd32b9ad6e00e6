"""What of a problem is joined to what: nodes and edges in the room of the 3D view."""
