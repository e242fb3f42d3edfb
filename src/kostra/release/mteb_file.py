"""The released folder as a task of MTEB: a Python file that needs nothing but ``mteb`` and the folder it lies in."""

from __future__ import annotations

import re

from kostra.recipe import Recipe
from kostra.release.edition import Edition

MTEB_FILE = "mteb_task.py"
_LANGUAGES = {
    "ar": "arb-Arab", "bg": "bul-Cyrl", "bn": "ben-Beng", "ca": "cat-Latn", "cs": "ces-Latn", "da": "dan-Latn",
    "de": "deu-Latn", "el": "ell-Grek", "en": "eng-Latn", "es": "spa-Latn", "et": "est-Latn", "eu": "eus-Latn",
    "fa": "fas-Arab", "fi": "fin-Latn", "fr": "fra-Latn", "he": "heb-Hebr", "hi": "hin-Deva", "hr": "hrv-Latn",
    "hu": "hun-Latn", "id": "ind-Latn", "is": "isl-Latn", "it": "ita-Latn", "ja": "jpn-Jpan", "ka": "kat-Geor",
    "ko": "kor-Kore", "lt": "lit-Latn", "lv": "lav-Latn", "mk": "mkd-Cyrl", "nl": "nld-Latn", "pl": "pol-Latn",
    "pt": "por-Latn", "ro": "ron-Latn", "ru": "rus-Cyrl", "sk": "slk-Latn", "sl": "slv-Latn", "sr": "srp-Cyrl",
    "sv": "swe-Latn", "ta": "tam-Taml", "te": "tel-Telu", "th": "tha-Thai", "tr": "tur-Latn", "uk": "ukr-Cyrl",
    "ur": "urd-Arab", "vi": "vie-Latn", "zh": "cmn-Hans",
}  # fmt: skip
"""ISO 639-1 → language and script as MTEB names them."""


def mteb_language(code: str) -> str | None:
    """The name that MTEB has for a language; None where kostra does not know it.

    Examples
    --------
    >>> mteb_language("cs"), mteb_language("tlh")
    ('ces-Latn', None)
    """
    return _LANGUAGES.get(code)


def task_name(title: str) -> str:
    """A name such as MTEB's tasks have.

    Examples
    --------
    >>> task_name("Similarity of my pairs (v2)")
    'SimilarityOfMyPairsV2'
    """
    words = re.findall(r"[A-Za-z0-9]+", title)
    return "".join(word[:1].upper() + word[1:] for word in words) or "KostraTask"


def mteb_file(recipe: Recipe, edition: Edition, *, name: str) -> str | None:
    """The text of the file; None where there is no test split or MTEB has no name for the language."""
    language = mteb_language(recipe.recipe.language)
    if language is None or "test" not in edition.parts:
        return None
    about, score = recipe.recipe, recipe.score
    title = " ".join(name.split())
    return f'''"""{task_name(title)} as a task of MTEB.

    import mteb
    from mteb_task import Task

    mteb.evaluate(mteb.get_model("intfloat/multilingual-e5-small"), Task())
"""

from pathlib import Path

from mteb.abstasks.sts import AbsTaskSTS
from mteb.abstasks.task_metadata import TaskMetadata


class Task(AbsTaskSTS):
    """Scores of pairs, against the similarity of their vectors, on the test split."""

    metadata = TaskMetadata(
        name={task_name(title)!a},
        description={f"{title}: {' '.join(about.protocol.split())}."!a},
        dataset={{"path": str(Path(__file__).resolve().parent), "name": "pairs", "revision": {edition.version!a}}},
        type="STS",
        category="t2t",
        modalities=["text"],
        eval_splits=["test"],
        eval_langs=[{language!a}],
        main_score="cosine_spearman",
    )
    column_names = ("text_a", "text_b")
    min_score = {score.low!r}
    max_score = {score.high!r}
'''
