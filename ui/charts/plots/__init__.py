"""One chart: what draws it, its legend, its values in words, and its picture as a file."""
