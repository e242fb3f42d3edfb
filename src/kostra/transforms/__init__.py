"""Sentences transformed by rules on dependency trees."""
