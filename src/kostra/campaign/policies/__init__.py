"""Which item next: one file per policy."""
