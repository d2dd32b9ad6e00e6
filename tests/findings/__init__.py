"""All findings that the sources can make: where each is made, and a small problem that provokes it."""
