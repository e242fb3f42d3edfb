"""The leaderboard: one page, right numbers, sortable by keyboard, readable on a telephone and without its script."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from kostra.errors import KostraError
from kostra.evaluate.leaderboard import leaderboard, spoken, write
from kostra.evaluate.outcome import Evaluation, Measure


def evaluation(encoder: str, value: float | None, *, dataset: str = "news", **changes: object) -> Evaluation:
    low, high = (value - 0.1, value + 0.1) if value is not None else (None, None)
    measures = (
        Measure("all", "cosine_spearman", value, low, high, 100, "a note"),
        Measure("long", "cosine_spearman", 0.25, n=50),
        Measure("all", "cosine_pearson", 0.9, n=100),
    )
    made = Evaluation(encoder, dataset, "relatedness", measures, dataset_revision="d1", languages=("ces-Latn",))
    return replace(made, **changes)  # type: ignore[arg-type]


def board() -> list[Evaluation]:
    return [
        evaluation("dice", 0.5),
        evaluation("static", 0.7),
        evaluation("hashed", -0.1),
        evaluation("dice", 0.3, dataset="books"),
        evaluation("static", 0.2, dataset="books"),
        evaluation("people: half against half", 0.85, protocol="people"),
    ]


class _Cells(HTMLParser):
    """Rows of the first table as lists of texts."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tables = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tables += tag == "table"
        if tag == "tr" and self.tables == 1:
            self.rows.append([])
        if tag in ("td", "th") and self.tables == 1:
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.tables == 1 and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip() + " " if data.strip() else ""


def cells(page: str) -> list[list[str]]:
    parser = _Cells()
    parser.feed(page.partition("</table>")[0])
    return [[text.strip() for text in row] for row in parser.rows]


def test_encoders_stand_by_the_first_column_with_people_above() -> None:
    rows = cells(leaderboard(board()))
    assert rows[0] == ["Encoder", "news relatedness Spearman", "books relatedness Spearman"]
    assert [row[0] for row in rows[1:]] == ["people: half against half", "static", "dice", "hashed"]
    assert rows[2] == ["static", "0.700 0.600 to 0.800", "0.200 0.100 to 0.300"]
    assert rows[4] == ["hashed", "−0.100 −0.200 to 0.000", "–"]


def test_the_best_of_each_column_is_bold() -> None:
    page = leaderboard(board()).partition("By part")[0]
    assert re.findall(r"<b>([^<]+)</b>", page) == ["0.700", "0.300"]  # in the order of rows: static, then dice


def test_an_undefined_number_is_no_result_and_no_zero() -> None:
    rows = cells(
        leaderboard([evaluation("dice", 0.5), evaluation("broken", None), evaluation("broken", 0.1, dataset="b")])
    )
    assert rows[-1] == ["broken", "–", "0.100 0.000 to 0.200"]


def test_protocols_of_one_dataset_are_columns_of_their_own() -> None:
    made = [evaluation("dice", 0.5), evaluation("dice", 0.4, protocol="5-fold grouped")]
    assert cells(leaderboard(made))[0][1:] == ["news relatedness Spearman", "news relatedness, 5-fold grouped Spearman"]


def test_letters_are_shown_only_where_all_encoders_of_a_column_were_compared() -> None:
    def compared(one: Evaluation, letters: str) -> Evaluation:
        return replace(one, details={"letters": letters, "compared_with": ["dice", "static"]})

    both = [compared(evaluation("dice", 0.5), "b"), compared(evaluation("static", 0.7), "a")]
    assert cells(leaderboard(both))[1][1].startswith("0.700 a")
    assert "cannot be told apart" in leaderboard(both)
    assert cells(leaderboard([*both, evaluation("late", 0.6)]))[1][1].startswith("0.700 0.6")


def test_rows_from_different_data_under_one_name_are_called_out() -> None:
    assert "not computed from the same data" not in leaderboard(board())
    mixed = [evaluation("dice", 0.5), evaluation("static", 0.7, dataset_revision="d2")]
    assert "not computed from the same data" in leaderboard(mixed)


def test_two_revisions_of_an_encoder_are_two_rows() -> None:
    made = [evaluation("m", 0.5, revision="aaaaaaaaaa"), evaluation("m", 0.6, revision="bbbbbbbbbb")]
    assert [row[0] for row in cells(leaderboard(made))[1:]] == ["m (bbbbbbbb)", "m (aaaaaaaa)"]


def test_parts_have_a_table_of_their_own() -> None:
    page = leaderboard(board())
    assert "By part" in page
    assert "0.250" in page


def test_names_are_escaped() -> None:
    page = leaderboard([evaluation("<script>alert(1)</script>", 0.5, dataset='"><img src=x>')])
    assert "<script>alert" not in page
    assert "<img" not in page


def test_the_page_asks_for_nothing_outside() -> None:
    page = leaderboard(board())
    assert not re.findall(r"(?:src|href)=|url\(|@import|https?://", page)


def test_nothing_to_show_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="no result to show"):
        write([Evaluation("dice", "x", "relatedness", ())], tmp_path / "board.html")
    assert not list(tmp_path.iterdir())


def test_metrics_are_named_in_words() -> None:
    assert [spoken(name) for name in ("cosine_spearman", "accuracy")] == ["Spearman", "accuracy"]


# In a browser ------------------------------------------------------------------------------------------


def names(page: Any) -> list[str]:
    script = "[...document.querySelector('table').tBodies].at(-1).rows"
    found: list[str] = page.evaluate(f"[...{script}].map((row) => row.cells[0].textContent)")
    return found


@pytest.mark.long
def test_the_keyboard_sorts_and_rows_without_a_number_stay_last(browser: Any, tmp_path: Path) -> None:
    write(board(), tmp_path / "board.html")
    page = browser.new_page()
    page.goto((tmp_path / "board.html").as_uri())
    heading = page.locator("thead").first.get_by_role("button", name="books")
    heading.focus()
    page.keyboard.press("Enter")
    assert names(page) == ["dice", "static", "hashed"]
    page.keyboard.press("Space")
    assert names(page) == ["static", "dice", "hashed"]  # turned round; hashed has no number there
    assert page.locator("thead th[aria-sort=ascending]").count() == 1
    assert page.locator(".people th").inner_text() == "people: half against half"
    page.close()


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_telephone(browser: Any, tmp_path: Path, scheme: str) -> None:
    write([*board(), evaluation("a-very-long-name/of-some-model-that-nobody-can-pronounce", 0.4)], tmp_path / "b.html")
    page = browser.new_page(viewport={"width": 360, "height": 700}, color_scheme=scheme)
    page.goto((tmp_path / "b.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.close()


@pytest.mark.long
def test_without_a_script_the_page_is_a_plain_table(browser: Any, tmp_path: Path) -> None:
    write(board(), tmp_path / "board.html")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "board.html").as_uri())
    assert page.locator("table").first.locator("tbody tr").count() == 4
    assert not page.get_by_text("Press a heading").is_visible()
    context.close()
