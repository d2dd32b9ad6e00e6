"""Bodies of irregular points: from a mesh or a table to particles whose bonds are lists of neighbours."""
