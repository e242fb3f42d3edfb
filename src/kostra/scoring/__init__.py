"""Judgments become scores: pure functions, one file per method."""
