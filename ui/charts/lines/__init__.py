"""Lines through the geometry along which fields are charted: drawn by two clicks, or typed."""
