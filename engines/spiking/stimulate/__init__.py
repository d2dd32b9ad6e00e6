"""What a person does to neurons while they run."""
