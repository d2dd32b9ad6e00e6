"""The tests of the house; they mirror its packages."""
