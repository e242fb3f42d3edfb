"""Encoders against people."""
