"""Czech: inflection by learnt suffix rules and a form dictionary."""
