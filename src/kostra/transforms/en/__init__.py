"""English: seven rules on trees, its inflection and its lists of words."""
