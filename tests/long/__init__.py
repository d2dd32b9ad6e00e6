"""The long forms of tests, over many processes and for as long as one likes: ``python -m tests.long COMMAND``."""
