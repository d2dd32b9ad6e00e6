"""Which devices this machine has, opening one by name, and the one thing that is missing where it cannot be opened."""
