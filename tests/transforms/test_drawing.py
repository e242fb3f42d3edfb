"""Drawings of trees: every word and relation is there, edited words are marked, and nothing breaks the lines."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from kostra.transforms.drawing import (
    Reason,
    before_after_svg,
    padded,
    reasons_text,
    side_by_side,
    tree_svg,
    tree_text,
    width,
)
from kostra.trees import Tree, make_tree

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*rows: tuple[str, int, str]) -> Tree:
    return make_tree({"form": form, "head": head, "deprel": deprel, "upos": "X"} for form, head, deprel in rows)


@pytest.fixture
def tree() -> Tree:
    return drawn(
        ("Mały", 2, "amod"), ("kot", 3, "nsubj"), ("śpi", 0, "root"), ("na", 6, "case"), ("tej", 6, "det"),
        ("kanapie", 3, "obl"), (".", 3, "punct"),
    )  # fmt: skip


def texts(svg: str, kind: str) -> list[str]:
    return [node.text or "" for node in ET.fromstring(svg).iter(f"{SVG}text") if node.get("class") == kind]


# Text --------------------------------------------------------------------------------------------------


def test_each_word_stands_right_of_its_head_in_the_order_of_the_sentence(tree: Tree) -> None:
    assert tree_text(tree).split("\n") == [
        "     ┌─ Mały  X  amod",
        "  ┌─ kot      X  nsubj",
        "  śpi         X  root",
        "  │  ┌─ na    X  case",
        "  │  ├─ tej   X  det",
        "  ├─ kanapie  X  obl",
        "  └─ .        X  punct",
    ]


def test_edited_words_have_a_star(tree: Tree) -> None:
    starred = [line for line in tree_text(tree, edited={2, 6}).split("\n") if "*" in line]
    assert [line.split()[-3] for line in starred] == ["kot", "kanapie"]


def test_columns_stay_straight_beside_wide_letters_and_combining_marks() -> None:
    wide = drawn(("猫", 2, "nsubj"), ("śpi", 0, "root"), ("e\u0301", 2, "obj"), ("🙂", 2, "punct"))
    lines = tree_text(wide).split("\n")
    assert len({width(line[: line.index("  X  ")]) for line in lines}) == 1


def test_a_crossing_tree_is_drawn_all_the_same() -> None:
    crossing = drawn(("a", 3, "x"), ("b", 4, "y"), ("c", 0, "root"), ("d", 3, "z"))
    assert [line.split()[-1] for line in tree_text(crossing).split("\n")] == ["x", "y", "root", "z"]


def test_a_sentence_of_four_hundred_words_in_a_chain_is_drawn() -> None:
    chain = drawn(("w1", 0, "root"), *((f"w{place}", place - 1, "dep") for place in range(2, 401)))
    assert len(tree_text(chain).split("\n")) == 400
    assert len(texts(tree_svg(chain), "kt-w")) == 400


def test_two_trees_stand_beside_each_other_where_they_fit(tree: Tree) -> None:
    after = tree.drop(6)
    beside = side_by_side(tree, after, edited={6}, columns=100).split("\n")
    assert beside[0].split() == ["before", "after"]
    assert len(beside) == 1 + len(tree)
    stacked = side_by_side(tree, after, edited={6}, columns=30).split("\n")
    assert len(stacked) == 2 + len(tree) + len(after)


def test_reasons_are_a_plain_list() -> None:
    said = [Reason("negation", True, "nobody; no N; not"), Reason("passivisation", False, "the verb has no object")]
    assert reasons_text(said).split("\n") == [
        "+ negation       nobody; no N; not",
        "- passivisation  the verb has no object",
    ]
    assert reasons_text([]) == ""


def test_padding_counts_columns_and_not_letters() -> None:
    assert padded("猫", 4) == "猫  "
    assert padded("kot", 2) == "kot"


# SVG ---------------------------------------------------------------------------------------------------


def test_a_drawing_has_every_word_relation_and_arc(tree: Tree) -> None:
    svg = tree_svg(tree)
    assert texts(svg, "kt-w") == [word.form for word in tree.words]
    assert sorted(texts(svg, "kt-r")) == sorted(word.deprel for word in tree.words)
    arcs = [node for node in ET.fromstring(svg).iter(f"{SVG}path") if node.get("class") is None]
    assert len(arcs) == len(tree)


def test_edited_words_stand_in_a_box_of_their_own(tree: Tree) -> None:
    boxes = [node for node in ET.fromstring(tree_svg(tree, edited={2, 6, 99})).iter() if node.get("class") == "kt-e"]
    assert len(boxes) == 2
    assert all(float(box.get("width", "0")) > 20 for box in boxes)


def test_a_drawing_needs_nothing_from_outside_and_knows_dark_pages(tree: Tree) -> None:
    svg = tree_svg(tree)
    assert "prefers-color-scheme:dark" in svg
    assert "http" not in svg.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert " id=" not in svg  # several drawings may stand on one page


def test_words_cannot_become_markup() -> None:
    svg = tree_svg(drawn(("<script>&", 0, 'root"'), ("\x07x", 1, "dep")), title="a < b")
    assert texts(svg, "kt-w") == ["<script>&", "x"]
    assert ET.fromstring(svg).find(f"{SVG}title").text == "a < b"  # type: ignore[union-attr]


def test_no_two_words_overlap_and_all_lie_inside(tree: Tree) -> None:
    root = ET.fromstring(tree_svg(tree))
    wide = float(root.get("width", "0"))
    middles = [float(node.get("x", "0")) for node in root.iter(f"{SVG}text") if node.get("class") == "kt-w"]
    assert middles == sorted(middles)
    assert middles[0] > 0
    assert middles[-1] < wide
    for (a, first), (b, second) in pairwise(zip(middles, tree.words, strict=True)):
        assert b - a >= (len(first.form) + len(second.form)) / 2 * 8


def test_arcs_that_lie_inside_others_are_lower(tree: Tree) -> None:
    root = ET.fromstring(tree_svg(tree))
    heights = {node.text: float(node.get("y", "0")) for node in root.iter(f"{SVG}text") if node.get("class") == "kt-r"}
    assert heights["root"] < heights["punct"] < heights["obl"] < heights["case"] < heights["det"]


def test_before_and_after_stand_in_one_drawing(tree: Tree) -> None:
    after = tree.drop(6)
    beside, stacked = (before_after_svg(tree, after, edited={6}, most=most) for most in (2000, 100))
    assert texts(beside, "kt-h") == ["before", "after"]
    sizes = [[float(ET.fromstring(svg).get(name, "0")) for name in ("width", "height")] for svg in (beside, stacked)]
    assert sizes[0][0] > sizes[1][0]
    assert sizes[0][1] < sizes[1][1]


def test_a_drawing_says_in_words_what_it_shows(tree: Tree) -> None:
    described = ET.fromstring(tree_svg(tree)).find(f"{SVG}desc")
    assert described is not None
    assert "kot: nsubj of śpi" in str(described.text)
