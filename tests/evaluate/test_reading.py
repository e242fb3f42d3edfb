"""What a user may name as a dataset, and what happens if it is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from kostra.errors import KostraError
from kostra.evaluate.reading import read_dataset
from kostra.evaluation import evaluate
from kostra.projects import new

HEADER = "sentence1,sentence2,score\n"
ROWS = "A dog barks.,A dog is loud.,4.5\nIt rains.,He sleeps.,0.5\n"


@pytest.mark.parametrize(
    ("file", "name", "tasks", "language"),
    [
        ("str2022.csv", "str2021", ("relatedness",), ("eng-Latn",)),
        ("cna_free_test.tsv", "czech_news_sts", ("relatedness",), ("ces-Latn",)),
        ("cdsc_trial.tsv", "cdsc", ("relatedness", "entailment"), ("pol-Latn",)),
        ("costra11.tsv", "costra", ("transformations", "triplets"), ("ces-Latn",)),
    ],
)
def test_the_files_of_known_datasets_are_recognised(
    data: Path, file: str, name: str, tasks: tuple[str, ...], language: tuple[str, ...]
) -> None:
    found = read_dataset(data / file)
    assert (found.name, found.tasks(), found.languages) == (name, tasks, language)
    assert read_dataset(f"{name}={data / file}").tasks() == tasks


@pytest.mark.parametrize(
    "header",
    ["sentence1,sentence2,score", "text_a,text_b,similarity", "s1,s2,gold", "Sentence1,SENTENCE2,Score"],
)
def test_usual_names_of_columns_are_recognised(tmp_path: Path, header: str) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(f"{header}\n{ROWS}")
    found = read_dataset(file)
    assert found.scored().gold.tolist() == [4.5, 0.5]
    assert found.scored().pairs[0] == ("A dog barks.", "A dog is loud.")


def test_columns_can_be_named(tmp_path: Path) -> None:
    file = tmp_path / "mine.tsv"
    file.write_text("links\trechts\tnote\tscore\nA dog.\tA cat.\t3\t9\n")
    columns = {"text_a": "links", "text_b": "rechts", "score": "note"}
    assert read_dataset(file, columns=columns).scored().gold.tolist() == [3.0]


def test_a_column_of_labels_is_a_task_of_its_own_and_one_of_numbers_a_score(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("premise,hypothesis,label\na,b,Entailment\nc,d,neutral\n")
    found = read_dataset(file)
    assert found.tasks() == ("entailment",)
    assert found.labelled().labels == ("entailment", "neutral")
    file.write_text("sentence1,sentence2,label\na,b,3.5\nc,d,1\n")
    assert read_dataset(file).scored().gold.tolist() == [3.5, 1.0]


def test_a_group_column_keeps_pairs_together(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("sentence1,sentence2,score,image\na,b,1,i1\nc,d,2,i2\n")
    assert read_dataset(file).scored().groups == ("i1", "i2")


def test_anchor_near_and_far_are_triplets(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("anchor,positive,negative\na b,a b c,x y\n")
    found = evaluate(file, "dice", samples=0)
    assert found.evaluations[0].task == "triplets"
    assert found.evaluations[0].value("cosine_accuracy") == 1.0


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "the file is empty"),
        (HEADER, "the file has no rows"),
        ("x,y,z\na,b,1\n", "no column for the first sentence; found x, y, z"),
        ("sentence1,sentence2,mark\na,b,1\n", "no column for the score; found sentence1, sentence2, mark"),
        (HEADER + "a,b,high\n", 'mine.csv:2: column "score": found "high"'),
        (HEADER + "a,,\n", "no row has two sentences and a score"),
    ],
    ids=["empty", "header only", "no sentences", "no score", "not a number", "nothing left"],
)
def test_a_file_that_cannot_be_evaluated_is_refused_clearly(tmp_path: Path, text: str, match: str) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(text)
    with pytest.raises(KostraError, match=match):
        evaluate(file, "dice")


def test_a_wrong_column_name_lists_the_columns_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(HEADER + ROWS)
    with pytest.raises(KostraError, match='unknown column of the file "scor"') as caught:
        read_dataset(file, columns={"score": "scor"})
    assert caught.value.accepted == "score, sentence1, sentence2"
    with pytest.raises(KostraError, match='unknown column of evaluation "scor"'):
        read_dataset(file, columns={"scor": "score"})


def test_what_is_not_there_is_said_with_what_is_accepted(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="no such file or folder"):
        read_dataset(tmp_path / "nothing.csv")
    with pytest.raises(KostraError, match="this folder holds no dataset"):
        read_dataset(tmp_path)
    with pytest.raises(KostraError, match='unknown dataset "str2012"') as caught:
        read_dataset("str2012=file.csv")
    assert "str2021" in (caught.value.remedy or "")


@pytest.mark.parametrize("spec", ["sbert:/no/such/model", "vectors:/no/such/file.bin", "no_such_encoder"])
def test_a_missing_model_is_a_clear_error(tmp_path: Path, spec: str) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(HEADER + ROWS)
    with pytest.raises(KostraError):
        evaluate(file, [spec])


def test_an_unknown_task_protocol_or_question_lists_those_there_are(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(HEADER + ROWS)
    with pytest.raises(KostraError, match='unknown task "relatednes"'):
        evaluate(file, "dice", tasks=["relatednes"])
    with pytest.raises(KostraError, match='unknown protocol "grouping"'):
        evaluate(file, "dice", protocol="grouping")  # type: ignore[arg-type]
    with pytest.raises(KostraError, match='has nothing for the task "entailment"'):
        evaluate(file, "dice", tasks=["entailment"])


def test_scores_outside_the_declared_range_are_told_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "scored.csv"
    path.write_text("sentence1,sentence2,score\na b,a c,4\na,b,9\n", encoding="utf-8")
    (told,) = [one for one in read_dataset(path, low=0, high=5).findings if '"score" outside' in one]
    assert told.endswith('1 value of "score" outside 0 to 5: 9 (line 3)')
    assert not [one for one in read_dataset(path).findings if '"score" outside' in one]


def test_a_project_is_not_taken_for_its_dataset(tmp_path: Path) -> None:
    project = new("bws", tmp_path / "mine")
    with pytest.raises(KostraError, match="this is a project, not the dataset that it makes") as caught:
        read_dataset(project)
    assert f"try: kostra build {project}" in str(caught.value)
    (project / "dataset").mkdir()
    with pytest.raises(KostraError, match=r"name the dataset: .*dataset"):
        read_dataset(project)


def test_a_dataset_folder_with_rewrites_can_be_asked_about_them(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "sentences").mkdir()
    (tmp_path / "data" / "pairs.csv").write_text("pair,text_a,text_b,score\np,It rains.,It rained.,0.5\n")
    rows = ["sentence,text,source,language,origin,change", "s,It rains.,x,en,,", "r,It rained.,x,en,s,past"]
    (tmp_path / "sentences" / "sentences.csv").write_text("\n".join(rows) + "\n")
    assert read_dataset(tmp_path).tasks() == ("relatedness", "transformations", "triplets")
