"""Polish: inflection by Morfeusz, and the rules of CDSCorpus."""
