"""The API's own description: as OpenAPI for programs, and as one page for people that asks nothing of other hosts."""

from __future__ import annotations

import json
from typing import Any

from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse, JSONResponse
from markupsafe import Markup, escape

from kostra.annotate import rendering
from kostra.annotate.hall import root_of
from kostra.annotate.rendering import Around, Site

PREFIX = "/api/v1/"
VERSION = "1.0.0"
_ABOUT = """Two groups of requests share the version 1 of this API.

`scripts` make campaigns, invite people and read judgments, with a token: `Authorization: Bearer TOKEN`. A token comes
from `kostra token DIR --name NAME --role read|write|admin`.

`answering` is what the pages of annotators use. It goes with the cookie of an invitation link, and everything but GET
needs the header `X-Kostra-Csrf` with what `GET session` tells.

Within version 1 nothing is taken away and no meaning changes; fields may be added."""


def described(app: FastAPI) -> dict[str, Any]:
    """The description of all that programs may ask."""
    if not app.openapi_schema:
        made = get_openapi(
            title="kostra annotation site", version=VERSION, description=_ABOUT, routes=app.routes,
            tags=[
                {"name": "scripts", "description": "For scripts, with a token."},
                {"name": "answering", "description": "For annotators, with the cookie of an invitation."},
            ],
        )  # fmt: skip
        schemes = made.setdefault("components", {}).setdefault("securitySchemes", {})
        schemes["session"] = {"type": "apiKey", "in": "cookie", "name": "kostra_session"}
        for _, _, operation in operations(made):
            if "answering" in operation.get("tags", ()):
                operation["security"] = [{"session": []}]
        app.openapi_schema = made
    return app.openapi_schema


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """Path, method and description of every request."""
    paths: dict[str, dict[str, Any]] = document["paths"]
    return [(path, method, one) for path, methods in paths.items() for method, one in methods.items()]


def requests(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Every request with its parameters, fields and replies, as pages show it."""
    return [_shown(path, method, one, document) for path, method, one in operations(document)]


def add_document(app: FastAPI) -> None:
    """Add the description to the site."""

    @app.get("/api/v1/openapi.json", include_in_schema=False)
    async def openapi(request: Request) -> JSONResponse:
        root = root_of(request)
        return JSONResponse(described(app) | ({"servers": [{"url": root}]} if root else {}))

    @app.get("/api/v1/docs", include_in_schema=False)
    async def docs(request: Request) -> HTMLResponse:
        rendering.AROUND.set(Around(root_of(request)))
        document = described(app)
        shown = requests(document)
        about = document["info"]["description"].split("\n\n")
        page = rendering.render(
            "api.html", Site("kostra API"), about=about, shown=shown, version=VERSION, marked=marked
        )
        return HTMLResponse(page)


def marked(text: str) -> Markup:
    r"""A description as HTML: what stands between backticks is code.

    Examples
    --------
    >>> marked("Sent as `A < B`,\nor not.")
    Markup('Sent as <code>A &lt; B</code>, or not.')
    """
    parts = " ".join(text.split()).split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if place % 2 else escape(part) for place, part in enumerate(parts)
    )


def _shown(path: str, method: str, operation: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    """One request, as the page shows it."""
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    replies = operation["responses"]
    good = next(code for code in replies if code.startswith("2"))
    reply = replies[good].get("content", {}).get("application/json", {}).get("schema")
    return {
        "method": method.upper(),
        "path": path,
        "id": f"{method}-{path.removeprefix(PREFIX).replace('/', '-').replace('{', '').replace('}', '')}",
        "group": (operation.get("tags") or [""])[0],
        "text": operation.get("description", ""),
        "parameters": [
            {"name": one["name"], "in": one["in"], "required": one.get("required"), "text": one.get("description", "")}
            for one in operation.get("parameters", ())
        ],
        "body": _fields(body, document),
        "reply": _fields(reply, document),
        "good": good,
        "refusals": {code: one["description"] for code, one in replies.items() if not code.startswith("2")},
    }


def _fields(schema: dict[str, Any] | None, document: dict[str, Any]) -> list[dict[str, Any]]:
    """Name, kind and meaning of the fields of a JSON object."""
    if not schema:
        return []
    schema = _resolved(schema, document)
    required = set(schema.get("required", ()))
    return [
        {
            "name": name,
            "kind": _kind(_resolved(one, document), document),
            "required": name in required,
            "text": one.get("description", ""),
        }
        for name, one in schema.get("properties", {}).items()
    ]


def _resolved(schema: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        found: dict[str, Any] = document["components"]["schemas"][name]
        return found
    return schema


def _kind(schema: dict[str, Any], document: dict[str, Any]) -> str:
    """What a value is, in a word or two."""
    if "anyOf" in schema:
        return " or ".join(_kind(_resolved(one, document), document) for one in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"])
    match schema.get("type"):
        case "array":
            return f"list of {_kind(_resolved(schema.get('items', {}), document), document)}"
        case "object" if schema.get("properties"):
            return "{" + ", ".join(schema["properties"]) + "}"
        case None:
            return "anything"
        case kind:
            return f"{kind} ({schema['format']})" if "format" in schema else str(kind)
