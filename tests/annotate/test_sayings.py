"""What statistics say of people, said again by the office in its own languages."""

from __future__ import annotations

import polars as pl
import pytest

from kostra.annotate.admin.sayings import SAYINGS, said
from kostra.annotate.languages import speak
from kostra.reliability.annotators import annotator_table


def careless() -> pl.DataFrame:
    """One of four answers fast, against the others, always alike, and is wrong on gold and repeats."""
    rows = []
    for who, seconds in (("ann", 9.0), ("bob", 8.0), ("cy", 10.0), ("dan", 1.0)):
        for number in range(40):
            good = str(number % 6)
            for block in ("main", "repeat") if number < 10 else ("main",):
                lazy = ("3" if number < 30 else str(5 - number % 6)) if block == "main" else str(number % 2)
                value = lazy if who == "dan" else good
                rows.append((f"i{number}", who, value, "similarity", "answered", block, seconds))
    names = ["item", "annotator", "value", "question", "status", "block", "seconds"]
    return pl.DataFrame(rows, schema=names, orient="row")


def test_every_flag_of_a_careless_annotator_is_said_in_czech_with_its_numbers() -> None:
    table = annotator_table(careless(), question="similarity")
    (reasons,) = table.filter(annotator="dan")["reasons"]
    parts = reasons.split("; ")
    assert len(parts) >= 3, reasons
    for part in parts:
        czech = said(part, speak("cs"))
        assert czech != part, f"the office does not know: {part}"
        digits = [sign for sign in part if sign.isdigit()]
        assert sorted(digits) == sorted(sign for sign in czech if sign.isdigit())


@pytest.mark.parametrize("saying", SAYINGS)
@pytest.mark.parametrize("language", ["cs", "pl"])
def test_every_saying_is_known_again_by_its_own_english(saying: str, language: str) -> None:
    names = ("mine", "median", "share", "count", "least", "question", "place", "value")
    filled = saying.format(**dict.fromkeys(names, "7"))
    assert said(filled, speak(language)) == speak(language)(saying).format(**dict.fromkeys(names, "7"))


def test_what_is_not_known_stays_as_it_is() -> None:
    assert said("12 repeats; a saying of tomorrow", speak("cs")) == "opakování: 12; a saying of tomorrow"
