"""One file per step, never changed once it was released."""
