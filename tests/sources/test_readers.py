"""Corpora in the forms in which people keep them: what is read, what is counted, and what bad input says."""

from __future__ import annotations

import gzip
import json
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from kostra import files as ground
from kostra import tables
from kostra.errors import KostraError
from kostra.pipeline import build
from kostra.projects import new
from kostra.recipe import About, Recipe, Score, Step
from kostra.sources import (
    conllu,
    documents,
    files,
    images,
    incident_files,
    incidents,
    nli,
    paraphrases,
    scored_pairs,
    select,
    tweets,
)
from kostra.steps import Context, Inputs, component
from kostra.tables import SENTENCES, check

SAMPLES = Path(files.__file__).parent / "samples"
NOW = datetime(2026, 3, 1, tzinfo=UTC)
try:
    HAS_ZSTD = ground.zstd("") is not None
except KostraError:
    HAS_ZSTD = False


@pytest.fixture
def context(tmp_path: Path) -> Context:
    step = Step(name="own", use="sources/files")
    about = About(name="try", title="Try", protocol="none", language="en", seed=1, citation="Nobody, 2026.")
    recipe = Recipe(recipe=about, score=Score(question="relatedness", low=0.0, high=1.0), steps=(step,))
    rng = np.random.default_rng(1)
    return Context(recipe=recipe, step=step, project=tmp_path, folder=tmp_path, rng=rng, now=NOW)


def run(module: Any, context: Context, inputs: dict[str, pl.DataFrame] | None = None, **options: Any) -> Any:
    return module.run(Inputs(inputs or {}), module.Options(**options), context)


def messages(context: Context) -> list[str]:
    return [finding.message for finding in context.findings]


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def sentences(*rows: dict[str, Any]) -> pl.DataFrame:
    filled = [{"text": "A text.", "source": "own", "language": "en"} | row for row in rows]
    return check(pl.DataFrame(filled, schema_overrides={"position": pl.Int64}), SENTENCES)


# Compressed files and folders --------------------------------------------------------------------------


def test_a_gzip_file_is_read_as_what_it_holds(tmp_path: Path, context: Context) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"text\nOne.\nTwo.\n"))
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress("Tři.\n".encode()))
    made = run(files, context, paths=("*.gz",))["sentences"]
    assert made.select("sentence", "text").rows() == [("a-2", "One."), ("a-3", "Two."), ("b-1", "Tři.")]


def test_what_is_written_compressed_comes_back_and_is_the_same_bytes_each_time(tmp_path: Path) -> None:
    frame = sentences({"sentence": "a"}, {"sentence": "b"})
    for name in ("a.csv.gz", "b.csv.gz"):
        tables.write(frame, tmp_path / name)
    assert tables.read(tmp_path / "a.csv.gz", SENTENCES).equals(frame)
    first, second = ((tmp_path / name).read_bytes() for name in ("a.csv.gz", "b.csv.gz"))
    assert first == second
    assert first.startswith(b"\x1f\x8b")


@pytest.mark.skipif(not HAS_ZSTD, reason="needs Python 3.14 or backports.zstd")
def test_a_zstandard_file_is_read_and_written(tmp_path: Path, context: Context) -> None:
    frame = sentences({"sentence": "a"})
    tables.write(frame, tmp_path / "a.csv.zst")
    assert tables.read(tmp_path / "a.csv.zst", SENTENCES).equals(frame)
    whole = (tmp_path / "a.csv.zst").read_bytes()
    (tmp_path / "cut.csv.zst").write_bytes(whole[:-9])
    with pytest.raises(KostraError, match=r"cut\.csv\.zst: cannot be unpacked"):
        run(files, context, paths=("cut.csv.zst",))


def test_zstandard_without_its_library_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("compression.zstd", "backports.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    write(tmp_path, "a.csv.zst", "x")
    with pytest.raises(KostraError, match=r"backports\.zstd") as caught:
        ground.read_bytes(tmp_path / "a.csv.zst")
    assert caught.value.remedy == "pip install 'kostra[zstd]'"


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: data[:30], lambda _: b"plain text"])
def test_a_gzip_file_that_is_cut_short_or_none_is_refused(tmp_path: Path, context: Context, damage: Any) -> None:
    data = gzip.compress(b"text\n" + b"A sentence that goes on.\n" * 50)
    (tmp_path / "a.csv.gz").write_bytes(damage(data))
    with pytest.raises(KostraError, match=r"a\.csv\.gz: cannot be unpacked") as caught:
        run(files, context, paths=("a.csv.gz",))
    assert "fetch it again" in str(caught.value)


def test_a_folder_stands_for_the_files_in_it_and_what_is_no_corpus_is_named(tmp_path: Path, context: Context) -> None:
    write(tmp_path, "corpus/a.txt", "One.\n")
    write(tmp_path, "corpus/deep/b.csv", "text\nTwo.\n")
    write(tmp_path, "corpus/.hidden/c.txt", "Three.\n")
    write(tmp_path, "corpus/README.md", "About.\n")
    made = run(files, context, paths=("corpus",))["sentences"]
    assert made["text"].to_list() == ["One.", "Two."]
    assert messages(context) == ["files of other kinds in the folder, left out: 1 (README.md)"]


def test_a_folder_without_a_corpus_is_refused(tmp_path: Path, context: Context) -> None:
    write(tmp_path, "corpus/README.md", "About.\n")
    with pytest.raises(KostraError, match="no file with the ending"):
        run(files, context, paths=("corpus",))


# Bad input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("a.csv", "text,label\nOne.,x\nTwo.\n", r"a\.csv:3: found 1 column where the header has 2"),
        ("a.tsv", "text\tlabel\nOne.\tx\ty\n", r"a\.tsv:2: found 3 columns where the header has 2"),
        ("a.txt", "", "the file has no rows"),
        ("a.txt", "\n  \n", "the file has no rows"),
        ("a.csv", "", "the file is empty"),
        ("a.csv", "text\n", "the file has no rows"),
        ("a.jsonl", "", "the file is empty"),
        ("a.csv", "sentence,text\ns1,One.\ns1,Two.\n", r'a\.csv:3: sentence "s1" stands twice \(lines 2 and 3\)'),
    ],
)
def test_a_broken_corpus_is_one_error_with_its_line(
    tmp_path: Path, context: Context, name: str, text: str, complaint: str
) -> None:
    write(tmp_path, name, text)
    with pytest.raises(KostraError, match=complaint):
        run(files, context, paths=(name,))


def test_mixed_encodings_are_refused_at_the_line_of_the_first_wrong_byte(tmp_path: Path, context: Context) -> None:
    lines = ["Příliš žluťoučký kůň.".encode()] * 3 + ["Příliš žluťoučký kůň.".encode("cp1250")]
    (tmp_path / "a.txt").write_bytes(b"\n".join(lines))
    with pytest.raises(KostraError, match=r"a\.txt:4: the text is not UTF-8"):
        run(files, context, paths=("a.txt",))


def test_a_corpus_of_one_sentence_is_a_corpus(tmp_path: Path, context: Context) -> None:
    write(tmp_path, "a.txt", "One.")
    assert run(files, context, paths=("a.txt",))["sentences"]["text"].to_list() == ["One."]


def test_one_enormous_line_is_read_and_reported(tmp_path: Path, context: Context) -> None:
    write(tmp_path, "a.txt", "short\n" + "word " * 2_000_000 + "\n")
    made = run(files, context, paths=("a.txt",))["sentences"]
    assert made["text"].str.len_chars().to_list() == [5, 9_999_999]
    (found,) = context.findings
    assert str(found).endswith("1 text has more than 10,000 characters (line 2)")


# CoNLL-U -----------------------------------------------------------------------------------------------

WORD = "{}\t{}" + "\t_" * 7 + "\t{}\n"


def test_conllu_gives_texts_ids_and_documents(tmp_path: Path, context: Context) -> None:
    first = "# newdoc id = d1\n# sent_id = s1\n# text = It rains.\n" + WORD.format(1, "It", "_")
    second = "# sent_id = s2\n" + WORD.format("1-2", "Won't", "_") + WORD.format(1, "Will", "_")
    second += WORD.format(2, "not", "_") + WORD.format("2.1", "ghost", "_") + WORD.format(3, "stop", "SpaceAfter=No")
    second += WORD.format(4, ".", "_")
    write(tmp_path, "a.conllu", f"{first}\n{second}")
    made = run(conllu, context, paths=("a.conllu",))["sentences"]
    assert made.select("sentence", "text", "document", "position").rows() == [
        ("s1", "It rains.", "d1", 1),
        ("s2", "Won't stop.", "d1", 2),
    ]
    assert messages(context) == ["sentences without # text, put together from their words: 1"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("# text = A.\n1\tA\n", r"a\.conllu:2: found 2 columns"),
        ("# text = A.\n" + WORD.format("one", "A", "_"), r"a\.conllu:2: found \"one\" as a word's number"),
        ("# text = A.\n\n", r"a\.conllu:1: the sentence has comments and no words"),
        ("\n\n", "the file holds no sentence"),
        (f"# sent_id = s\n{WORD.format(1, 'A', '_')}\n# sent_id = s\n{WORD.format(1, 'B', '_')}", "stands twice"),
    ],
)
def test_malformed_conllu_is_refused_with_its_line(tmp_path: Path, context: Context, text: str, complaint: str) -> None:
    write(tmp_path, "a.conllu", text)
    with pytest.raises(KostraError, match=complaint):
        run(conllu, context, paths=("a.conllu",))


def test_every_text_of_a_treebank_can_be_put_together_from_its_words(data: Path, tmp_path: Path) -> None:
    source = data / "ud" / "cs_pud-first600.conllu"
    bare = "\n".join(line for line in ground.read_text(source).split("\n") if not line.startswith("# text"))
    made, _ = conllu.read_conllu(write(tmp_path, "a.conllu", bare), language="cs")
    wanted, _ = conllu.read_conllu(source, language="cs")
    assert made["text"].to_list() == wanted["text"].to_list()
    assert wanted.height == 600


# Pairs of wordings -------------------------------------------------------------------------------------


def test_a_file_without_header_gives_groups_of_two(tmp_path: Path, context: Context) -> None:
    write(tmp_path, "p.tsv", "One thing.\tA thing.\nSame.\tSame.\nHalf.\t\n")
    made = run(paraphrases, context, paths=("p.tsv",), header=False, labels=("formal", "informal"))["sentences"]
    assert made.select("sentence", "group", "label").rows() == [
        ("p-1a", "p-1", "formal"),
        ("p-1b", "p-1", "informal"),
        ("p-2a", "p-2", "formal"),
        ("p-2b", "p-2", "informal"),
    ]
    assert messages(context) == [
        "rows that lack one of the two wordings, left out: 1",
        "rows that say the same thing twice in the same words: 1",
    ]


def test_ids_of_two_files_of_wordings_do_not_meet(tmp_path: Path, context: Context) -> None:
    for name in ("p.csv", "q.csv"):
        write(tmp_path, name, "id,sentence1,sentence2\n1,One.,Two.\n")
    made = run(paraphrases, context, paths=("*.csv",))["sentences"]
    assert made["sentence"].to_list() == ["p-1a", "p-1b", "q-1a", "q-1b"]


def test_wordings_need_two_columns_and_two_labels(tmp_path: Path, context: Context) -> None:
    write(tmp_path, "p.csv", "thing\nOne.\n")
    with pytest.raises(KostraError, match="no column for the first wording; found thing"):
        run(paraphrases, context, paths=("p.csv",))
    with pytest.raises(ValueError, match="1 different labels"):
        paraphrases.Options(paths=("p.csv",), labels=("a", "a"))


# Inference ---------------------------------------------------------------------------------------------


def snli(folder: Path) -> Path:
    names = ("captionID", "pairID", "sentence1", "sentence2", "gold_label")
    given = [
        ("1", "1e", "A dog runs.", "It moves.", "entailment"),
        ("1", "1n", "A dog runs.", "It is old.", "-"),
        ("2", "2c", "It rains.", "It is dry.", "contradiction"),
    ]
    rows = [dict(zip(names, row, strict=True)) for row in given]
    return write(folder, "snli.jsonl", "".join(json.dumps(row) + "\n" for row in rows))


def test_premises_stand_once_each(tmp_path: Path, context: Context) -> None:
    snli(tmp_path)
    made = run(nli, context, paths=("snli.jsonl",))["sentences"]
    assert made.select("sentence", "text", "group", "label").rows() == [
        ("snli-1", "A dog runs.", "1", "premise"),
        ("snli-3", "It rains.", "2", "premise"),
    ]
    assert messages(context) == ["3 pairs have 2 different premises"]


def test_hypotheses_stand_under_their_premise(tmp_path: Path, context: Context) -> None:
    snli(tmp_path)
    made = run(nli, context, paths=("snli.jsonl",), take="sentences")["sentences"]
    assert made["label"].to_list() == ["premise", "hypothesis", "hypothesis", "premise", "hypothesis"]
    assert made["group"].to_list() == ["1", "1", "1", "2", "2"]


def test_pairs_without_a_gold_label_are_counted_and_get_no_score(tmp_path: Path, context: Context) -> None:
    snli(tmp_path)
    made = run(nli, context, paths=("snli.jsonl",), take="pairs")
    assert made["pairs"]["pair"].to_list() == ["1e", "1n", "2c"]
    assert made["scores"].select("item", "label").rows() == [("1e", "entailment"), ("2c", "contradiction")]
    assert [str(finding) for finding in context.findings] == [
        f"{tmp_path / 'snli.jsonl'}: pairs without a gold label (-), which get no score: 1 of 3 (line 2)"
    ]


def test_an_unknown_inference_label_is_refused_with_its_line(tmp_path: Path, context: Context) -> None:
    write(tmp_path, "a.csv", "premise,hypothesis,label\nA.,B.,entailment\nA.,C.,maybe\n")
    with pytest.raises(KostraError, match=r'a\.csv:3: column "label": found "maybe"'):
        run(nli, context, paths=("a.csv",), take="pairs")


# Scored pairs ------------------------------------------------------------------------------------------


def test_the_sample_of_scored_pairs_spans_the_scale() -> None:
    found = scored_pairs.read_scored_pairs(SAMPLES / "en" / "sts.csv", low=0, high=5, question="similarity")
    assert (found.pairs.height, found.scores.height, found.findings) == (60, 60, ())
    in_unit = [sum(low <= score < low + 1 for score in found.scores["score"]) for low in range(5)]
    assert min(in_unit) >= 7


def test_a_pair_without_a_score_is_kept_counted_and_not_scored(tmp_path: Path, context: Context) -> None:
    write(tmp_path, "a.csv", "s1,s2,score,mood\nA.,B.,1\x2e5,x\nC.,D.,,x\n")
    made = run(scored_pairs, context, paths=("a.csv",), low=0.0, high=5.0, question="similarity")
    assert made["pairs"]["pair"].to_list() == ["a-2", "a-3"]
    assert made["scores"].select("item", "question", "score", "appearances").rows() == [("a-2", "similarity", 1.5, 0)]
    assert messages(context) == [
        "columns that are not used are left out: mood",
        "pairs without a score, which get none: 1 of 2",
    ]


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ("A.,B.,7\n", r'a\.csv:2: column "score": found 7\n  accepted: a number from 0 to 5'),
        ("A.,B.,high\n", r'a\.csv:2: column "score": found "high"'),
        ("A.,,3\n", r'a\.csv:2: column "s2": found nothing'),
        ("A.,B.,\n", "no pair has a score"),
    ],
)
def test_a_score_that_cannot_be_is_refused_with_its_line(
    tmp_path: Path, context: Context, rows: str, complaint: str
) -> None:
    write(tmp_path, "a.csv", f"s1,s2,score\n{rows}")
    with pytest.raises(KostraError, match=complaint):
        run(scored_pairs, context, paths=("a.csv",), low=0.0, high=5.0, question="similarity")


# Tweets, images, documents -----------------------------------------------------------------------------


def test_tweets_keep_target_and_stance_in_our_words(tmp_path: Path, context: Context) -> None:
    write(
        tmp_path, "t.tsv", "ID\tTarget\tTweet\tStance\tSentiment\n1\tcars\tMore!\tFAVOR\tpos\n2\tcars\tNo.\tNONE\tneg\n"
    )
    made = run(tweets, context, paths=("t.tsv",), label="stance/sentiment")["sentences"]
    assert made.select("sentence", "group", "label").rows() == [
        ("t-1", "cars", "for/positive"),
        ("t-2", "cars", "none/negative"),
    ]
    assert messages(context) == ["cars: for/positive 1; cars: none/negative 1"]


def test_an_unknown_stance_is_refused_unless_it_is_explained(tmp_path: Path, context: Context) -> None:
    write(tmp_path, "t.csv", "target,text,stance\ncars,More!,yes\n")
    with pytest.raises(KostraError, match=r't\.csv:2: column "stance": found "yes"'):
        run(tweets, context, paths=("t.csv",))
    assert run(tweets, context, paths=("t.csv",), stances={"YES": "for"})["sentences"]["label"].to_list() == ["for"]


def test_images_become_documents_without_text(tmp_path: Path, context: Context) -> None:
    write(tmp_path, "i.csv", "image,theme,author,caption,file\ni1,dogs,a,A dog.,x/1.jpg\ni1,dogs,b,The dog.,x/1.jpg\n")
    made = run(images, context, paths=("i.csv",))
    assert made["documents"].select("document", "kind", "group", "title", "text").rows() == [
        ("i1", "image", "dogs", "x/1.jpg", None)
    ]
    assert made["sentences"].select("sentence", "document", "group", "label").rows() == [
        ("i1-a", "i1", "dogs", "a"),
        ("i1-b", "i1", "dogs", "b"),
    ]
    assert messages(context) == ["images: 1, in 1 themes, with 2 to 2 captions each"]


def test_an_image_in_two_themes_is_refused(tmp_path: Path, context: Context) -> None:
    write(tmp_path, "i.csv", "image,theme,caption\ni1,dogs,A dog.\ni1,cats,A cat.\n")
    with pytest.raises(KostraError, match=r'i\.csv:3: column "theme": image "i1" is in the theme "cats" here'):
        run(images, context, paths=("i.csv",))


def test_a_missing_caption_is_counted(tmp_path: Path, context: Context) -> None:
    write(tmp_path, "i.csv", "image,theme,caption_a,caption_b\ni1,dogs,A dog.,\n")
    assert run(images, context, paths=("i.csv",))["sentences"]["sentence"].to_list() == ["i1-a"]
    assert messages(context)[0] == "captions that are empty: 1"


def test_reviews_keep_the_book_they_are_about(tmp_path: Path, context: Context) -> None:
    write(tmp_path, "r.csv", "review_id,book,review_text,stars\nr1,The Sea,Good. Long.,4\nr2,The Sea,,1\n")
    write(tmp_path, "essay.txt", "One.\n\nTwo.\n")
    made = run(documents, context, paths=("r.csv", "essay.txt"), kind="review")["documents"]
    assert made.select("document", "kind", "group", "text").rows() == [
        ("r1", "review", "The Sea", "Good. Long."),
        ("r2", "review", "The Sea", None),
        ("essay", "review", None, "One.\n\nTwo.\n"),
    ]
    assert messages(context) == ["columns that are not used are left out: stars", "documents without text: 1"]


# Incidents ---------------------------------------------------------------------------------------------


def test_incidents_join_sentences_to_documents_and_list_what_is_not_whole(context: Context) -> None:
    frame = sentences(
        {"sentence": "r2", "text": "Wet.", "group": "i1", "label": "report", "document": "d1", "position": 2},
        {"sentence": "r1", "text": "Rain.", "group": "i1", "label": "report", "document": "d1", "position": 1},
        {"sentence": "s1", "text": "It rained.", "group": "i1", "label": "summary", "document": None, "position": None},
        {"sentence": "s2", "group": "i2", "label": "summary", "document": None, "position": None},
        {"sentence": "x", "group": "i1", "label": "photo", "document": None, "position": None},
    )
    made = run(incidents, context, {"sentences": frame})
    assert made["documents"].select("document", "kind", "group", "text").rows() == [
        ("d1", "report", "i1", "Rain. Wet."),
        ("i1-summary", "summary", "i1", "It rained."),
    ]
    assert made["sentences"].select("sentence", "document", "position").rows() == [
        ("r2", "d1", 2), ("r1", "d1", 1), ("s1", "i1-summary", 1),
    ]  # fmt: skip
    assert messages(context) == [
        "sentences that have no incident, or are neither summary nor report: 1 of 5 (x)",
        "incidents that are not whole, left out: 1 of 2: i2 (summaries: 1, reports: 0)",
        "incidents: 1, with reports: 1 and sentences: 3",
    ]


def test_a_document_of_two_incidents_is_refused(context: Context) -> None:
    rows = [{"sentence": n, "group": g, "label": "report", "document": "d"} for n, g in (("a", "i1"), ("b", "i2"))]
    with pytest.raises(KostraError, match="documents that stand in two incidents"):
        run(incidents, context, {"sentences": sentences(*rows)})


def test_incident_files_keep_titles_and_ids_of_reports(tmp_path: Path, context: Context) -> None:
    report = {"id": "ctk-7", "title": "Flood", "text": ["Rain.", "Wet."]}
    write(tmp_path, "n.jsonl", json.dumps({"incident": "i", "summary": ["It rained."], "reports": [report]}) + "\n")
    made = run(incident_files, context, paths=("n.jsonl",))
    assert made["documents"].select("document", "kind", "title").rows() == [
        ("i-summary", "summary", None),
        ("ctk-7", "report", "Flood"),
    ]
    assert made["sentences"]["sentence"].to_list() == ["i-summary-1", "ctk-7-1", "ctk-7-2"]


@pytest.mark.parametrize("reports", ["[]", "null", '[{"title": "x"}]', '[[""]]', "[7]"])
def test_an_incident_without_reports_is_refused_with_its_line(tmp_path: Path, context: Context, reports: str) -> None:
    write(tmp_path, "n.jsonl", f'{{"incident": "i", "summary": ["It rained."], "reports": {reports}}}\n')
    with pytest.raises(KostraError, match=r"n\.jsonl:1: column \"reports\": found no"):
        run(incident_files, context, paths=("n.jsonl",))


# Selecting ---------------------------------------------------------------------------------------------


def test_select_counts_what_it_removed_by_value(context: Context) -> None:
    frame = sentences(
        {"sentence": "a", "label": "x"}, {"sentence": "b", "label": "y"}, {"sentence": "c", "label": None}
    )
    made = run(select, context, {"sentences": frame}, labels=("x",))["sentences"]
    assert made["sentence"].to_list() == ["a"]
    assert messages(context) == ["2 of 3 sentences removed by their label: none (1), y (1)"]


def test_selecting_what_no_sentence_has_is_refused_with_the_nearest(context: Context) -> None:
    frame = sentences({"sentence": "a", "label": "standard"})
    with pytest.raises(KostraError, match='unknown label "standart"') as caught:
        run(select, context, {"sentences": frame}, labels=("standart",))
    assert caught.value.remedy == 'did you mean "standard"?'
    with pytest.raises(ValueError, match="nothing is selected by"):
        select.Options()


# In recipes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["scored_pairs", "select", "incidents", "triaged", "conllu", "nli", "tweets", "split"])
def test_a_source_keeps_the_contract_of_steps(name: str) -> None:
    assert component(f"sources/{name}").__doc__


def test_the_steps_of_czech_news_run_up_to_the_incidents(tmp_path: Path) -> None:
    built = build(new("czech_news_sts", tmp_path / "p"), to="incidents", now=NOW)
    (step,) = [status for status in built.steps if status.step.name == "incidents"]
    assert (step.state, step.rows) == ("done", {"documents": 40, "sentences": 150})


def test_the_steps_of_str2021_run_up_to_its_selection(tmp_path: Path) -> None:
    project = new("str2021", tmp_path / "p")
    shutil.copy(SAMPLES / "en" / "sts.csv", project / "data" / "sts.csv")
    built = build(project, to="wikipedia_standard", now=NOW)
    rows = {status.step.name: dict(status.rows) for status in built.steps}
    assert {status.state for status in built.steps} == {"done"}
    assert rows["sts"] == {"pairs": 60, "scores": 60}
    assert rows["wikipedia_standard"]["sentences"] == rows["wikipedia_sentences"]["sentences"] // 2
