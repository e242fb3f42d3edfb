"""The reference is made from the code: whatever is public is in it, with words that say what it is."""

from __future__ import annotations

import pytest

import kostra
from docs.making import commands, components, python_api, reference
from docs.making.fields import undescribed
from kostra.catalogue import components as every_component
from kostra.recipe import Recipe
from kostra.registry import CONTRACT, names
from kostra.tables import SCHEMAS


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return reference.pages()


def test_every_command_and_option_says_what_it_is() -> None:
    assert list(commands.undescribed()) == []


def test_every_component_and_option_says_what_it_is() -> None:
    assert list(components.without_words()) == []


def test_every_key_of_a_recipe_says_what_it_is() -> None:
    assert undescribed(Recipe) == []


def test_every_public_name_has_a_docstring() -> None:
    assert list(python_api.undescribed()) == []


def test_every_room_with_components_has_a_page() -> None:
    assert set(components.ROOMS) == {room for room in CONTRACT if names(room)}


def test_the_reference_names_every_command_with_every_option(pages: dict[str, str]) -> None:
    page = pages["reference/commands.md"]
    for name, command in commands.commands().items():
        section = page.partition(f"### kostra {name}\n")[2].partition("\n### ")[0]
        for parameter in command.params:
            called = parameter.name.upper() if parameter.param_type_name == "argument" else parameter.opts[0]
            assert f"`{called}`" in section, f"{name} {called}"


def test_the_reference_names_every_component(pages: dict[str, str]) -> None:
    for one in every_component():
        page = pages[f"reference/components/{one.room.replace('/', '-')}.md"]
        assert f"## {one.name} {{" in page
        assert f"`{one.room}/{one.name}`" in pages["reference/components/index.md"]


def test_the_reference_names_every_public_name_and_every_column(pages: dict[str, str]) -> None:
    for name in kostra.__all__:
        assert f"{{ #{name.strip('_')} }}" in pages["reference/python.md"]
    for schema in SCHEMAS.values():
        for column in schema.columns:
            assert f"| `{column.name}` |" in pages["reference/tables.md"]
