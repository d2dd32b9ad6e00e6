"""Files for other programs: meshes for ParaView, pictures, tables."""
