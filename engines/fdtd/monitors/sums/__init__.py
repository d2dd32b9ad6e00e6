"""Where monitors sample the field, and their running sums on either device."""
