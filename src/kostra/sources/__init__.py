"""Files, corpora and released datasets become documents, sentences, pairs and answers."""
