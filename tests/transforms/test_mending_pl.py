"""What Polish endings and meanings tell against a parser, on our own sentences."""

from __future__ import annotations

import pytest

from kostra.sources.parsers import Parser
from kostra.transforms.engine import Engine
from kostra.trees import Tree


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine("pl")


def hangs(tree: Tree, form: str) -> tuple[str, str]:
    """The form on which a word hangs, and its relation."""
    word = next(one for one in tree.words if one.form == form)
    return (tree[word.head].form if word.head else "", word.relation)


@pytest.mark.parametrize(
    ("sentence", "word", "head", "relation"),
    [
        ("Listonosz jedzie po alejce na starym rowerze .", "rowerze", "jedzie", "obl"),
        ("Nauczyciel odbija piłkę do siatkówki na plaży .", "siatkówki", "piłkę", "nmod"),
        ("Nauczyciel odbija piłkę do siatkówki na plaży .", "plaży", "odbija", "obl"),
        ("Starsza pani trzyma w rękach dwie gazety .", "gazety", "trzyma", "obj"),
        ("Ojciec trzyma na rękach synka .", "synka", "trzyma", "obj"),
        ("Na łące trzech pasterzy śpi .", "pasterzy", "śpi", "nsubj"),
        ("Kilka kobiet w strojach kąpielowych gra w karty .", "kobiet", "gra", "nsubj"),
        ("Mężczyzna w czapce i w białym fartuchu idzie obok domu .", "idzie", "", "root"),
        ("Dziecko uśmiecha się do stojącej obok kobiety .", "kobiety", "uśmiecha", "obl"),
        ("Chłopak leży na plecach na trawie .", "trawie", "leży", "obl"),
        ("Kucharz trzyma kosz , w którym leżą śliwki .", "leżą", "kosz", "acl"),
        ("Kucharz trzyma kosz , w którym leżą śliwki .", "śliwki", "leżą", "nsubj"),
        ("Kibice patrzą na pędzące w stronę mety konie .", "na", "konie", "case"),
        ("Wędrowiec z laską w ręce idzie drogą .", "ręce", "laską", "nmod"),
        ("Kot skacze przez wąski i długi tunel .", "tunel", "skacze", "obl"),
    ],
)
def test_a_word_hangs_where_polish_lets_it(
    sentence: str, word: str, head: str, relation: str, engine: Engine, polish: Parser
) -> None:
    (tree,) = polish.parse([sentence])
    assert hangs(engine.mended(tree), word) == (head, relation)


def test_a_colour_with_a_hyphen_is_one_word_to_the_reader(engine: Engine, polish: Parser) -> None:
    (tree,) = polish.parse(["Czarno - biały pies śpi na trawie ."])
    assert "Czarno-biały pies nie śpi na trawie." in [one.text for one in engine.outputs(tree)]
