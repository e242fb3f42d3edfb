"""The reference of the site's JSON API, from its OpenAPI document."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from docs.making.fields import cell
from kostra.annotate.api import add_api
from kostra.annotate.scripts_api import add_scripts_api
from kostra.annotate.scripts_api.document import described, requests


def page() -> str:
    """Every request: who may send it, what it takes, what it replies."""
    app = FastAPI()
    add_api(app)
    add_scripts_api(app)
    document = described(app)
    parts = ["# JSON API of the site", document["info"]["description"]]
    parts.append("A running site shows the same at `/api/v1/docs`, and as OpenAPI at `/api/v1/openapi.json`.")
    for tag in document["tags"]:
        parts += [f"## {tag['name'].capitalize()}", tag["description"]]
        parts += [_request(one) for one in requests(document) if one["group"] == tag["name"]]
    return "\n\n".join(parts)


def _request(one: dict[str, Any]) -> str:
    parts = [f"### {one['method']} {one['path']} {{ #{one['id']} }}", " ".join(one["text"].split())]
    if one["parameters"]:
        rows = [f"| `{p['name']}` | {p['in']} | {_must(p)} | {cell(p['text'])} |" for p in one["parameters"]]
        parts.append("\n".join(["| parameter | where | | |", "|---|---|---|---|", *rows]))
    for title, fields in (("It takes", one["body"]), (f"It replies {one['good']} with", one["reply"])):
        if fields:
            rows = [f"| `{f['name']}` | `{f['kind']}` | {_must(f)} | {cell(f['text'])} |" for f in fields]
            parts += [f"{title}:", "\n".join(["| field | kind | | |", "|---|---|---|---|", *rows])]
    if one["refusals"]:
        parts.append("Else: " + "; ".join(f"{code} {said.rstrip('.')}" for code, said in one["refusals"].items()) + ".")
    return "\n\n".join(parts)


def _must(one: dict[str, Any]) -> str:
    return "needed" if one["required"] else ""
