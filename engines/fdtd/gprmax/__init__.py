"""gprMax ``.in`` files as problems of this engine."""
