"""A script with a token, and the campaign that it sends, for the tests of the API and of the doors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi.testclient import TestClient
from tests.annotate.studies import Response, Study


@dataclass
class Script:
    """Somebody's program, with a token or without."""

    http: TestClient
    token: str = ""

    def ask(self, method: str, path: str, **options: Any) -> Response:
        headers = {**options.pop("headers", {}), **({"Authorization": f"Bearer {self.token}"} if self.token else {})}
        return self.http.request(method, f"/api/v1/{path}", headers=headers, **options)

    def get(self, path: str, **options: Any) -> Response:
        return self.ask("GET", path, **options)

    def post(self, path: str, body: Any, **options: Any) -> Response:
        return self.ask("POST", path, json=body, **options)


def script(study: Study, role: Any = "admin", *, campaign: str | None = None, token: str | None = None) -> Script:
    assert study.store is not None
    assert study.client is not None
    if token is None:
        made = study.store.make_api_token(
            f"a {role}", role=role, campaign=campaign, actor="test", expires_at=None, now=study.now
        )
    http = TestClient(study.client.app, raise_server_exceptions=False, follow_redirects=False)
    return Script(http, made if token is None else token)


def sent(name: str = "scripted", *, pairs: int = 3, overlap: int = 1, **changes: Any) -> dict[str, Any]:
    """A campaign as a script sends it."""
    rows = [{"pair": f"p{n}", "text_a": f"Kůň {n} běží.", "text_b": f"Pes {n} spí."} for n in range(pairs)]
    question = {"name": "similarity", "low": 0, "high": 5}
    phase = {"name": "main", "task": "rating", "overlap": overlap, "questions": [question]}
    return {
        "step": {"name": name, "use": "campaign/annotate", "with": {"phases": [phase]}},
        "tables": {"pairs": {"pairs": rows}},
        "title": "Koně a psi",
        "language": "cs",
        **changes,
    }
