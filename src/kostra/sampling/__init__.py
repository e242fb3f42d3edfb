"""Sentences become pairs, pairs become tuples."""
