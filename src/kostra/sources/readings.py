"""A sentence in other spellings, to see whether a parser is sure of it.

Capitals and the full stop say nothing of what hangs on what. A parser that is sure of a sentence reads it alike without
them; where it does not, one of its trees is wrong. On English EWT and Czech PUD, what the rules made of three readings
alike was right more often than what they made of one, at the cost of about a fifth of the right outputs
(`python -m bench.readings`).
"""

from __future__ import annotations


def respelled(sentence: str) -> tuple[str, str]:
    """The sentence without its full stop, or with one; and in small letters.

    Examples
    --------
    >>> respelled("Two Dogs bark .")
    ('Two Dogs bark', 'two dogs bark .')
    >>> respelled("A dog")
    ('A dog.', 'a dog')
    >>> respelled(".")  # nothing would be left to parse
    ('..', '.')
    """
    without = sentence.removesuffix(".").rstrip()
    ends = sentence.endswith(".") and not sentence.endswith("..")
    return (without if ends and without else f"{sentence}."), sentence.lower()
