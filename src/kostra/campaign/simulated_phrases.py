"""What simulated annotators say around a sentence to change it in a given way, for languages that we know.

``{}`` is the sentence without its capital and full stop, ``{half}`` its first half. Anything else that is asked
for, and any other language, is answered by moving words about (`kostra.campaign.simulated_texts`).
"""

from __future__ import annotations

CZECH: dict[str, tuple[str, ...]] = {
    "paraphrase": ("Jinými slovy, {}.", "Dá se říct, že {}.", "Jde zkrátka o to, že {}.", "Stalo se to, že {}."),
    "opposite_meaning": ("Není pravda, že {}.", "Ve skutečnosti vůbec neplatí, že {}."),
    "generalization": ("Stalo se něco podobného jako {half}.", "Jde o to, co se občas stává, třeba {half}."),
    "gossip": ("Slyšeli jste to? Prý {} a to zdaleka není všechno!", "Celé město nemluví o ničem jiném, než že {}!"),
    "formal_sentence": ("Dovolujeme si vám oznámit, že {}.", "Na vědomí se dává, že {}."),
    "nonstandard_sentence": ("Hele, {}, no fakt.", "Ty brďo, {}, to čumíš."),
    "simple_sentence": ("{half}.", "Prostě {half}."),
    "possibility": ("Možná {}.", "Je možné, že {}.", "Třeba {}."),
    "ban": ("Je zakázáno, aby platilo, že {}.", "Nesmí se stát, že {}."),
    "future": ("Jednou se stane, že {}.", "Za rok bude platit, že {}."),
    "past": ("Kdysi dávno platilo, že {}.", "Bývaly doby, kdy {}."),
    "extrapolation": ("Ještě víc než to: {}.", "A nejen to, dokonce {}."),
}
ENGLISH: dict[str, tuple[str, ...]] = {
    "paraphrase": ("In other words, {}.", "One can say that {}.", "The point is that {}.", "It so happened that {}."),
    "opposite_meaning": ("It is not true that {}.", "In fact it does not hold that {}."),
    "generalization": ("Something happened, such as {half}.", "Such things happen, say {half}."),
    "gossip": ("Have you heard? They say {} and that is not even half of it!", "The whole town talks of how {}!"),
    "formal_sentence": ("We beg to inform you that {}.", "Notice is hereby given that {}."),
    "nonstandard_sentence": ("Yeah well, {}, like.", "Gosh, {}, you know."),
    "simple_sentence": ("{half}.", "Just {half}."),
    "possibility": ("Maybe {}.", "It is possible that {}.", "Perhaps {}."),
    "ban": ("It is forbidden that {}.", "It must not happen that {}."),
    "future": ("One day {}.", "Next year it will be the case that {}."),
    "past": ("Long ago {}.", "There was a time when {}."),
    "extrapolation": ("Even more than that: {}.", "And not only that, {}."),
}
PHRASES = {"cs": CZECH, "en": ENGLISH}

ENGLISH_NAMES: dict[str, tuple[str, ...]] = {
    "": ("change", "changed", "something else"),
    "shuffled": ("word order", "other order", "shuffled words"),
    "shortened": ("shorter", "shortened", "fewer words"),
    "repeated": ("emphasis", "emphasised", "a word twice"),
    "question": ("question", "as a question", "turned into a question"),
    "exclamation": ("exclamation", "louder", "exclaimed"),
}
CZECH_NAMES: dict[str, tuple[str, ...]] = {
    "": ("změna", "změněno", "něco jiného"),
    "shuffled": ("slovosled", "jiný slovosled", "přeházená slova"),
    "shortened": ("zkrácení", "zkráceno", "méně slov"),
    "repeated": ("zdůraznění", "důraz", "dvakrát stejné slovo"),
    "question": ("otázka", "jako otázka", "převedení na otázku"),
    "exclamation": ("zvolání", "hlasitěji", "s vykřičníkem"),
}
NAMES = {"cs": CZECH_NAMES, "en": ENGLISH_NAMES}
"""What people might call the changes of `kostra.campaign.simulated_texts`; English where the language is unknown."""
