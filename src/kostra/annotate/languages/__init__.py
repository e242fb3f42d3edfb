"""The interface in several languages: one gettext catalogue each, ``CODE.po`` beside this file.

English is the language of the source, so it has none. A catalogue is read as it lies there, without a compiled file
that could be older than it; a new language is a new file, and nothing else names it. ``python -m
kostra.annotate.languages`` lists what lacks a translation, and begins a catalogue for another language.

What people read is said through `Translate` in templates (``words("Send")``) and as a `Message` in code, which is
English until a page says it.
"""

from __future__ import annotations

import gettext
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from kostra.annotate.languages import formats

FOLDER = Path(__file__).parent
SOURCE = "en"
"""The language in which messages stand in the code."""
FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"


class Message(str):
    """An English message that remembers its parts, so that it can be said in another language.

    Examples
    --------
    >>> message = Message("Choose a number from {low} to {high}.", low=0, high=6)
    >>> message, message.msgid
    ('Choose a number from 0 to 6.', 'Choose a number from {low} to {high}.')
    """

    msgid: str
    values: Mapping[str, object]

    def __new__(cls, msgid: str, **values: object) -> Message:
        """Fill the values into the English text."""
        made = super().__new__(cls, msgid.format(**values) if values else msgid)
        made.msgid, made.values = msgid, values
        return made


def _in_english(one: str, many: str, count: int) -> str:
    return one if count == 1 else many


@dataclass(frozen=True)
class Translate:
    """The words of the interface in one language; what the catalogue lacks stays English.

    Examples
    --------
    >>> czech = Translate("cs", {"Send": "Odeslat", "{done} of {all}": "{done} z {all}"})
    >>> czech("Send"), czech("{done} of {all}", done=3, all=50), czech("Undo")
    ('Odeslat', '3 z 50', 'Undo')
    """

    language: str = SOURCE
    catalogue: Mapping[str, str] = field(default_factory=dict)
    texts: str = ""
    """The language of the items' texts, as a code; empty if it is not known."""
    several: Callable[[str, str, int], str] = _in_english
    """Chooses the form of a message for a number of things, as `gettext.ngettext` does."""

    def __call__(self, message: str, **values: object) -> str:
        """Say a message in this language."""
        if isinstance(message, Message):
            values = {**message.values, **values}
            message = message.msgid
        found = self.catalogue.get(message, message)
        return found.format(**self._apart(values)) if values else found

    def plural(self, one: str, many: str, count: int, **values: object) -> str:
        """Say how many there are of something, in the form that the language has for that number.

        Examples
        --------
        >>> [Translate().plural("{count} answer", "{count} answers", count) for count in (1, 3000)]
        ['1 answer', '3,000 answers']
        >>> [speak("cs").plural("{count} item", "{count} items", count) for count in (1, 3, 5)]
        ['1 položka', '3 položky', '5 položek']
        """
        return self.several(one, many, count).format(**self._apart({"count": self.number(count), **values}))

    def _apart(self, values: Mapping[str, object]) -> Mapping[str, object]:
        """Values as they go into a sentence: in one from right to left, each keeps the direction that it has itself."""
        if self.direction == "ltr":
            return values
        return {name: f"{FIRST_STRONG_ISOLATE}{value}{POP_ISOLATE}" for name, value in values.items()}

    @property
    def direction(self) -> str:
        """Where lines begin: ``ltr`` or ``rtl``."""
        return formats.locale_of(self.language).text_direction

    def number(self, value: float | None, places: int = 0) -> str:
        """A number as this language writes it."""
        return formats.number(value, self.language, places)

    def share(self, value: float | None) -> str:
        """A share in per cent."""
        return formats.share(value, self.language)

    def moment(self, at: datetime | None) -> str:
        """A moment, to the minute."""
        return formats.moment(at, self.language)

    def day(self, at: datetime, *, year: bool = False) -> str:
        """A day."""
        return formats.day(at, self.language, year=year)


ENGLISH = Translate()


def sentence(text: str) -> str:
    """What an error says, as a page prints it.

    Examples
    --------
    >>> sentence("this invitation has expired"), sentence("Done.")
    ('This invitation has expired.', 'Done.')
    """
    end = "" if not text or text[-1] in ".!?…:" else "."
    return text[:1].upper() + text[1:] + end


@cache
def known(folder: Path = FOLDER) -> Mapping[str, str]:
    """The languages of the interface, English first: code → the name that its speakers have for it.

    Examples
    --------
    >>> dict(known())
    {'en': 'English', 'cs': 'Čeština', 'pl': 'Polski'}
    """
    codes = [SOURCE, *sorted(path.stem for path in folder.glob("*.po"))]
    return {code: own_name(code) for code in codes}


def own_name(language: str) -> str:
    """What a language is called by its speakers, as it stands in a menu."""
    locale = formats.locale_of(language)
    name = locale.get_display_name(locale) or language
    return name[:1].upper() + name[1:]


def catalogue_in(path: Path) -> Catalog:
    """A catalogue as it stands in a file."""
    with path.open("rb") as stream:
        return read_po(stream, locale=path.stem, abort_invalid=True)


@cache
def _read(language: str, folder: Path) -> Translate:
    path = folder / f"{language}.po"
    if language not in known(folder) or not path.is_file():
        return Translate(language)
    found, compiled = catalogue_in(path), io.BytesIO()
    write_mo(compiled, found)  # gettext itself reads only this form, and evaluates the rule for plurals
    compiled.seek(0)
    several = gettext.GNUTranslations(compiled).ngettext
    said = {
        str(one.id): str(one.string) for one in found if one.id and one.string and not (one.pluralizable or one.fuzzy)
    }
    return Translate(language, said, several=several)


def speak(language: str, *, texts: str = "", folder: Path = FOLDER) -> Translate:
    """The words of the interface in a language; English ones if it has no catalogue.

    Examples
    --------
    >>> speak("cs")("Send"), speak("pl")("Send"), speak("de")("Send")
    ('Odeslat', 'Wyślij', 'Send')
    """
    return replace(_read(language, folder), texts=texts)
