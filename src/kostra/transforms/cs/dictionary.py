"""Czech forms and their lemmas, from the wheel ``simplemma`` (extra ``parse``): generated forms are checked by them.

The dictionary has no tags, and names one lemma for each form: it can say that a form is a form of a lemma, not which.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from kostra.errors import extra_needed

Standing = Literal["own", "other", "none"]
"""Whether a form is known as one of its lemma, as one of another, or not at all."""
_FORMS_OF_A_KNOWN_LEMMA = 4
"""From how many forms on a lemma counts as known with all its forms, so that a missing one says something."""


class FormDictionary:
    """Forms by lemma and lemmas by form, in lower case.

    Examples
    --------
    >>> words = FormDictionary([("psa", "pes"), ("psů", "pes")])
    >>> sorted(words.forms("pes")), words.standing("psa", "pes"), words.standing("pesa", "pes")
    (['psa', 'psů'], 'own', 'none')
    """

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._lemmas: dict[str, tuple[str, ...]] = {}
        self._forms: dict[str, list[str]] = {}
        for form, lemma in pairs:
            form, lemma = form.lower(), lemma.lower()
            before = self._lemmas.get(form, ())
            if lemma not in before:
                self._lemmas[form] = (*before, lemma)
                self._forms.setdefault(lemma, []).append(form)

    def forms(self, lemma: str) -> list[str]:
        """The forms of a lemma; none where it is not known."""
        return self._forms.get(lemma.lower(), [])

    def lemmas(self, form: str) -> tuple[str, ...]:
        """The lemmas of a form."""
        return self._lemmas.get(form.lower(), ())

    def knows(self, lemma: str) -> bool:
        """Whether so many forms of a lemma are known that one which is not is probably wrong."""
        return len(self.forms(lemma)) >= _FORMS_OF_A_KNOWN_LEMMA

    def standing(self, form: str, lemma: str) -> Standing:
        """What the dictionary says of a form that is to be of this lemma."""
        found = self.lemmas(form)
        return "own" if lemma.lower() in found else "other" if found else "none"


def load() -> FormDictionary:
    """Load the Czech dictionary of simplemma, in about two seconds.

    Raises
    ------
    KostraError
        Where simplemma is not installed.
    """
    try:
        from simplemma.strategies import DefaultDictionaryFactory
    except ImportError as error:
        raise extra_needed("simplemma", "parse", purpose="Czech inflection") from error
    return FormDictionary(DefaultDictionaryFactory().get_dictionary("cs").items())
