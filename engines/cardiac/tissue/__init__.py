"""The tissue: where its cells stand, of which kinds they are, and how it conducts, with scar or without."""
