"""A finished small dataset, made by one command: ``python -m examples`` (see README.md beside this file)."""
