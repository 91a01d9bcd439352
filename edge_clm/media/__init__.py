"""Files to canonical pixels."""
