"""Far fields from fields on a closed surface: patterns, directivity, radiated power."""
