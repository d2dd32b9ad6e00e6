"""The View panel: field, colours, slices and cuts, what stands in space, camera, brush."""
