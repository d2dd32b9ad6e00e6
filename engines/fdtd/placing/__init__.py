"""What of a Maxwell problem stands in space: materials, objects, sources, ports, monitors, absorbing layers."""
