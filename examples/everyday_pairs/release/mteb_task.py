"""EverydayPairs as a task of MTEB.

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
        name='EverydayPairs',
        description='Everyday pairs: 48 pairs written in four degrees of closeness, best\u2013worst scaling, four answers per tuple.',
        dataset={"path": str(Path(__file__).resolve().parent), "name": "pairs", "revision": '1.0.0'},
        type="STS",
        category="t2t",
        modalities=["text"],
        eval_splits=["test"],
        eval_langs=['eng-Latn'],
        main_score="cosine_spearman",
    )
    column_names = ("text_a", "text_b")
    min_score = 0.0
    max_score = 1.0
