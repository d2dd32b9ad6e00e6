"""openCARP's ``.par`` files as problems of this engine."""
