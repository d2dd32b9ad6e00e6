"""Forms: what is shown when."""
