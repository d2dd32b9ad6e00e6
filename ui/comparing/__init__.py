"""Two runs beside each other: the same field at the same moment, from one place, and what differs in parameters."""
