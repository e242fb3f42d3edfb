"""What statistics say of people and figures, in the language of the page.

Statistics stand in rooms before this one and speak English; here their sentences are known again, with the numbers in
them, so that the office can say them in its own words. What is not known stays as it is.
"""

from __future__ import annotations

import re
from functools import cache

from kostra.annotate.languages import Message, Translate

SAYINGS = (
    # Flags (`kostra.reliability.annotators`)
    Message("answers in {mine} s, the median annotator in {median} s"),
    Message("agreement with the others {mine}, the median annotator's {median}"),
    Message("{share} of {count} gold questions right, less than {least}"),
    Message("{share} of {count} repeats answered as before, the median annotator's {median}"),
    Message('"{question}" at position {place} {count} times in a row'),
    Message('"{value}" {count} times in a row'),
    # Notes of figures
    Message("interval level"),
    Message("nominal level"),
    Message("Spearman, mean of {count} splits"),
    Message("{count} gold questions"),
    Message("{count} repeats"),
    Message("too few annotators for an interval"),
    Message("undefined: fewer than five items have answers in both halves"),
    Message("undefined: there are no answers"),
    Message("undefined: no item has two answers, so that there is nothing to compare"),
    Message("undefined: there is only one annotator, so that there is nothing to compare"),
    Message("undefined: only one item has two answers; agreement on a single item cannot be told from chance"),
    Message("undefined: all answers are equal, so that chance alone would never disagree"),
)


def said(text: str, words: Translate) -> str:
    """A saying of one or several parts, in the words of a page.

    Examples
    --------
    >>> czech = Translate("cs", {"{count} repeats": "opakování: {count}"})
    >>> said("12 repeats; too few annotators for an interval", czech)
    'opakování: 12; too few annotators for an interval'
    """
    whole = _known(text)
    return words(whole) if whole is not None else "; ".join(words(_known(part) or part) for part in text.split("; "))


def _known(text: str) -> Message | None:
    for pattern, msgid in _patterns():
        found = pattern.fullmatch(text)
        if found:
            return Message(msgid, **found.groupdict())
    return None


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """The sayings as patterns, each field any text."""
    made = []
    for saying in SAYINGS:
        parts = re.split(r"\{(\w+)\}", saying.msgid)
        pattern = "".join(f"(?P<{part}>.+?)" if place % 2 else re.escape(part) for place, part in enumerate(parts))
        made.append((re.compile(pattern, re.DOTALL), saying.msgid))
    return tuple(made)
