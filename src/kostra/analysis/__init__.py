"""What the papers ask of the data."""
