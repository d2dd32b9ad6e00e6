"""Cases whose answers are known, by which a person can check an installation."""
