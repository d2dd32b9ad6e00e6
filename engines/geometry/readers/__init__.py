"""One module per family of mesh files; each turns a path into a :class:`~engines.geometry.raw.RawMesh`."""
