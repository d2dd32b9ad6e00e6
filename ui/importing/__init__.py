"""The import page: what a mesh or a surface is, in which unit, and what becomes of it, before it is opened."""
