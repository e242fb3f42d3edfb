from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from kostra import cli


class Terminal:
    """Calls the command line in this process and keeps what it printed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, *words: str | Path) -> tuple[int, str, str]:
        self._monkeypatch.setattr(sys, "argv", ["kostra", *(str(word) for word in words)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        printed = self._capsys.readouterr()
        code = ended.value.code
        return (code if isinstance(code, int) else 0), printed.out, printed.err


@pytest.fixture
def kostra(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(monkeypatch, capsys)


def test_recipes_are_listed_with_language_protocol_and_citation(kostra: Terminal) -> None:
    code, out, _ = kostra("recipes")
    assert code == 0
    assert "str2021  [en]" in out
    found = json.loads(kostra("recipes", "--json")[1])
    assert {"costra", "czech_news_sts", "cdsc", "str2021", "rating", "bws"} <= {recipe["name"] for recipe in found}
    assert all(recipe["citation"] and recipe["protocol"] for recipe in found)


@pytest.mark.parametrize("recipe", ["bws", "rating"])
def test_a_plain_recipe_goes_from_new_to_report(kostra: Terminal, recipe: str, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    assert kostra("new", recipe, folder)[0] == 0
    code, out, _ = kostra("check", folder)
    assert code == 0
    assert "the recipe is valid" in out
    code, out, _ = kostra("build", folder, "--simulate")
    assert code == 0
    assert str(folder / "report.html") in out
    assert (folder / "dataset" / "README.md").is_file()
    assert "unchanged" in kostra("status", folder)[1]


def test_a_build_without_people_stops_kindly(kostra: Terminal, tmp_path: Path) -> None:
    kostra("new", "bws", tmp_path / "mine")
    code, _, err = kostra("build", tmp_path / "mine")
    assert code == 0
    assert "waiting: for people's answers in data/judgments.csv" in err
    assert "not everything could run" in err


def test_status_as_json_names_every_step(kostra: Terminal, tmp_path: Path) -> None:
    kostra("new", "bws", tmp_path / "mine")
    steps = json.loads(kostra("status", tmp_path / "mine", "--json")[1])
    assert steps[0]["state"] == "never"
    assert {"step", "use", "state", "why", "rows", "plan", "findings"} == set(steps[0])


def test_components_are_listed_with_what_they_do(kostra: Terminal) -> None:
    out = kostra("components")[1]
    assert "sampling/tuples\n    Balanced" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("new", "no-such-recipe", "x"), 'unknown recipe "no-such-recipe"'),
        (("check", "no-such-folder"), "there is no recipe.toml in this folder"),
        (("build", "no-such-folder"), "there is no recipe.toml in this folder"),
        (("status", "no-such-folder"), "there is no recipe.toml in this folder"),
        (("components", "attic"), 'unknown room "attic"'),
        (("tuples", "no-such-file.txt"), "no-such-file.txt: there is no such file"),
        (("bws", "no-such-file.csv"), "no-such-file.csv: there is no such file"),
        (("convert", "no-such-file.csv"), "no-such-file.csv: there is no such file"),
        (("convert", "x.csv", "--column", "text"), "accepted: OURS=THEIRS"),
    ],
)
def test_what_the_user_can_mend_is_one_message_and_exit_code_2(
    kostra: Terminal, words: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = kostra(*words)
    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert said in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == [], "nothing was left behind"


def test_agreement_is_printed_tabled_and_drawn(kostra: Terminal, tmp_path: Path) -> None:
    answers = tmp_path / "answers.csv"
    rows = ["item,annotator,value", *(f"p{n},{who},{n % 4}" for n in range(12) for who in ("ann", "bob", "eve"))]
    answers.write_text("\n".join(rows) + "\n", encoding="utf-8")
    code, out, _ = kostra("agree", answers, "--samples", "50", "-o", tmp_path / "a.csv", "--figure", tmp_path / "a.svg")
    assert code == 0
    assert "krippendorff_alpha               1.00000" in out
    assert (tmp_path / "a.csv").read_text(encoding="utf-8").startswith("statistic,question,value")
    assert "<svg" in (tmp_path / "a.svg").read_text(encoding="utf-8")
    found = json.loads(kostra("agree", answers, "--json", "--samples", "50", "--level", "ordinal")[1])
    assert set(found) == {"items", "annotators", "values", "statistics", "warnings"}
    assert set(found["statistics"]["krippendorff_alpha"]) == {"value", "low", "high", "n", "note"}
    assert kostra("agree", answers, "--level", "ordinary")[0] == 2


def test_a_score_is_corrected_only_where_the_user_names_it(kostra: Terminal, data: Path) -> None:
    release = data / "cna_free_test.tsv"
    as_released = json.loads(kostra("rounds", release, "--from", "czech_news_sts", "--json", "--samples", "20")[1])
    assert as_released["statistics"]["rounds_pearson"]["value"] == pytest.approx(0.8755, abs=5e-5)
    assert any("−4" in warning for warning in as_released["warnings"])
    words = (
        "rounds",
        release,
        "--from",
        "czech_news_sts",
        "--correct",
        "round_1:line-0004=4",
        "--json",
        "--samples",
        "20",
    )
    corrected = json.loads(kostra(*words)[1])
    assert corrected["statistics"]["rounds_pearson"]["value"] == pytest.approx(0.8787, abs=5e-5)
    assert any("corrected by the user: line-0004 from −4 to 4" in warning for warning in corrected["warnings"])
    assert kostra("rounds", release, "--from", "czech_news_sts", "--correct", "line-0004=4")[0] == 2


def test_pairs_are_drawn_from_a_corpus_with_a_bias_report(kostra: Terminal, tmp_path: Path) -> None:
    from kostra.projects import _SAMPLES

    corpus = _SAMPLES / "en" / "captions.csv"
    words = ("pairs", corpus, "--strategy", "overlap", "--option", "pairs=20", "--language", "en")
    code, out, err = kostra(*words, "--report", tmp_path / "bias", "-o", tmp_path / "pairs.csv")
    assert (code, out) == (0, "")
    assert "20 pairs of 130 sentences by overlap" in err
    assert len((tmp_path / "pairs.csv").read_text(encoding="utf-8").splitlines()) == 21
    assert (tmp_path / "bias" / "overlap.svg").is_file()
    assert "idf_dice" in kostra("pairs", "--list")[1]
    assert "did you mean" in kostra("pairs", corpus, "--strategy", "overlp")[2]
    assert kostra("pairs", corpus)[0] == 2
    code, _, err = kostra("pairs", corpus, "--strategy", "overlap", "--option", "pears=3")
    assert code == 2
    assert 'did you mean "pairs"' in err


def test_known_datasets_are_listed_and_loaded_from_a_file(kostra: Terminal, data: Path, tmp_path: Path) -> None:
    listed = json.loads(kostra("datasets", "--json")[1])
    assert {"str2021", "costra", "czech_news_sts", "cdsc"} <= {one["name"] for one in listed}
    code, _, err = kostra("datasets", "str2021", "--path", data / "str2022.csv", "-o", tmp_path / "pairs.csv")
    assert code == 0
    assert "5,500 pairs of str2021" in err
    assert kostra("datasets", "str2012")[0] == 2


def test_every_component_is_a_command_on_files(kostra: Terminal, data: Path, tmp_path: Path) -> None:
    judgments = tmp_path / "judgments.csv"
    release = data / "cna_free_test.tsv"
    assert kostra("convert", release, "--from", "czech_news_sts", "--table", "judgments", "-o", judgments)[0] == 0
    words = ("--read", f"judgments={judgments}", "--question", "similarity", "--high", "6", "--option", "samples=20")
    code, out, _ = kostra("run", "reliability/oracle_bound", *words)
    assert code == 0
    assert "oracle_bound,similarity,0.158" in out
    code, out, _ = kostra("run", "scoring/median", *words[:6], "--to", tmp_path / "made")
    assert code == 0
    assert (tmp_path / "made" / "scores.csv").is_file()
    assert "exists already" in kostra("run", "scoring/median", *words[:6], "--to", tmp_path / "made")[2]
    assert "needs judgments" in kostra("run", "scoring/median")[2]
    assert "did you mean" in kostra("run", "scoring/medan", *words[:6])[2]
    assert "unknown option" in kostra("run", "scoring/median", *words[:6], "--option", "nope=1")[2]


def test_a_plan_says_what_a_target_takes(kostra: Terminal, tmp_path: Path) -> None:
    words = ("plan", "--items", "40", "--design", "rating", "--simulations", "2", "--target", "0.8")
    code, out, _ = kostra(*words, "--figure", tmp_path / "plan.png", "-o", tmp_path / "plan.csv")
    assert code == 0
    assert "to reach 0.8, cheapest first:" in out
    assert (tmp_path / "plan.png").stat().st_size > 1000
    assert kostra("plan")[0] == 2


def test_an_unknown_command_or_option_is_exit_code_2(kostra: Terminal) -> None:
    assert kostra("no-such-command")[0] == 2
    assert kostra("recipes", "--no-such-option")[0] == 2


def test_the_version_is_said(kostra: Terminal) -> None:
    assert kostra("--version")[1].startswith("kostra 0.")


def test_help_lists_every_command_with_its_whole_sentence_under_a_heading(kostra: Terminal) -> None:
    code, out, _ = kostra()
    assert code == 0
    assert "..." not in out.replace("COMMAND [ARGS]...", "")
    headings = [line for line in out.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings[:3] == ["Options:", "Projects:", "Sentences, pairs and tuples:"]
    assert len(set(headings)) == len(headings)


def test_help_speaks_no_python(kostra: Terminal) -> None:
    commands = [line.split()[0] for line in kostra()[1].splitlines() if re.match(r"  [a-z]", line)]
    assert {"run", "evaluate", "import"} <= set(commands)
    for command in commands:
        out = kostra(command, "--help")[1]
        assert not {"<str>", "<int>", "<float>"} & set(out.split())
        assert "list[" not in out


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("buidl",), "no such command 'buidl'. Did you mean 'build'?"),
        (("build",), "missing argument 'folder'"),
        (("build", "--simulat", "x"), "no such option: --simulat (Possible options: --simulate)"),
        (("tuples", "x", "--size"), "option '--size' requires an argument"),
    ],
)
def test_a_call_that_is_wrong_is_told_like_any_mistake(kostra: Terminal, words: tuple[str, ...], what: str) -> None:
    code, out, err = kostra(*words)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {what}\n")
    assert "  try: kostra" in err


@pytest.mark.parametrize("words", [("--json",), ("--json", "-"), ("--json", "--samples", "0")])
def test_json_without_a_file_is_printed(kostra: Terminal, tmp_path: Path, words: tuple[str, ...]) -> None:
    scored = tmp_path / "scored.csv"
    scored.write_text("sentence1;sentence2;score\na b;a b;1\na b;b c;0,5\n".replace("0,5", "0.5"), encoding="utf-8")
    code, out, _ = kostra("evaluate", scored, "-e", "dice", *words)
    assert code == 0
    assert {row["encoder"] for row in json.loads(out)["results"]} >= {"dice"}


def test_columns_of_a_corpus_may_be_called_otherwise(kostra: Terminal, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.csv"
    corpus.write_text("n,caption\n1,a red boat sails\n2,a red car drives\n3,a blue boat sinks\n", encoding="utf-8")
    code, out, err = kostra("pairs", corpus, "--strategy", "overlap", "--option", "pairs=1", "--column", "text=caption")
    assert code == 0, err
    assert "a red" in out
    assert kostra("spell", corpus, "--language", "en", "--column", "text=caption")[0] == 0


def test_a_build_says_what_comes_next(kostra: Terminal, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    assert f"next: kostra check {folder}" in kostra("new", "bws", folder)[1]
    assert f"next: kostra serve {folder}" in kostra("build", folder)[2]
    assert f"next: kostra release {folder}" in kostra("build", folder, "--simulate")[2]
