"""A project's site as its owner sees it: opening, inviting, changing the recipe, collecting, backing up."""

from __future__ import annotations

import contextlib
import http.server
import json
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from fastapi.testclient import TestClient
from typer.testing import CliRunner

import kostra
from kostra import cli, site, tables
from kostra.annotate import app
from kostra.annotate.addresses import secret_of
from kostra.annotate.engine import Engine
from kostra.annotate.store import open_store
from kostra.errors import KostraError


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Pairs to be rated by two people each."""
    made = kostra.new("rating", tmp_path / "project")
    lines = (made / "data" / "pairs.csv").read_text(encoding="utf-8").splitlines()
    (made / "data" / "pairs.csv").write_text("\n".join(lines[:5]) + "\n", encoding="utf-8")
    change(made, "overlap = 3", "overlap = 2")
    return made


def change(project: Path, old: str, new: str) -> None:
    recipe = project / "recipe.toml"
    text = recipe.read_text(encoding="utf-8")
    assert old in text
    recipe.write_text(text.replace(old, new), encoding="utf-8")


def visitor(project: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A browser on the project's site, let in by an invitation."""
    monkeypatch.setenv(app.ENVIRONMENT, json.dumps(site.environment(project)))
    (link,) = kostra.invite(project, url="http://testserver")
    client = TestClient(app.from_environment())
    assert client.get(link).status_code == 200
    client.headers["X-Kostra-Csrf"] = client.get("/api/v1/session").json()["csrf"]
    return client


def answer_all(client: TestClient, value: str = "3") -> int:
    count = 0
    place: dict[str, Any] = client.post("/api/v1/next").json()["place"]
    while place["kind"] == "show":
        item = place["item"]
        body = {
            "phase": place["phase"], "item": item["item"], "version": item["version"],
            "answers": {"similarity": value}, "key": f"key-{count}",
        }  # fmt: skip
        place = client.post("/api/v1/answers", json=body).json()["place"]
        count += 1
    return count


def test_answers_go_from_the_site_into_the_dataset(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (opened,) = kostra.prepare(project)
    assert (opened.revision, opened.items) == (1, 4)
    for _ in range(2):
        with visitor(project, monkeypatch) as client:
            assert answer_all(client) == 4
    (collected,) = kostra.collect(project)
    assert (collected.judgments, collected.annotators) == (8, 2)
    judgments = tables.read(collected.path, tables.JUDGMENTS)
    assert judgments["status"].unique().to_list() == ["answered"]
    assert kostra.build(project).complete


def test_collecting_twice_gives_the_same_ids(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kostra.prepare(project)
    with visitor(project, monkeypatch) as client:
        answer_all(client)
    first = kostra.collect(project)[0].path.read_bytes()
    assert kostra.collect(project)[0].path.read_bytes() == first


def test_a_change_of_the_recipe_is_a_revision_and_keeps_what_was_answered(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kostra.prepare(project)
    for _ in range(2):
        with visitor(project, monkeypatch) as client:
            answer_all(client)
    change(project, "overlap = 2", "overlap = 3")
    (opened,) = kostra.prepare(project)
    assert opened.revision == 2
    assert '+ phase "main": overlap = 3' in opened.difference
    with visitor(project, monkeypatch) as client:
        assert answer_all(client) == 4
    assert kostra.collect(project)[0].judgments == 12
    assert kostra.prepare(project)[0].difference == "", "nothing has changed since"


def test_a_change_that_would_alter_the_meaning_of_answers_is_refused(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kostra.prepare(project)
    with visitor(project, monkeypatch) as client:
        answer_all(client)
    change(project, 'task = "rating"', 'task = "comparison"')
    with pytest.raises(KostraError, match="no answers to another"):
        kostra.prepare(project)
    assert kostra.collect(project)[0].judgments == 4, "what was answered is there all the same"


def test_a_site_that_was_never_opened_has_nothing_to_collect(project: Path) -> None:
    with pytest.raises(KostraError, match="never opened"):
        kostra.collect(project)


def test_a_store_without_a_campaign_is_told_to_be_opened_first(project: Path) -> None:
    with open_store(project / "campaign.db") as store, pytest.raises(KostraError, match="no campaign was opened"):
        site.chosen(store, None)


def test_a_recipe_without_a_campaign_cannot_be_served(project: Path, tmp_path: Path) -> None:
    text = (project / "recipe.toml").read_text(encoding="utf-8")
    lone = tmp_path / "lone"
    lone.mkdir()
    (lone / "recipe.toml").write_text(text.split("[[steps]]")[0] + _ONE_STEP, encoding="utf-8")
    with pytest.raises(KostraError, match="has no campaign"):
        kostra.prepare(lone)


_ONE_STEP = """
[[steps]]
name = "pairs"
use = "sources/files"
[steps.with]
paths = ["data/pairs.csv"]
"""


def test_nobody_is_invited_in_a_role_that_the_campaign_does_not_have(project: Path) -> None:
    with pytest.raises(KostraError, match="judge"):
        kostra.invite(project, role="judge")


def test_inviting_says_how_many_people_a_dealt_phase_can_take(project: Path) -> None:
    change(
        project, "overlap = 2", 'deal = "disjoint_sequences"\nblocks = [{ purpose = "main", items = 2 }]\noverlap = 2'
    )
    made = CliRunner().invoke(cli.app, ["invite", str(project), "-n", "2"])
    assert made.exit_code == 0, made.output
    assert len(made.stdout.split()) == 2, "links alone go to the standard output"
    assert "is dealt to 4 people" in made.stderr, "four pairs in parts of two, for two people each"


def test_a_backup_restores_into_an_empty_project_and_no_other(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kostra.prepare(project)
    with visitor(project, monkeypatch) as client:
        answer_all(client)
    rows = kostra.backup(project, tmp_path / "backup.jsonl.gz")
    assert rows["judgments"] == 4
    before = kostra.collect(project)[0].path.read_bytes()
    (project / "campaign.db").rename(tmp_path / "lost.db")
    assert kostra.restore(project, tmp_path / "backup.jsonl.gz") == rows
    assert kostra.collect(project)[0].path.read_bytes() == before
    with pytest.raises(KostraError, match="already"):
        kostra.restore(project, tmp_path / "backup.jsonl.gz")


def test_labels_are_shown_in_the_language_of_the_browser(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(project, 'name = "similarity"  ', 'prompt_in = { cs = "Jak blízké si jsou?" }\nname = "similarity"  ')
    kostra.prepare(project)
    with visitor(project, monkeypatch) as client:
        assert "Jak blízké si jsou?" in client.get("/work", headers={"Accept-Language": "cs-CZ, en;q=0.5"}).text
        assert "Jak blízké si jsou?" not in client.get("/work", headers={"Accept-Language": "de"}).text


def test_a_revision_that_was_saved_but_not_told_is_told_at_the_next_start(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kostra.prepare(project)
    change(project, "overlap = 2", "overlap = 1")
    with monkeypatch.context() as broken:
        broken.setattr(Engine, "do", _dies)
        with pytest.raises(SystemExit):
            kostra.prepare(project)
    kostra.prepare(project)
    with visitor(project, monkeypatch) as client:
        assert answer_all(client) == 4
    with visitor(project, monkeypatch) as client:
        assert answer_all(client) == 0, "one answer per item is enough now"


def _dies(*_: object, **__: object) -> None:
    raise SystemExit


def test_an_address_in_use_is_refused_before_anything_is_said() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(KostraError, match="cannot listen"):
            site.check_address("127.0.0.1", taken.getsockname()[1])


# Opening ---------------------------------------------------------------------------------------------------


def test_a_newcomer_gets_a_link_to_try_it_and_one_to_run_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kostra.prepare(project)
    (old,) = site.first_links(project, url="http://testserver")
    (links,) = site.first_links(project, url="http://testserver")
    monkeypatch.setenv(app.ENVIRONMENT, json.dumps(site.environment(project)))
    with TestClient(app.from_environment(), follow_redirects=False) as client:
        assert client.get(old.demo).status_code == 404, "only the newest work"
        assert client.get(links.admin).headers["location"] == "/admin"
        assert client.get("/admin").status_code in (200, 303)
        client.cookies.clear()
        assert client.get(links.demo).headers["location"] == "/work"
        client.headers["X-Kostra-Csrf"] = client.get("/api/v1/session").json()["csrf"]
        assert answer_all(client) == 4
    with visitor(project, monkeypatch) as client:
        assert answer_all(client) == 4, "the demo took nobody's place"
    collected = kostra.collect(project)[0]
    assert collected.annotators == 1
    judgments = tables.read(collected.path, tables.JUDGMENTS)
    assert set(judgments.filter(judgments["annotator"] == "demo")["status"]) == {"surplus"}


@pytest.mark.parametrize(("role", "tried"), [("linguist", True), ("admin", False)])
def test_a_campaign_for_others_than_annotators_is_tried_as_one_of_them_but_never_as_who_may_run_it(
    role: str, tried: bool, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(project, "overlap = 2", f'role = "{role}"\noverlap = 2')
    kostra.prepare(project)
    (links,) = site.first_links(project, url="http://testserver")
    assert bool(links.demo) == tried
    if tried:
        monkeypatch.setenv(app.ENVIRONMENT, json.dumps(site.environment(project)))
        with TestClient(app.from_environment()) as client:
            client.get(links.demo)
            client.headers["X-Kostra-Csrf"] = client.get("/api/v1/session").json()["csrf"]
            assert answer_all(client) == 4
            assert client.get("/admin").status_code == 403


def test_a_campaign_that_nobody_has_answered_leaves_its_file_alone_and_its_step_waiting(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kostra.prepare(project)
    (links,) = site.first_links(project, url="http://testserver")
    monkeypatch.setenv(app.ENVIRONMENT, json.dumps(site.environment(project)))
    with TestClient(app.from_environment()) as client:
        client.get(links.demo)
        client.headers["X-Kostra-Csrf"] = client.get("/api/v1/session").json()["csrf"]
        assert answer_all(client) == 4, "somebody only tried it"
    (collected,) = kostra.collect(project)
    assert (collected.judgments, collected.path.exists()) == (0, False)
    collected.path.write_text("brought from elsewhere", encoding="utf-8")
    kostra.collect(project)
    assert collected.path.read_text(encoding="utf-8") == "brought from elsewhere"


def test_the_secret_is_made_on_this_machine_and_kept(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KOSTRA_SECRET", raising=False)
    made = secret_of(project)
    assert (len(made), (project / "campaign.secret").stat().st_mode & 0o777) == (64, 0o600)
    assert secret_of(project, host="0.0.0.0") == made
    (project / "campaign.secret").chmod(0o644)
    with pytest.raises(KostraError, match="others may read"):
        secret_of(project)
    monkeypatch.setenv("KOSTRA_SECRET", "x" * 40)
    assert secret_of(project) == "x" * 40


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "::", "example.org"])
def test_a_public_address_without_a_secret_is_refused(
    project: Path, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KOSTRA_SECRET", raising=False)
    with pytest.raises(KostraError, match="needs a secret of its own"):
        kostra.serve(project, host=host)
    assert not (project / "campaign.secret").exists()
    monkeypatch.setenv("KOSTRA_SECRET", "too short")
    with pytest.raises(KostraError, match="9 letters"):
        kostra.serve(project, host=host)


def test_a_root_path_that_cannot_be_is_refused_before_anything_is_opened(project: Path) -> None:
    with pytest.raises(KostraError, match="cannot stand under"):
        kostra.serve(project, root="/work")
    assert not (project / "campaign.db").exists()


def test_a_site_under_a_root_path_links_and_redirects_inside_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kostra.prepare(project)
    monkeypatch.setenv(app.ENVIRONMENT, json.dumps(site.environment(project, root="/study")))
    (link,) = kostra.invite(project, url="http://testserver/study")
    with TestClient(app.from_environment(), follow_redirects=False) as client:
        reply = client.get(link)
        assert reply.headers["location"] == "/study/work"
        assert "path=/study" in reply.headers["set-cookie"].lower()
        page = client.get("/study/work").text
        assert 'action="/study/work"' in page
        assert 'href="/study/static/site.css"' in page
        assert '="/static' not in page


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
def test_workers_that_cannot_start_end_with_one_message(project: Path, workers: int) -> None:
    code = (
        "import sys; from kostra.annotate import serving; from kostra.cli import main; from kostra import site\n"
        f"told = site.environment({str(project)!r})\n"
        "told['db'] = '/nowhere/campaign.db'\n"
        "from kostra.errors import KostraError\n"
        "try:\n"
        f"    serving.run_site(told, host='127.0.0.1', port={free_port()}, workers={workers}, secret='x' * 40)\n"
        "except KostraError as error:\n"
        "    print('error:', error, file=sys.stderr); sys.exit(2)\n"
    )
    kostra.prepare(project)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, cwd=project, check=False
    )
    assert done.returncode == 2
    assert done.stderr.count("the folder does not exist") == 1
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 2, done.stderr


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_a_preview_shows_every_screen_and_stores_nothing(project: Path) -> None:
    change(project, "[[steps.with.phases]]", _CONSENT + "[[steps.with.phases]]")
    with TestClient(site.preview_app(project), follow_redirects=False) as client:
        overview = client.get("/").text
        assert "nothing is stored" in overview
        assert "We keep what you answer." in client.get("/gate/annotate/consent").text
        assert client.post("/consent", data={"agree": "yes"}).headers["location"] == "/"
        page = client.get("/screen/0").text
        assert "Preview: nothing is stored" in page
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))
        assert client.post("/work", data=hidden).status_code == 422
        taken = client.post("/work", data=hidden | {"similarity": "3"}).text
        assert "similarity: 3" in taken
        assert 'href="/screen/1"' in taken
        body = {"phase": hidden["phase"], "item": hidden["item"], "answers": {"similarity": 9}}
        assert client.post("/api/v1/answers", json=body).status_code == 422
        body["answers"] = {"similarity": 4}
        assert "similarity: 4" in client.post("/api/v1/answers", json=body).json()["html"]
        assert client.put("/api/v1/drafts", json={}).status_code == 200
        assert client.get("/screen/3").status_code == 200
        assert client.get("/screen/4").status_code == 404
        assert "default-src 'none'" in client.get("/").headers["content-security-policy"]
    assert not list(project.glob("campaign.*"))


_CONSENT = """[steps.with.consent]
text = "We keep what you answer."
"""


def test_a_consent_text_may_lie_in_a_file_of_the_project_and_nowhere_else(project: Path) -> None:
    change(
        project, "[[steps.with.phases]]", '[steps.with.consent]\ntext_file = "data/consent.txt"\n[[steps.with.phases]]'
    )
    with pytest.raises(KostraError, match=r"consent\.txt"):
        kostra.prepare(project)
    (project / "data" / "consent.txt").write_text("We keep it.\n", encoding="utf-8")
    kostra.prepare(project)
    with open_store(project / "campaign.db") as store:
        consent = store.load_material("annotate").protocol.consent
    assert consent is not None
    assert consent.text == "We keep it."
    change(project, "data/consent.txt", "../consent.txt")
    with pytest.raises(KostraError, match="outside"):
        kostra.prepare(project)


def test_a_language_model_is_declared_and_takes_nobodys_place(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kostra.prepare(project)
    monkeypatch.setenv(app.ENVIRONMENT, json.dumps(site.environment(project)))
    said = json.dumps({"choices": [{"message": {"content": json.dumps({"similarity": 4})}}]})
    with served(app.from_environment()) as url, answering(said) as endpoint:
        report = kostra.ask_model(project, "tiny", endpoint=f"{endpoint}/v1", url=url)
    assert report.ends == {"model-tiny": "finished"}
    collected = kostra.collect(project)[0]
    judgments = tables.read(collected.path, tables.JUDGMENTS)
    assert set(judgments["status"]) == {"surplus"}
    assert judgments.height == 4


@contextlib.contextmanager
def served(application: Any) -> Iterator[str]:
    """A site behind a real server in a thread."""
    config = uvicorn.Config(application, host="127.0.0.1", port=0, log_level="error", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=20)


@contextlib.contextmanager
def answering(said: str) -> Iterator[str]:
    """An address that always says the same."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(said.encode())

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
