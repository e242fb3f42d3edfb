"""Side-by-side comparisons with peers: each module prints its own table, ``python -m bench`` prints all."""
