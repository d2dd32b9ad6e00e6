"""How far one beat by a scheme and a step is off a tight integration of the same cell, for models from files."""
