"""Gray-Scott reaction-diffusion: two substances, one pass over both per step."""
