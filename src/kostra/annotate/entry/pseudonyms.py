"""Pseudonyms of animals, such as quiet-heron, so that people keep theirs in mind and the data keep nobody's name.

The words are ours. In Czech and Polish all animals are of one gender, so that every adjective goes with every animal.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable
from itertools import count

_WORDS = {
    "en": (
        """able amber bold brave bright brisk calm careful clever curious daring early eager fair gentle glad happy
        honest jolly keen kind lively lucky mellow merry nimble noble patient polite proud quick quiet
        ready steady sunny swift tidy warm wise witty""",
        """badger bear beaver bison bittern crane curlew deer dipper dolphin dormouse eagle falcon ferret finch fox
        hare hawk hedgehog heron ibex jackdaw kestrel lark lynx marten mole moose newt otter owl pike
        plover puffin raven robin salmon seal stork swallow swan thrush trout viper weasel whale wolf
        wren""",
    ),
    "cs": (
        """bdělý bystrý čilý čiperný hbitý hravý chytrý jasný jemný klidný laskavý mírný milý moudrý mrštný odvážný
        opatrný pečlivý pilný pohodový poctivý rychlý silný skromný slušný smělý statečný šikovný tichý
        trpělivý veselý vlídný vytrvalý zvědavý živý""",
        """bobr bažant bizon brhlík čáp čolek čmelák daněk datel delfín dlask havran holub hlemýžď hýl jelen jestřáb
        jezevec ježek kamzík konipas kos kormorán krkavec krtek křeček křepelák ledňáček los medvěd mlok
        motýl muflon netopýr orel plch racek rak rejsek rys skřivan slavík sokol strakapoud sysel špaček
        tchoř vlk vrabec zajíc zubr""",
    ),
    "pl": (
        """bystry bystrooki cichy ciekawy cierpliwy czujny czuły dobry dzielny grzeczny jasny łagodny miły mądry
        nieśmiały odważny ostrożny pilny pogodny radosny rozważny silny skromny spokojny sprawny sprytny
        staranny szczery szybki uczciwy uparty uważny wesoły wytrwały zręczny zwinny żwawy życzliwy""",
        """bażant bielik bizon bocian borsuk bóbr chomik czyż daniel delfin derkacz drozd dudek dzięcioł dzik gawron
        gil gołąb jastrząb jeleń jeż kormoran kos kret kruk łosoś łoś motyl niedźwiedź nietoperz orzeł
        perkoz puszczyk rak ryś skowronek słowik sokół sum suseł szczygieł szpak tchórz trzmiel wilk
        wróbel zając zimorodek żbik żubr żuraw""",
    ),
}  # fmt: skip


def languages() -> tuple[str, ...]:
    """The languages in which there are animals."""
    return tuple(_WORDS)


def animal(language: str = "en", *, rng: random.Random | None = None) -> Callable[[set[str]], str]:
    """What makes a pseudonym that nobody has: in English where the language has no animals.

    Examples
    --------
    >>> named, taken = animal("en", rng=random.Random(1)), set()
    >>> for _ in range(3):
    ...     taken.add(named(taken))
    >>> len(taken), all(name.count("-") == 1 for name in taken)
    (3, True)
    """
    adjectives, animals = (words.split() for words in _WORDS.get(language, _WORDS["en"]))
    drawn = rng or secrets.SystemRandom()  # nobody can tell from a pseudonym when somebody came

    def name(taken: set[str]) -> str:
        free = [f"{one}-{other}" for one in adjectives for other in animals if f"{one}-{other}" not in taken]
        if free:
            return drawn.choice(free)
        for number in count(2):
            found = f"{drawn.choice(adjectives)}-{drawn.choice(animals)}-{number}"
            if found not in taken:
                return found
        raise AssertionError("numbers do not end")

    return name
