"""Running the site: health, figures for Prometheus, logs, upgrades, tokens, and the doctor."""

from __future__ import annotations

import json
import logging
import logging.config
import os
import re
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.annotate.scripts import script
from tests.annotate.studies import Study, rated
from typer.testing import CliRunner

from kostra import cli
from kostra.annotate.guard import Doors
from kostra.annotate.operations import logs
from kostra.annotate.operations.metrics import Counters
from kostra.annotate.store import Store, open_store
from kostra.annotate.store_open import as_url, connect, migrate, revision_of, scripts
from kostra.annotate.upgrading import careful, upgrade
from kostra.doctor import Check, doctor
from kostra.errors import KostraError
from kostra.projects import new

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
DEPLOY = Path(__file__).parents[2] / "deploy"
OLDEST = Path(__file__).parent.parent / "cases" / "annotate" / "oldest.sql"


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    made = Study(tmp_path, f"sqlite:///{tmp_path / 'campaign.db'}")
    yield made
    made.close()


def on_this_machine(study: Study, **options: Any) -> TestClient:
    assert study.client is not None
    return TestClient(study.client.app, raise_server_exceptions=False, client=("127.0.0.1", 1), **options)


# Health and metrics --------------------------------------------------------------------------------------------


def test_a_site_that_lives_but_cannot_store_is_not_ready(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    rated(study)
    stranger = study.stranger()
    assert stranger.get("/health/ready").json() == {"status": "ready", "wrong": []}

    def away(_: Store) -> Any:
        raise KostraError("the disk is on fire")

    monkeypatch.setattr(Store, "connected", away)
    reply = stranger.get("/health/ready")
    assert (reply.status_code, reply.json()) == (503, {"status": "away", "wrong": ["store"]})
    assert "fire" not in reply.text
    assert stranger.get("/health").status_code == 200


def samples(text: str) -> dict[str, float]:
    """The samples of an exposition, whose form is checked on the way."""
    found = {}
    for line in text.splitlines():
        if line.startswith("#"):
            assert re.fullmatch(r"# (HELP|TYPE) kostra_\w+ .+", line), line
            continue
        match = re.fullmatch(r'(kostra_\w+(?:\{(?:\w+="(?:[^"\\]|\\.)*",?)+\})?) (\S+)', line)
        assert match, line
        assert match[1] not in found, line
        found[match[1]] = float(match[2])
    return found


def test_the_site_counts_answers_requests_commits_and_leases(study: Study) -> None:
    rated(study)
    visitor = study.visitor("ann")
    for value in (1, 9, 2):
        visitor.answer({"similarity": value})
    study.visitor("ben").next()
    study.stranger().get("/join/nonsense")
    found = samples(on_this_machine(study).get("/metrics").text)
    assert found['kostra_answers{campaign="news",status="answered"}'] == 2
    assert found['kostra_annotators{campaign="news",state="open"}'] == 2
    assert found['kostra_leases{campaign="news"}'] == 1
    assert found['kostra_requests_total{route="/api/v1/answers",method="POST",status="200"}'] == 2
    assert found['kostra_requests_total{route="/api/v1/answers",method="POST",status="422"}'] == 1
    assert found['kostra_requests_total{route="/join/{token}",method="GET",status="404"}'] == 1
    buckets = [found[f'kostra_request_seconds_bucket{{route="/api/v1/answers",le="{end}"}}'] for end in ("10", "+Inf")]
    assert buckets == [3, 3]
    assert found['kostra_commit_commands_count{campaign="news"}'] > 3
    assert not any("nonsense" in name for name in found)


def test_figures_are_told_on_the_machine_or_to_a_token_and_to_nobody_through_a_proxy(study: Study) -> None:
    rated(study)
    here = on_this_machine(study)
    assert here.get("/metrics").status_code == 200
    for header in ("X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"):
        assert here.get("/metrics", headers={header: "127.0.0.1"}).status_code == 403
    assert study.stranger().get("/metrics").status_code == 403
    token = script(study, "read").token
    assert study.stranger().get("/metrics", headers={"Authorization": f"Bearer {token}"}).status_code == 200
    assert study.stranger().get("/metrics", headers={"Authorization": "Bearer x"}).status_code == 403


@pytest.mark.parametrize(
    "doors", [Doors(root="/study"), Doors(proxies=("127.0.0.1",)), Doors(url="https://study.example.org")]
)
def test_behind_a_proxy_that_does_not_say_so_figures_need_a_token(study: Study, doors: Doors) -> None:
    study.doors = doors
    rated(study)
    assert on_this_machine(study).get("/metrics").status_code == 403
    told = {"Authorization": f"Bearer {script(study, 'read').token}"}
    assert on_this_machine(study).get("/metrics", headers=told).status_code == 200


def test_processes_count_together_and_what_one_counted_outlives_it(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from kostra.annotate.operations.metrics import Counters\n"
        "c = Counters(Path(sys.argv[1])); c.add('kostra_errors_total', kind='store'); c.add('a', kind='ü' * 300)"
    )
    for _ in range(2):
        subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
    counters = Counters(tmp_path)
    counters.add("kostra_errors_total", kind="store")
    assert counters.all() == {("kostra_errors_total", (("kind", "store"),)): 3.0}


def test_counters_do_not_grow_without_end() -> None:
    counters = Counters()
    for number in range(5000):
        counters.add("kostra_errors_total", kind=str(number))
    assert len(counters.all()) == 4096


# Logs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["text", "json"])
def test_logs_are_lines_without_secrets_in_the_form_that_was_asked_for(form: Any) -> None:
    token = "A" * 43
    code = (
        "import logging, logging.config, sys\n"
        "from kostra.annotate.operations import logs\n"
        "logging.config.dictConfig(logs.configuration(sys.argv[1]))\n"
        f"logging.getLogger('kostra.site').error('at /join/{token}')\n"
        f"logging.getLogger('uvicorn.error').error('Bearer {token}')\n"
        f"logging.getLogger('other').warning('{token}')\n"
        "logs.ACCESS.info('request', extra={'data': {'route': '/work', 'status': 200}})\n"
        f"logging.getLogger('uvicorn.access').info('GET /join/{token}')\n"
    )
    done = subprocess.run([sys.executable, "-c", code, form], check=True, capture_output=True, text=True)
    lines = done.stderr.splitlines()
    assert token not in done.stderr
    assert len(lines) == (4 if form == "json" else 3)
    if form == "json":
        told = [json.loads(line) for line in lines]
        assert told[-1]["route"] == "/work"
        assert {"at", "level", "logger", "message"} <= set(told[0])


def test_a_traceback_is_one_line_of_json() -> None:
    try:
        raise ValueError("two\nlines")
    except ValueError:
        record = logging.LogRecord("kostra.site", logging.ERROR, "", 0, "it failed", (), sys.exc_info())
    line = logs.Json().format(record)
    assert "\n" not in line
    assert "ValueError: two" in json.loads(line)["traceback"]


# Upgrades ------------------------------------------------------------------------------------------------------


@pytest.fixture
def oldest(tmp_path: Path) -> Path:
    """A store as the very first version made it."""
    file = tmp_path / "campaign.db"
    with sqlite3.connect(file) as connection:
        connection.executescript(OLDEST.read_text(encoding="utf-8"))
    connection.close()
    return file


def test_an_older_store_is_copied_beside_itself_before_it_is_changed(oldest: Path) -> None:
    with open_store(oldest, before=careful(oldest.parent, now=NOON)) as store, store.connected() as connection:
        assert revision_of(connection) == scripts().get_current_head()
    (kept,) = oldest.parent.glob("campaign-before-upgrade-from-*.db")
    assert kept.name == "campaign-before-upgrade-from-0001-20260101-120000.db"
    assert kept.stat().st_mode & 0o077 == 0
    with sqlite3.connect(kept) as copy:
        assert copy.execute("SELECT version_num FROM kostra_schema").fetchall() == [("0001",)]
        assert copy.execute("SELECT count(*) FROM events").fetchone() == (3,)
    copy.close()
    with open_store(oldest, before=careful(oldest.parent, now=NOON + timedelta(hours=1))):
        pass
    assert len(list(oldest.parent.glob("*before-upgrade*"))) == 1


def test_a_new_store_needs_no_copy(tmp_path: Path) -> None:
    open_store(tmp_path / "campaign.db", before=careful(tmp_path, now=NOON)).close()
    assert not list(tmp_path.glob("*before-upgrade*"))


def test_an_older_postgres_store_is_left_alone_until_somebody_says_upgrade(postgres_url: str, tmp_path: Path) -> None:
    engine = connect(as_url(postgres_url))
    migrate(engine, to="0001")
    with pytest.raises(KostraError, match="made by an older kostra") as caught:
        open_store(postgres_url, before=careful(tmp_path, now=NOON))
    assert f"kostra upgrade {tmp_path} --db postgresql" in str(caught.value.remedy)
    with engine.connect() as connection:
        assert revision_of(connection) == "0001"
    done = upgrade(postgres_url, folder=tmp_path, now=NOON)
    assert (done.before, done.after) == ("0001", scripts().get_current_head())
    assert done.backup is not None
    assert done.backup.name.endswith(".jsonl.gz")
    open_store(postgres_url, before=careful(tmp_path, now=NOON)).close()
    assert upgrade(postgres_url, folder=tmp_path, now=NOON).backup is None
    engine.dispose()


def test_the_backup_of_an_upgrade_can_be_restored(postgres_url: str, oldest: Path, tmp_path: Path) -> None:
    from kostra.annotate.backups import restore

    done = upgrade(oldest, folder=tmp_path, now=NOON)
    assert done.backup is not None
    restore(done.backup, postgres_url)
    with open_store(postgres_url) as store:
        assert store.campaigns() == ["news"]


# Tokens on the command line ------------------------------------------------------------------------------------


def run(*words: str) -> Any:
    return CliRunner().invoke(cli.app, list(words))


def test_tokens_are_made_listed_and_withdrawn_on_the_command_line(study: Study) -> None:
    rated(study)
    folder = str(study.folder)
    made = run("token", folder, "--name", "nightly export", "--role", "read", "--days", "30")
    assert made.exit_code == 0, made.output
    token = made.stdout.strip().splitlines()[-1]
    client = script(study, token=token)
    study.now = datetime.now(UTC)
    assert client.get("campaigns").status_code == 200
    (listed,) = json.loads(run("token", folder, "--json").stdout)
    assert (listed["name"], listed["role"], listed["withdrawn"]) == ("nightly export", "read", False)
    assert token not in run("token", folder).output
    assert run("token", folder, "--withdraw", listed["id"]).exit_code == 0
    assert client.get("campaigns").status_code == 401
    assert study.store is not None
    assert [one.act for one in study.store.recorded()] == ["token withdrawn", "token made"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--name", "x", "--role", "boss"), "boss"),
        (("--name", "x", "--campaign", "nwes"), "nwes"),
        (("--name", ""), "needs a name"),
        (("--name", "x", "--days", "0"), "0 days"),
        (("--withdraw", "nothing"), "unknown token"),
        (("--name", "x", "--withdraw", "y"), "not both"),
    ],
)
def test_a_wrong_word_makes_no_token(study: Study, words: tuple[str, ...], told: str) -> None:
    rated(study)
    done = run("token", str(study.folder), *words)
    assert isinstance(done.exception, KostraError)
    assert told in str(done.exception)
    assert study.store is not None
    assert study.store.api_tokens() == []


# The doctor ----------------------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    new("rating", folder)
    return folder


def told(checks: list[Check]) -> dict[str, Check]:
    return {check.name: check for check in checks}


def opened(project: Path, *, at: datetime = NOON) -> Path:
    """A store with an answer in it."""
    study = rated(Study(project, f"sqlite:///{project / 'campaign.db'}", now=at))
    study.visitor().answer({"similarity": 3})
    study.close()
    return project / "campaign.db"


def test_a_healthy_project_is_found_healthy(project: Path) -> None:
    file = opened(project)
    file.chmod(0o600)
    found = told(doctor(project, port=0))
    assert {name for name, check in found.items() if check.state == "wrong"} == set()
    assert found["database"].told.endswith("1 answers, whole")
    assert found["tables"].state == "good"
    assert found["write-ahead log"].state == "good"
    assert found["backup"].state == "notice"
    assert "kostra backup" in found["backup"].remedy


def test_every_complaint_says_what_to_do(project: Path) -> None:
    file = opened(project, at=datetime.now(UTC) + timedelta(days=1))
    (project / "campaign.secret").write_text("secret")
    (project / "campaign.secret").chmod(0o644)
    file.chmod(0o644)
    project.chmod(0o777)
    recipe = project / "recipe.toml"
    recipe.write_text(recipe.read_text().replace('task = "rating"', 'task = "rating"\nspelling = "cs.dic"'))
    checks = doctor(project, host="0.0.0.0", port=0)
    found = told(checks)
    wrong = {name for name, check in found.items() if check.state == "wrong"}
    assert {"folder", "secret", "clock"} <= wrong
    assert "chmod o-w" in found["folder"].remedy
    assert "chmod 600" in found["secret"].remedy
    assert "chmod 600" in found["database file"].remedy
    assert all(check.remedy for check in checks if check.state != "good")
    lacking = [check for check in checks if "cs.dic" in check.told]
    assert [check.state for check in lacking] == ["wrong"]


def test_a_damaged_store_and_a_log_with_gaps_are_noticed(project: Path) -> None:
    file = opened(project)
    with sqlite3.connect(file) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{name}"')
        connection.execute("DELETE FROM events WHERE seq = 2")
    connection.close()
    assert told(doctor(project, port=0))["log"].state == "wrong"
    with file.open("r+b") as stream:
        stream.seek(4096 + 100)
        stream.write(os.urandom(20_000))
    database = told(doctor(project, port=0))["database"]
    assert database.state == "wrong"
    assert database.remedy


def test_the_doctor_changes_nothing(oldest: Path) -> None:
    before = oldest.read_bytes()
    found = told(doctor(oldest.parent, port=0))
    assert oldest.read_bytes() == before
    assert found["tables"].state == "notice"
    assert "kostra upgrade" in found["tables"].remedy
    assert found["recipe"].state == "wrong"


def test_a_postgres_that_may_lose_answers_or_is_away_is_noticed(project: Path, postgres_url: str) -> None:
    assert told(doctor(project, db=postgres_url, port=0))["tables"].state == "good"  # none as yet: the first start
    open_store(postgres_url).close()
    found = told(doctor(project, db=postgres_url, port=0))
    assert found["database"].state == "good"
    assert found["fsync"].state == "wrong"  # our tests' own server has it off
    away = told(doctor(project, db="postgresql://nobody@127.0.0.1:1/nothing", port=0))
    assert away["database"].state == "wrong"


def test_a_port_that_is_taken_is_wrong_unless_our_site_answers_there(project: Path) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        port = taken.getsockname()[1]
        assert told(doctor(project, port=port))["port"].state == "wrong"
    assert told(doctor(project, port=99999))["port"].state == "wrong"


def test_the_command_exits_with_2_if_anything_is_wrong(project: Path) -> None:
    good = run("doctor", str(project), "--port", "0", "--json")
    states = {one["state"] for one in json.loads(good.stdout)}
    assert good.exit_code == (2 if "wrong" in states else 0) == 0
    bad = run("doctor", str(project / "nowhere"))
    assert bad.exit_code == 2
    assert "try: kostra new" in bad.stdout


# Examples of deployment ----------------------------------------------------------------------------------------


def test_the_examples_call_commands_with_options_that_exist() -> None:
    unit = (DEPLOY / "kostra.service").read_text(encoding="utf-8")
    container = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    start = re.search(r"^ExecStart=/opt/kostra/bin/kostra (.+)$", unit, flags=re.M)
    command = re.search(r"^CMD (\[.+\])$", container, flags=re.M)
    assert start is not None
    assert command is not None
    known = CliRunner().invoke(cli.app, ["serve", "--help"]).stdout
    for words in (shlex.split(start[1]), json.loads(command[1])):
        assert words[0] == "serve"
        options = [word for word in words if word.startswith("--")]
        assert options
        assert [option for option in options if option not in known] == []


def test_the_unit_gives_the_site_no_more_than_it_needs() -> None:
    unit = (DEPLOY / "kostra.service").read_text(encoding="utf-8")
    for line in ("NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet=", "UMask=0077", "User=kostra"):
        assert f"\n{line}\n" in unit
    assert "KOSTRA_SECRET=" not in re.sub(r"(?m)^#.*$", "", unit)


def test_doors_are_told_to_a_site_by_its_environment(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    from kostra.annotate import app as site_app

    rated(study)
    one = {"title": "A study", "language": "cs", "payment": "", "contact": ""}
    setting = {
        "db": study.url, "project": str(study.folder), "campaigns": {"news": one}, "root": "/study",
        "hosts": ["study.example.org"], "proxies": ["127.0.0.1"], "url": "https://study.example.org/study",
    }  # fmt: skip
    monkeypatch.setenv(site_app.ENVIRONMENT, json.dumps(setting))
    monkeypatch.setenv("KOSTRA_SECRET", "s" * 32)
    made = site_app.from_environment()
    with TestClient(made, base_url="http://study.example.org") as client:
        assert client.get("/study/health").status_code == 200
        assert client.get("/study/health", headers={"Host": "other"}).status_code == 421
    wanted = Doors("/study", ("study.example.org",), ("127.0.0.1",), "https://study.example.org/study")
    assert (made.state.doors, made.state.hall.secret) == (wanted, b"s" * 32)
