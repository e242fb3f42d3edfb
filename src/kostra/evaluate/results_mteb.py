"""Which of MTEB's tasks a set of pairs is: its name may be used only for the very same data, split and metric.

MTEB publishes counts about the data of each task. A set of pairs is taken for a task's if the number of pairs, the
characters on either side and the mean score are all the same: that holds for copies, and for nothing else in practice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MAIN = "cosine_spearman"
SPLIT = "test"


@dataclass(frozen=True)
class MtebTask:
    """A task of MTEB, or one language of it."""

    name: str
    subset: str
    language: str
    revision: str
    """Of the dataset on the Hugging Face hub."""
    pairs: int
    characters: tuple[int, int]
    """In all first and in all second sentences."""
    mean: float
    """Of the scores, on the dataset's own scale."""


_STSB = "b0fddb56ed78048fa8b90373c8a3cfc37b684831"
_SEMREL = "f5146bf724c55899ca20502851dc98c5405b67f9"

# From the descriptive statistics that come with mteb 2.26; a test holds them to what is installed.
TASKS = (
    MtebTask(
        "CDSC-R", "default", "pol-Latn", "1cd6abbb00df7d14be3dbd76a7dcc64b3a79a7cd", 1000, (75237, 74704), 2.50443
    ),
    MtebTask(
        "STSBenchmark",
        "default",
        "eng-Latn",
        "b0fddb56ed78048fa8b90373c8a3cfc37b684831",
        1379,
        (74107, 73779),
        2.607917,
    ),
    MtebTask(
        "SICK-R", "default", "eng-Latn", "20a6d6f312dd54037fe07a32d58e5e168867909d", 9927, (462620, 452997), 3.529149
    ),
    MtebTask("SemRel24STS", "afr", "afr-Latn", _SEMREL, 375, (29311, 29795), 0.49928),
    MtebTask("SemRel24STS", "amh", "amh-Ethi", _SEMREL, 171, (6800, 6762), 0.50152),
    MtebTask("SemRel24STS", "arb", "arb-Arab", _SEMREL, 595, (26991, 28671), 0.502756),
    MtebTask("SemRel24STS", "arq", "arq-Arab", _SEMREL, 583, (18865, 19490), 0.510069),
    MtebTask("SemRel24STS", "ary", "ary-Arab", _SEMREL, 426, (47309, 46977), 0.510352),
    MtebTask("SemRel24STS", "eng", "eng-Latn", _SEMREL, 2600, (166254, 166793), 0.516615),
    MtebTask("SemRel24STS", "hau", "hau-Latn", _SEMREL, 603, (63518, 66281), 0.496219),
    MtebTask("SemRel24STS", "hin", "hin-Deva", _SEMREL, 968, (69238, 72718), 0.496157),
    MtebTask("SemRel24STS", "ind", "ind-Latn", _SEMREL, 360, (31090, 31180), 0.499667),
    MtebTask("SemRel24STS", "kin", "kin-Latn", _SEMREL, 222, (31428, 31405), 0.50009),
    MtebTask("SemRel24STS", "mar", "mar-Deva", _SEMREL, 298, (24372, 26325), 0.501611),
    MtebTask("SemRel24STS", "tel", "tel-Telu", _SEMREL, 297, (25884, 26607), 0.498754),
)


def same_data(
    pairs: Sequence[tuple[str, str]], gold: Sequence[float], *, tasks: Sequence[MtebTask] = TASKS
) -> MtebTask | None:
    """The task of MTEB whose test data these are; None if they are not.

    Examples
    --------
    >>> mine = MtebTask("Mine", "default", "eng-Latn", "1", 1, (2, 3), 0.5)
    >>> same_data([("ab", "abc")], [0.5], tasks=[mine]).name
    'Mine'
    >>> same_data([("ab", "abc")], [0.6], tasks=[mine]) is None
    True
    """
    if not len(pairs):
        return None
    characters = (sum(len(a) for a, _ in pairs), sum(len(b) for _, b in pairs))
    mean = sum(float(score) for score in gold) / len(pairs)
    return next(
        (
            task
            for task in tasks
            if (task.pairs, task.characters) == (len(pairs), characters) and abs(task.mean - mean) < 1e-5
        ),
        None,
    )


def noted(task: MtebTask | None) -> dict[str, str]:
    """What an evaluation's details hold about it, for `kostra.evaluate.results` to use.

    Examples
    --------
    >>> noted(None)
    {}
    """
    if task is None:
        return {}
    return {"mteb_task": task.name, "mteb_subset": task.subset, "mteb_revision": task.revision}
