"""Spelling: dictionaries, ranked suggestions, Korektor's service, and proposals as pairs of sentences.

``dictionaries`` finds and loads hunspell dictionaries, ``words`` says which parts of a text are words to be checked,
``suggestions`` ranks what a misspelt word may have been meant to be, ``korektor`` asks the service of that name,
``checking`` turns texts into proposals, and ``proposals`` turns those into pairs and back.
"""
