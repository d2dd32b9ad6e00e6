"""Pictures on plates, read back."""
