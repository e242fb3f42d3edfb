"""kostra: build, annotate and evaluate datasets of sentence meaning."""

__version__ = "0.1.0"
