"""A correction reaches every item in which the sentence stands, as a new version of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kostra.campaign.items import Item


def reworded(item: Item, sentence: str, before: str, after: str) -> Item:
    """The next version of an item, in which one of its sentences has another wording.

    Examples
    --------
    >>> pair = Item("p", "pair", {"text_a": "A cat.", "text_b": "A dgo."}, sentences=("s1", "s2"))
    >>> mended = reworded(pair, "s2", "A dgo.", "A dog.")
    >>> mended.version, mended.content["text_b"]
    (2, 'A dog.')
    """
    content = _reworded(dict(item.content), item.sentences, sentence, before, after)
    return replace(item, content=content, version=item.version + 1)


def _reworded(
    content: dict[str, Any], sentences: Sequence[str], sentence: str, before: str, after: str
) -> dict[str, Any]:
    if "members" in content:
        return content | {"members": [_texts_reworded(member, before, after) for member in content["members"]]}
    if "documents" in content:
        documents = [
            one | {"sentences": [
                {**found, "text": after} if found["item"] == sentence else found for found in one["sentences"]
            ]}
            for one in content["documents"]
        ]  # fmt: skip
        text = after if sentences[:1] == (sentence,) else content["text"]
        return content | {"text": text, "documents": documents}
    if "text_a" not in content:
        return _texts_reworded(content, before, after)
    for place, side in enumerate("ab"):
        if sentences[place : place + 1] == (sentence,):
            content[f"text_{side}"] = after
            marked = content.get(f"context_{side}")
            if marked is not None:
                content[f"context_{side}"] = marked.replace(f"<sent>{before}</sent>", f"<sent>{after}</sent>")
    return content


def _texts_reworded(content: Mapping[str, Any], before: str, after: str) -> dict[str, Any]:
    return {
        name: after if name in ("text", "text_a", "text_b") and value == before else value
        for name, value in content.items()
    }
