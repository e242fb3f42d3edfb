"""The annotation site."""
