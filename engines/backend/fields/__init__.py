"""Reading fields on either device: selections are checked, values gathered and averaged, NaN looked for."""
