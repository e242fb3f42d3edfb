"""All pages of the reference, by file name."""

from __future__ import annotations

from docs.making import commands, components, formats, python_api, site_api


def pages() -> dict[str, str]:
    """File name → Markdown."""
    return {
        "reference/commands.md": commands.page(),
        "reference/recipe.md": formats.recipe_page(),
        "reference/tables.md": formats.tables_page(),
        "reference/python.md": python_api.page(),
        "reference/site-api.md": site_api.page(),
        "reference/components/index.md": components.index(),
        **{f"reference/components/{name}": text for name, text in components.pages().items()},
    }
